import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardedServer, requestUrl } from '@tiphys/inbound';
import { type Client, type Clock, pause } from '@tiphys/kubernetes';
import { issueCertificate } from '@tiphys/pki';
import type { ContainerRun } from './container-run.ts';
import type { ContainerProcess } from './container-runtime.ts';
import type { Kubelet } from './kubelet.ts';
import { clientAuthority, KubeletAccess } from './kubelet-access.ts';
import { type LogLine, linesUntil } from './log-lines.ts';
import { refuse as refuseUpgrade, serveStreams } from './streaming/streaming-endpoint.ts';

/**
 * The kubelets' endpoint on loopback, as API servers ask for it: `/containerLogs/NAMESPACE/POD/CONTAINER`, `/exec/…`,
 * `/attach/…`, `/portForward/…`. It asks who asks, as `KubeletAccess` tells. Returns its port.
 */
export async function startLogServer({
  client,
  kubelet,
  clock,
  signal,
}: {
  client: Client;
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
  const access = new KubeletAccess(client);
  const refusal = (request: IncomingMessage) => access.refusal(request, kubelet.nodeOf(podOf(request)));
  const ca = await clientAuthority(client);
  const tls = { cert, key, requestCert: true, rejectUnauthorized: false, ...(ca ? { ca } : {}) };
  const listener: RequestListener = (request, response) => {
    const answered = async () => {
      const refused = await refusal(request);
      if (refused) refuse(response, refused.status, refused.text);
      else await answer(request, response, { kubelet, clock, signal });
    };
    answered().catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  };
  const server = guardedServer(listener, { tls });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const served = async () => {
      const refused = await refusal(request);
      if (refused) refuseUpgrade(socket, refused.status, refused.text);
      else await serveStreams(kubelet, request, socket, head);
    };
    served().catch((error: unknown) => refuseUpgrade(socket, 500, String(error)));
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

/** `NAMESPACE/POD` that a request is about. */
function podOf({ url = '/' }: IncomingMessage): string {
  const [, , namespace, pod] = (url.split('?')[0] ?? '').split('/');
  return `${namespace}/${pod}`;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { kubelet, clock, signal }: { kubelet: Kubelet; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const url = requestUrl(request);
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
  response.flushHeaders();
  const printer = new Printer(response, query);
  const process = previous ? run.previousProcess : run.process;
  const from = selectFrom(query, clock.now());
  const first = (process ? process.lines : linesUntil(run, span, clock.now())).filter(({ at }) => at >= from);
  const tail = query.has('tailLines') ? Math.min(first.length, Number(query.get('tailLines'))) : first.length;
  printer.print(first.slice(first.length - tail));
  if (query.get('follow') === 'true' && !previous) {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const stop = AbortSignal.any([signal, gone.signal]);
    if (process) await followProcess(process, printer, stop);
    else await followSimulated(run, span, { printer, clock, stop });
  }
  response.end();
}

/** Writes lines as the query wants them, until its limit is reached. */
class Printer {
  readonly #response: ServerResponse;
  readonly #timestamps: boolean;
  #budget: number;

  constructor(response: ServerResponse, query: URLSearchParams) {
    this.#response = response;
    this.#timestamps = query.get('timestamps') === 'true';
    this.#budget = query.has('limitBytes') ? Number(query.get('limitBytes')) : Number.POSITIVE_INFINITY;
  }

  get full(): boolean {
    return this.#budget <= 0;
  }

  print(lines: readonly LogLine[]): void {
    for (const { at, text } of lines) {
      const time = this.#timestamps ? `${new Date(at).toISOString().replace('Z', '000000Z')} ` : '';
      const line = Buffer.from(`${time}${text}\n`);
      this.#response.write(line.subarray(0, this.#budget));
      this.#budget -= line.length;
      if (this.full) return;
    }
  }
}

/** A simulated container has its next lines when their time has come. */
async function followSimulated(
  run: ContainerRun,
  span: { startedAt: number; finishedAt: number | undefined },
  { printer, clock, stop }: { printer: Printer; clock: Clock; stop: AbortSignal },
): Promise<void> {
  let from = clock.now();
  while (run.running && !printer.full && !stop.aborted) {
    await pause(clock, 250, stop);
    const now = clock.now();
    printer.print(linesUntil(run, span, now).filter(({ at }) => at > from));
    from = now;
  }
}

async function followProcess(process: ContainerProcess, printer: Printer, stop: AbortSignal): Promise<void> {
  let seen = process.lines;
  let count = seen.length;
  let end = () => {};
  await new Promise<void>((resolve) => {
    const look = () => {
      // the oldest lines of a long log go, and with them the array
      if (process.lines !== seen) count = Math.max(0, count - (seen.length - process.lines.length));
      seen = process.lines;
      printer.print(seen.slice(count));
      count = seen.length;
      if (process.exit || printer.full) resolve();
    };
    end = process.onOutput(look);
    stop.addEventListener('abort', () => resolve());
    look();
  });
  end();
}

function selectFrom(query: URLSearchParams, now: number): number {
  if (query.has('sinceSeconds')) return now - Number(query.get('sinceSeconds')) * 1000;
  return query.has('sinceTime') ? Date.parse(query.get('sinceTime') ?? '') : 0;
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.end(text);
}
