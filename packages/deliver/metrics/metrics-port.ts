import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Diagnosis, defineDiagnosis, failure, formatDiagnosis } from '@tiphys/diagnosis';
import { guardedServer, type InboundLimits, requestUrl } from '@tiphys/inbound';

const metricsPortTaken = defineDiagnosis('MetricsPortTaken', 'The port for metrics cannot be listened on');

export interface MetricsPort {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` (or `path`) and `/healthz`, over TLS with a certificate. `health` says what is wrong; `full` asks it to look at what the component depends on too.
 * Throws a diagnosis with the address if the port cannot be had. 0 picks a free one.
 */
export async function openMetricsPort(options: {
  host: string;
  port: number;
  /** For the diagnosis: what could be set to another port. */
  flag: string;
  path?: string;
  tls?: { cert: string; key: string } | undefined;
  metrics: () => Promise<string>;
  health?: (full: boolean) => Promise<Diagnosis | undefined>;
  limits?: InboundLimits;
}): Promise<MetricsPort> {
  const { host, port, flag, metrics, path = '/metrics', tls, limits, health = async () => undefined } = options;
  const answer: RequestListener = async (request, response) => {
    const url = requestUrl(request);
    const send = (status: number, text: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(text);
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(405, 'Method Not Allowed\n');
    if (url.pathname === path) return send(200, await metrics(), 'text/plain; version=0.0.4; charset=utf-8');
    if (url.pathname !== '/healthz') return send(404, '404 page not found\n');
    const problem = await health(url.searchParams.get('full') === 'true');
    return problem ? send(503, `${formatDiagnosis(problem)}\n`) : send(200, 'ok\n');
  };
  const listener: RequestListener = (request, response) => {
    Promise.resolve(answer(request, response)).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };
  const server = guardedServer(listener, { tls, ...(limits ? { limits } : {}) });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        failure(
          metricsPortTaken,
          {
            message:
              error.code === 'EADDRINUSE'
                ? `Port ${port} of ${host} is taken by another program`
                : `Cannot listen on ${host}:${port}: ${error.code ?? error.message}`,
            place: { field: flag },
            evidence: { address: `${host}:${port}` },
            remedies: [`End the program that has the port, or set another one with ${flag}; 0 takes a free one`],
          },
          { cause: error },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
