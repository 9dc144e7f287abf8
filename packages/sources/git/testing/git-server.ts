import { spawn } from 'node:child_process';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestCertificate } from './certificates.ts';

/** How the server behaves; may be changed while it runs. */
export interface GitServerBehaviour {
  /** User name and password that are wanted; absent: none. */
  auth?: { username: string; password: string };
  /** A bearer token that is wanted; absent: none. */
  bearer?: string;
  /** Milliseconds before each answer. */
  latency?: number;
  /** Answers everything so instead of serving. */
  answer?: { status: number; headers?: Record<string, string> };
  /** The Date header; the machine's time if absent. */
  date?: string;
}

export interface GitServer {
  /** `http(s)://127.0.0.1:port`; repositories are below it by their folder's name. */
  readonly url: string;
  readonly behaviour: GitServerBehaviour;
  /** Method, URL and Authorization of each request. */
  readonly requests: readonly {
    readonly method: string;
    readonly url: string;
    readonly authorization: string | undefined;
  }[];
  close(): Promise<void>;
}

/** Serves all repositories below a folder through the real `git http-backend`, on a free port of loopback. */
export async function startGitServer(
  root: string,
  options: GitServerBehaviour & { tls?: TestCertificate } = {},
): Promise<GitServer> {
  const { tls, ...behaviour } = options;
  const requests: { method: string; url: string; authorization: string | undefined }[] = [];
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    requests.push({
      method: request.method ?? '',
      url: request.url ?? '',
      authorization: request.headers.authorization,
    });
    setTimeout(() => serve(root, behaviour, request, response), behaviour.latency ?? 0).unref();
  };
  const server = tls ? createHttps({ cert: tls.cert, key: tls.key }, handler) : createHttp(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    behaviour,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function serve(root: string, behaviour: GitServerBehaviour, request: IncomingMessage, response: ServerResponse): void {
  if (behaviour.date) response.setHeader('date', behaviour.date);
  if (behaviour.answer) {
    response.writeHead(behaviour.answer.status, behaviour.answer.headers);
    response.end();
    return;
  }
  if (!admitted(behaviour, request.headers.authorization)) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' });
    response.end();
    return;
  }
  backend(root, request, response);
}

function admitted({ auth, bearer }: GitServerBehaviour, authorization: string | undefined): boolean {
  if (auth) return authorization === `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
  return bearer === undefined || authorization === `Bearer ${bearer}`;
}

/** CGI: the request's parts as variables, its body as input; the answer starts with headers. */
function backend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => child.kill());
  let head = Buffer.alloc(0);
  let started = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (started) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    started = true;
    let status = 200;
    for (const line of head.subarray(0, end).toString('latin1').split('\r\n')) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.statusCode = status;
    response.write(head.subarray(end + 4));
  });
  child.on('close', () => response.end());
  response.on('close', () => child.kill());
}
