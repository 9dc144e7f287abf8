import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@tiphys/kubernetes';
import { issueCertificate } from '../../server/certificates.ts';
import type { Kubelet } from './kubelet.ts';
import { type LogLine, linesUntil } from './log-lines.ts';

/**
 * The kubelets' endpoint on loopback: `/containerLogs/NAMESPACE/POD/CONTAINER`, as API servers ask for it. Returns its port.
 */
export async function startLogServer({
  kubelet,
  clock,
  signal,
}: {
  kubelet: Kubelet;
  clock: Clock;
  signal: AbortSignal;
}): Promise<number> {
  const { cert, key } = issueCertificate({
    commonName: 'sandbox-kubelet',
    hosts: ['127.0.0.1', 'localhost'],
    use: 'server',
    now: clock.now(),
  });
  const server = createServer({ cert, key }, (request, response) => {
    answer(request, response, { kubelet, clock, signal }).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  signal.addEventListener('abort', () => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { kubelet, clock, signal }: { kubelet: Kubelet; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const [, section, namespace = '', pod = '', container = ''] = url.pathname.split('/').map(decodeURIComponent);
  const run = section === 'containerLogs' ? kubelet.run(`${namespace}/${pod}`)?.container(container) : undefined;
  if (!run) return refuse(response, 404, `container ${container} not found in pod ${pod}_${namespace}`);
  const query = url.searchParams;
  const previous = query.get('previous') === 'true';
  const span = previous
    ? run.previous
    : run.startedAt === undefined
      ? run.previous
      : { startedAt: run.startedAt, finishedAt: undefined };
  if (!span)
    return refuse(
      response,
      400,
      previous
        ? `previous terminated container "${container}" in pod "${pod}" not found`
        : `container "${container}" in pod "${pod}" is waiting to start: ContainerCreating`,
    );
  response.writeHead(200, { 'content-type': 'text/plain' });
  let from = selectFrom(query, clock.now());
  let budget = query.has('limitBytes') ? Number(query.get('limitBytes')) : Number.POSITIVE_INFINITY;
  const print = (lines: readonly LogLine[]) => {
    for (const { at, text } of lines) {
      const line =
        `${query.get('timestamps') === 'true' ? `${new Date(at).toISOString().replace('Z', '000000Z')} ` : ''}${text}\n`.slice(
          0,
          budget,
        );
      budget -= line.length;
      response.write(line);
    }
  };
  const first = linesUntil(run, span, clock.now()).filter(({ at }) => at >= from);
  print(
    query.has('tailLines') ? first.slice(first.length - Math.min(first.length, Number(query.get('tailLines')))) : first,
  );
  from = clock.now();
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const stop = AbortSignal.any([signal, gone.signal]);
  while (query.get('follow') === 'true' && !previous && run.running && budget > 0 && !stop.aborted) {
    await clock.sleep(250, stop).catch(() => undefined);
    const now = clock.now();
    print(linesUntil(run, span, now).filter(({ at }) => at > from));
    from = now;
  }
  response.end();
}

function selectFrom(query: URLSearchParams, now: number): number {
  if (query.has('sinceSeconds')) return now - Number(query.get('sinceSeconds')) * 1000;
  return query.has('sinceTime') ? Date.parse(query.get('sinceTime') ?? '') : 0;
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.end(text);
}
