import { DiagnosisError, defineDiagnosis, diagnose, failure, type Remedy } from '@tiphys/diagnosis';

const serverUnreachable = defineDiagnosis('ServerUnreachable', 'The command line cannot reach the Tiphys server');
const notLoggedIn = defineDiagnosis('NotLoggedIn', 'The command line has no valid session');
const serverRefused = defineDiagnosis('ServerRefused', 'The Tiphys server refused a request');

/** A refusal of the server with its HTTP status, and with the remedies that the server gives. */
export class RequestError extends DiagnosisError {
  readonly status: number;

  constructor(status: number, message: string, path: string, details?: unknown) {
    const login = path.endsWith('/api/v1/session');
    const kind = status === 401 && !login ? notLoggedIn : serverRefused;
    super(
      diagnose(kind, {
        message: status === 403 ? (hidden(path, message) ?? message) : message,
        evidence: { request: path, status },
        remedies: [...remediesOf(status, login), ...remediesIn(details)],
      }),
    );
    this.status = status;
  }
}

function remediesOf(status: number, login: boolean): { text: string; paste?: string }[] {
  if (status !== 401) return [];
  return login ? [{ text: 'Check user name and password' }] : [{ text: 'Log in', paste: 'tiphys login' }];
}

/** The remedies of the diagnoses that come with a refusal, as `google.protobuf.Struct`s. */
function remediesIn(details: unknown): Remedy[] {
  if (!Array.isArray(details)) return [];
  return (details as readonly ({ value?: { remedies?: unknown } } | null)[]).flatMap((detail) => {
    const remedies = detail?.value?.remedies;
    if (!Array.isArray(remedies)) return [];
    return (remedies as readonly (Partial<Remedy> | null)[]).flatMap((remedy) => {
      const { text, paste } = remedy ?? {};
      if (typeof text !== 'string') return [];
      return [{ text, ...(typeof paste === 'string' ? { paste } : {}) }];
    });
  });
}

/** As upstream the server says the same of what is not there and of what nobody may see; only the words are clearer. */
function hidden(path: string, message: string): string | undefined {
  const name = /\/api\/v1\/(application|project|repositorie|cluster)s\/([^/?]+)/.exec(path);
  if (!name?.[1] || !name[2] || !/permission denied/i.test(message)) return undefined;
  const noun = name[1] === 'repositorie' ? 'repository' : name[1];
  return `${noun} '${decodeURIComponent(name[2])}' not found, or not permitted`;
}

/** By which way a server is asked. */
export interface Connection {
  readonly headers?: Readonly<Record<string, string>>;
  /** How often a connection that fails is tried again. */
  readonly retries?: number;
  /** The platform's if absent. */
  readonly fetch?: typeof fetch;
  /** What `fetch` uses for TLS, for those who speak gRPC. */
  readonly tls?: TlsOptions;
}

export interface TlsOptions {
  readonly rejectUnauthorized?: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** A connection to one server: the REST API of Argo CD. Every method throws a `DiagnosisError`. */
export class ApiSession {
  readonly server: string;
  readonly token: string | undefined;
  readonly connection: Connection;

  constructor(server: string, token?: string, connection: Connection = {}) {
    this.server = server.replace(/(?<!\/)\/+$/, '');
    if (!URL.canParse(this.server))
      throw failure(serverUnreachable, {
        message: `${JSON.stringify(server)} is no address of a server`,
        remedies: ['Give it as HOST, HOST:PORT or https://HOST/PATH, by --server or by logging in to it'],
      });
    this.token = token;
    this.connection = connection;
  }

  /** The JSON answer of a request, whose body is JSON or a form; `query` leaves undefined values out and repeats lists. */
  async request<T>(
    method: string,
    path: string,
    options: { query?: Query; body?: unknown; signal?: AbortSignal } = {},
  ): Promise<T> {
    const response = await this.#send(method, path, options);
    const text = await response.text();
    return (text === '' ? {} : JSON.parse(text)) as T;
  }

  /** The bytes of an answer, as they come. */
  async download(path: string, { signal }: { signal?: AbortSignal } = {}): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#send('GET', path, signal ? { signal } : {});
    return (body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>;
  }

  /** The `result` of each line of a streaming answer, until the server ends it or the signal aborts. */
  async *stream<T>(path: string, options: { query?: Query; signal?: AbortSignal } = {}): AsyncGenerator<T> {
    const response = await this.#send('GET', path, options);
    if (!response.body) return;
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body) {
      rest += decoder.decode(chunk as Uint8Array, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const text = line.replace(/^data: ?/, '').trim();
        if (text === '' || text.startsWith(':')) continue;
        const message = JSON.parse(text) as { result?: T; error?: StreamError };
        if (message.error) {
          const { http_code: status = 500, message: words = text, details } = message.error;
          throw new RequestError(status, words, path, details);
        }
        if (message.result !== undefined) yield message.result;
      }
    }
  }

  async #send(
    method: string,
    path: string,
    { query, body, signal }: { query?: Query; body?: unknown; signal?: AbortSignal },
  ): Promise<Response> {
    const url = new URL(`${this.server}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) {
      for (const item of Array.isArray(value) ? value : [value])
        if (item !== undefined && item !== '') url.searchParams.append(name, String(item));
    }
    let response: Response;
    try {
      response = await this.#fetched(url, {
        method,
        headers: {
          ...this.connection.headers,
          ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
          ...(method === 'GET' || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw failure(
        serverUnreachable,
        {
          message: `Cannot reach the Tiphys server at ${this.server}: ${reason}`,
          remedies: remediesOfConnection(reason),
        },
        { cause: error },
      );
    }
    if (response.ok) return response;
    const { message, details } = refusalOf(await response.text(), response.status);
    throw new RequestError(response.status, message, `${method} ${path}`, details);
  }

  /** Tries again what was certainly not done, or may be done twice. */
  async #fetched(url: URL, init: RequestInit): Promise<Response> {
    const { fetch: own = fetch, retries = 0 } = this.connection;
    for (let tried = 0; ; tried += 1)
      try {
        return await own(url, init);
      } catch (error) {
        if (init.signal?.aborted || tried >= retries || !(init.method === 'GET' || isNotConnected(error))) throw error;
      }
  }
}

function isNotConnected(error: unknown): boolean {
  const code = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
  return code !== undefined && /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/.test(code);
}

function remediesOfConnection(reason: string): { text: string; paste?: string }[] {
  if (/certificate|altnames|self.signed/i.test(reason))
    return [{ text: 'Name the certificate of its authority by --server-crt FILE, or accept any with --insecure' }];
  if (/wrong version number|packet length too long|ssl3?_/i.test(reason))
    return [{ text: 'The server speaks no TLS: add --plaintext, or write http:// before its address' }];
  return [{ text: 'Start it, or name another one with --server', paste: 'npm start' }];
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

interface StreamError {
  readonly message?: string;
  readonly http_code?: number;
  readonly details?: unknown;
}

function refusalOf(text: string, status: number): { message: string; details?: unknown } {
  try {
    const { message, error, details } = JSON.parse(text) as { message?: string; error?: string; details?: unknown };
    return { message: message ?? error ?? `HTTP ${status}`, details };
  } catch {
    return { message: text.trim() || `HTTP ${status}` };
  }
}
