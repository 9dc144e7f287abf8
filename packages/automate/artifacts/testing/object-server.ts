import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { escaped } from '../wire/xml.ts';

/** What one request of a store asked for. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Told {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export type Speak = (asked: Asked, objects: Map<string, Buffer>) => Told;

/** A store in memory that speaks as one of the clouds does; two objects a page, so that lists go on. */
export class ObjectServer implements AsyncDisposable {
  readonly objects = new Map<string, Buffer>();
  readonly asked: Asked[] = [];
  readonly #server: Server;
  #busy = 0;

  private constructor(speak: Speak) {
    this.#server = createServer((request, response) => void this.#answer(speak, request, response));
  }

  static async start(speak: Speak): Promise<ObjectServer> {
    const server = new ObjectServer(speak);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Refuses as many requests as that: the store is busy. */
  beBusy(times: number): void {
    this.#busy = times;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(speak: Speak, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(request.url ?? '/', this.url);
    const asked = { method: request.method ?? '', url, headers: request.headers, body: Buffer.concat(chunks) };
    this.asked.push(asked);
    const isBusy = this.#busy > 0;
    if (isBusy) this.#busy -= 1;
    const {
      status = 200,
      headers = {},
      body = '',
    } = isBusy ? { status: 503, body: 'SlowDown' } : speak(asked, this.objects);
    response.writeHead(status, headers);
    response.end(body);
  }
}

const page = 2;

/** One page of the keys with a prefix, and where the next begins. */
function listed(objects: Map<string, Buffer>, prefix: string, from: string): { keys: string[]; next: string } {
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > from).sort();
  return { keys: keys.slice(0, page), next: keys.length > page ? (keys[page - 1] ?? '') : '' };
}

function found(objects: Map<string, Buffer>, key: string): Told {
  const body = objects.get(key);
  return body ? { body } : { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' };
}

const parts = new Map<string, Buffer[]>();

/** Uploads in parts, as S3 and OSS have them. */
function multipart({ method, url, body }: Asked, objects: Map<string, Buffer>, key: string): Told | undefined {
  const upload = url.searchParams.get('uploadId') ?? '';
  if (method === 'POST' && url.searchParams.has('uploads')) {
    const id = `upload-${parts.size + 1}`;
    parts.set(id, []);
    return { body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>` };
  }
  const held = parts.get(upload);
  if (!held) return undefined;
  if (method === 'PUT') {
    held[Number(url.searchParams.get('partNumber')) - 1] = body;
    return { headers: { etag: `"${createHash('md5').update(body).digest('hex')}"` } };
  }
  if (method === 'POST') objects.set(key, Buffer.concat(held));
  parts.delete(upload);
  return {
    body: '<CompleteMultipartUploadResult><Location>x</Location><ETag>x</ETag></CompleteMultipartUploadResult>',
  };
}

/** S3 with the bucket in the path. Takes the access key `key` alone. */
export const speakS3: Speak = (asked, objects) => {
  const { method, url, headers } = asked;
  if (!headers.authorization?.includes('Credential=key/'))
    return { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' };
  const [, , ...rest] = url.pathname.split('/').map(decodeURIComponent);
  const key = rest.join('/');
  if (key === '' && method === 'GET') {
    const { keys, next } = listed(
      objects,
      url.searchParams.get('prefix') ?? '',
      url.searchParams.get('continuation-token') ?? '',
    );
    const contents = keys.map((one) => `<Contents><Key>${escaped(one)}</Key><Size>1</Size></Contents>`).join('');
    const more = next ? `<NextContinuationToken>${escaped(next)}</NextContinuationToken>` : '';
    return {
      body: `<ListBucketResult><IsTruncated>${Boolean(next)}</IsTruncated>${contents}${more}</ListBucketResult>`,
    };
  }
  if (key === '') return {};
  return multipart(asked, objects, key) ?? plain(asked, objects, key);
};

function plain({ method, body }: Asked, objects: Map<string, Buffer>, key: string): Told {
  if (method === 'PUT') objects.set(key, body);
  else if (method === 'DELETE') objects.delete(key);
  else return found(objects, key);
  return { status: method === 'DELETE' ? 204 : 200, headers: { etag: '"x"' } };
}

/** OSS; the secret of the key `key` is `secret`. */
export const speakOss: Speak = (asked, objects) => {
  const { method, url, headers } = asked;
  const [, bucket = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
  const key = rest.join('/');
  const query = ['continuation-token', 'partNumber', 'uploadId', 'uploads']
    .filter((name) => url.searchParams.has(name))
    .map((name) => (url.searchParams.get(name) ? `${name}=${url.searchParams.get(name)}` : name))
    .join('&');
  const resource = `/${bucket}/${key}${query ? `?${query}` : ''}`;
  const text = [method, '', headers['content-type'] ?? '', headers.date ?? '', resource].join('\n');
  const signature = createHmac('sha1', 'secret').update(text).digest('base64');
  if (headers.authorization !== `OSS key:${signature}`)
    return { status: 403, body: '<Error><Code>SignatureDoesNotMatch</Code></Error>' };
  if (key === '' && method === 'GET') {
    const { keys, next } = listed(
      objects,
      url.searchParams.get('prefix') ?? '',
      url.searchParams.get('continuation-token') ?? '',
    );
    const contents = keys.map((one) => `<Contents><Key>${escaped(one)}</Key></Contents>`).join('');
    return {
      body: `<ListBucketResult>${contents}${next ? `<NextContinuationToken>${escaped(next)}</NextContinuationToken>` : ''}</ListBucketResult>`,
    };
  }
  return multipart(asked, objects, key) ?? plain(asked, objects, key);
};

const blocks = new Map<string, Buffer>();

/** Azure's blobs of the account `account`, whose key is `secret` in base64. */
export const speakAzure: Speak = ({ method, url, headers, body }, objects) => {
  const own = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .sort()
    .map((name) => `${name}:${headers[name]}`);
  const query = [...url.searchParams].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `\n${name}:${value}`);
  const length = Number(headers['content-length'] ?? 0) || '';
  const text = [method, '', '', length, ...Array(8).fill(''), ...own, `/account${url.pathname}${query.join('')}`].join(
    '\n',
  );
  const signature = createHmac('sha256', 'secret').update(text).digest('base64');
  if (headers.authorization !== `SharedKey account:${signature}`) return { status: 403, body: 'AuthenticationFailed' };
  const [, , , ...rest] = url.pathname.split('/').map(decodeURIComponent);
  const key = rest.join('/');
  const comp = url.searchParams.get('comp');
  if (comp === 'list') {
    const { keys, next } = listed(objects, url.searchParams.get('prefix') ?? '', url.searchParams.get('marker') ?? '');
    const blobs = keys.map((one) => `<Blob><Name>${escaped(one)}</Name></Blob>`).join('');
    return {
      body: `<EnumerationResults><Blobs>${blobs}</Blobs><NextMarker>${escaped(next)}</NextMarker></EnumerationResults>`,
    };
  }
  if (comp === 'block') blocks.set(`${key}\n${url.searchParams.get('blockid')}`, body);
  else if (comp === 'blocklist') {
    const ids = [...body.toString().matchAll(/<Latest>([^<]*)<\/Latest>/g)].map(([, id]) => id);
    objects.set(key, Buffer.concat(ids.map((id) => blocks.get(`${key}\n${id}`) ?? Buffer.alloc(0))));
  } else if (method === 'DELETE') return { status: objects.delete(key) ? 202 : 404 };
  else return found(objects, key);
  return { status: 201 };
};

/** Google Cloud Storage; gives tokens too, and wants them. */
export const speakGcs: Speak = ({ method, url, headers, body }, objects) => {
  if (url.pathname === '/token') return { body: JSON.stringify({ access_token: 'given' }) };
  if (headers.authorization !== 'Bearer given') return { status: 401, body: 'Invalid Credentials' };
  if (url.pathname.startsWith('/upload/')) {
    objects.set(url.searchParams.get('name') ?? '', body);
    return { body: '{}' };
  }
  const key = decodeURIComponent(url.pathname.split('/')[6] ?? '');
  if (key === '') {
    const { keys, next } = listed(
      objects,
      url.searchParams.get('prefix') ?? '',
      url.searchParams.get('pageToken') ?? '',
    );
    return {
      body: JSON.stringify({ items: keys.map((name) => ({ name })), ...(next ? { nextPageToken: next } : {}) }),
    };
  }
  if (method === 'DELETE') return { status: objects.delete(key) ? 204 : 404 };
  return found(objects, key);
};

/** WebHDFS: the name node sends anyone who writes to a data node, which is itself. */
export const speakHdfs: Speak = ({ method, url, body, headers }, objects) => {
  const path = decodeURIComponent(url.pathname.replace(/^\/webhdfs\/v1/, ''));
  if (url.pathname.startsWith('/data/')) {
    objects.set(decodeURIComponent(url.pathname.slice('/data'.length)), body);
    return { status: 201 };
  }
  if (url.searchParams.get('user.name') !== 'user') return { status: 401, body: 'AuthenticationException' };
  const op = url.searchParams.get('op');
  if (op === 'CREATE')
    return {
      body: JSON.stringify({ Location: `http://${headers.host}/data${url.pathname.replace(/^\/webhdfs\/v1/, '')}` }),
    };
  if (op === 'OPEN') return found(objects, path);
  if (op === 'DELETE') {
    for (const key of [...objects.keys()]) if (key === path || key.startsWith(`${path}/`)) objects.delete(key);
    return { body: '{"boolean":true}' };
  }
  const prefix = `${path.replace(/\/$/, '')}/`;
  const names = new Set(
    [...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)),
  );
  if (names.size === 0 && method === 'GET') return { status: 404, body: 'FileNotFoundException' };
  const entries = new Map(
    [...names].map((name) => [name.split('/')[0] ?? '', name.includes('/') ? 'DIRECTORY' : 'FILE']),
  );
  const FileStatus = [...entries].map(([pathSuffix, type]) => ({ pathSuffix, type }));
  return { body: JSON.stringify({ FileStatuses: { FileStatus } }) };
};

/** A server of files with the user `key` and the password `secret`. */
export const speakHttp: Speak = ({ method, url, headers, body }, objects) => {
  if (headers.authorization !== `Basic ${Buffer.from('key:secret').toString('base64')}`) return { status: 401 };
  return plain({ method, url, headers, body }, objects, decodeURIComponent(url.pathname.slice(1)));
};
