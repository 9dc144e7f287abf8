import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

export interface TestServerTls {
  readonly cert: string;
  readonly key: string;
  /** PEM of the authority whose client certificates are wanted. */
  readonly clientCa?: string;
}

/** What a handler answers; undefined: 404. */
export interface TestAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The connection is cut in the middle of the answer. */
  readonly cut?: boolean;
  /** The body never ends. */
  readonly endless?: boolean;
}

export interface TestServer {
  /** `http(s)://127.0.0.1:port` */
  readonly url: string;
  /** `127.0.0.1:port` */
  readonly host: string;
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

/** An HTTP server on a free port of loopback that keeps what it was asked. */
export async function startTestServer(
  handle: (request: SeenRequest, body: string) => TestAnswer | undefined,
  tls?: TestServerTls,
): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers };
    requests.push(seen);
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => send(response, seen.method, handle(seen, body)));
  };
  const server = tls
    ? createHttps(
        {
          cert: tls.cert,
          key: tls.key,
          ...(tls.clientCa ? { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true } : {}),
        },
        listener,
      )
    : createHttp(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${tls ? 'https' : 'http'}://${host}`,
    host,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, method: string, answer: TestAnswer = { status: 404, body: 'not found' }): void {
  const { status = 200, headers = {}, body = '', cut, endless } = answer;
  const data = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, endless ? headers : { 'content-length': data.length, ...headers });
  if (cut) {
    response.write(data.subarray(0, data.length >> 1), () => response.destroy());
    return;
  }
  if (!endless) {
    response.end(method === 'HEAD' ? undefined : data);
    return;
  }
  const chunk = Buffer.alloc(1 << 20, 0x61);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

/** The Authorization header of a user name and a password. */
export function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
