import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Journal } from './journal.ts';

export interface JournalServer {
  readonly port: number;
  close(): void;
}

/** Names of this machine: a page of somebody else's that a browser was led here with has another one. */
const own = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * Serves the ways of events to this machine alone, for reading: `/events` with `namespace`, `eventSource`, `sensor` and `limit`, and
 * `/events/NAMESPACE/ID`, where a beginning of the id is enough. Rejects if the port cannot be had.
 */
export async function serveJournal(journal: Journal, port: number): Promise<JournalServer> {
  const server: Server = createServer((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (!own.test(request.headers.host ?? '') || request.method !== 'GET')
      return void answer(403, { error: 'only this machine may read' });
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const [, kind, namespace, id] = pathname.split('/').map(decodeURIComponent);
    if (kind !== 'events') return void answer(404, { error: 'there is /events alone' });
    if (!namespace) {
      const pick = (name: string) => searchParams.get(name) || undefined;
      const most = Math.min(1000, Number(searchParams.get('limit') ?? 50) || 50);
      return void answer(
        200,
        journal.list({ namespace: pick('namespace'), eventSource: pick('eventSource'), sensor: pick('sensor'), most }),
      );
    }
    const entry = id ? journal.find(namespace, id) : undefined;
    return void answer(entry ? 200 : 404, entry ?? { error: `no event ${id} is known in ${namespace}` });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
