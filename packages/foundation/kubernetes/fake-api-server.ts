import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server for the tests of this package: answers by a function, and shows what was asked. */
export interface FakeApiServer {
  url: string;
  requests: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[];
  close(): Promise<void>;
}

export type Handler = (
  request: { method: string; path: string; query: URLSearchParams; body: string; headers: IncomingMessage['headers'] },
  response: ServerResponse,
) => void | Promise<void>;

const configMaps = {
  name: 'configmaps',
  singularName: 'configmap',
  namespaced: true,
  kind: 'ConfigMap',
  verbs: ['get', 'list', 'watch'],
};
const leases = { name: 'leases', singularName: 'lease', namespaced: true, kind: 'Lease', verbs: ['get'] };
const metrics = { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }] };

/** Discovery of ConfigMaps and Leases without aggregation, and a group whose server is down. */
const discovery: Record<string, unknown> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': { kind: 'APIResourceList', resources: [configMaps, { ...configMaps, name: 'configmaps/status' }] },
  '/apis': { kind: 'APIGroupList', groups: [{ name: 'coordination.k8s.io', versions: [{ version: 'v1' }] }, metrics] },
  '/apis/coordination.k8s.io/v1': { kind: 'APIResourceList', resources: [leases] },
  '/version': { gitVersion: 'v1.34.4', major: '1', minor: '34', platform: 'linux/amd64' },
};

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function status(code: number, reason: string, message: string, details?: object): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message,
    ...(details ? { details } : {}),
  };
}

export async function startFakeApiServer(handler: Handler): Promise<FakeApiServer> {
  const requests: FakeApiServer['requests'] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const method = request.method ?? '';
      const body = Buffer.concat(chunks).toString();
      const served = discovery[url.pathname];
      if (served) return sendJson(response, 200, served);
      if (url.pathname.startsWith('/apis/metrics.k8s.io'))
        return sendJson(response, 503, status(503, 'ServiceUnavailable', 'service unavailable'));
      requests.push({ method, path: request.url ?? '', headers: request.headers, body });
      void handler({ method, path: url.pathname, query: url.searchParams, body, headers: request.headers }, response);
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
