import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { GuardedAgent, GuardedSecureAgent } from '@tiphys/outbound';
import type { Client } from 'minio';
import { answered, broken, invalid, missing, type Subject } from '../model/failures.ts';
import { checkAmbient, needed, type Settings, secretOf, text } from '../model/fields.ts';
import type { ArtifactAccess, ArtifactStore, WriteOptions } from '../model/store.ts';
import { chunksOf } from '../wire/chunks.ts';
import { below, prefixOf } from '../wire/paths.ts';

/** Bytes of a part: what one upload keeps in memory. */
const smallestPart = 8 << 20;
/** S3 takes no more parts. */
const mostParts = 10_000;
const sse = 'x-amz-server-side-encryption';

/** An object of S3, or of what speaks as S3: MinIO, Ceph and others. */
export class S3Store implements ArtifactStore {
  readonly kind = 's3';
  readonly #settings: Settings;
  readonly #access: ArtifactAccess;
  readonly #bucket: string;
  readonly #key: string;
  readonly #connect: () => Client;
  readonly #customerKey: string | undefined;
  readonly #agent: GuardedAgent | GuardedSecureAgent;

  private constructor(settings: Settings, access: ArtifactAccess, parts: Parts) {
    this.#settings = settings;
    this.#access = access;
    this.#bucket = parts.bucket;
    this.#key = parts.key;
    this.#connect = parts.connect;
    this.#customerKey = parts.customerKey;
    this.#agent = parts.agent;
  }

  static async open(settings: Settings, access: ArtifactAccess): Promise<S3Store> {
    const endpoint = needed('s3', settings, 'endpoint');
    const insecure = settings['insecure'] === true;
    const written = endpoint.includes('://') ? endpoint : `http${insecure ? '' : 's'}://${endpoint}`;
    if (!URL.canParse(written))
      throw invalid('s3.endpoint', 'The endpoint of the store is no host', 'Write HOST or HOST:PORT');
    const url = new URL(written);
    const region = text(settings, 'region');
    const [{ Client }, credentials, ca, customerKey] = await Promise.all([
      import('minio'),
      credentialsOf(settings, access, region),
      secretOf(access, settings, 'caSecret'),
      secretOf(access, (settings['encryptionOptions'] ?? {}) as Settings, 'serverSideCustomerKeySecret'),
    ]);
    if (customerKey && insecure)
      throw invalid('s3.encryptionOptions', 'A key of the customer is sent over TLS alone', 'Set insecure: false');
    const agent = insecure ? new GuardedAgent() : new GuardedSecureAgent(ca ? { ca } : {});
    const style = text(settings, 'addressingStyle');
    const connect = () =>
      new Client({
        endPoint: url.hostname,
        ...(url.port ? { port: Number(url.port) } : {}),
        useSSL: !insecure,
        ...credentials,
        region: region || 'us-east-1',
        // elsewhere than at AWS a bucket is hardly ever a host of its own
        pathStyle: style ? style === 'path' : !url.hostname.endsWith('.amazonaws.com'),
        transportAgent: agent,
        // whoever loads and saves tries again, with a clock of its own
        retryOptions: { disableRetry: true },
      });
    const parts = { bucket: needed('s3', settings, 'bucket'), key: text(settings, 'key'), connect, customerKey, agent };
    return new S3Store(settings, access, parts);
  }

  async read(file?: string): Promise<Readable> {
    const key = below(this.#key, file);
    return await this.#ask(key, (client) => client.getObject(this.#bucket, key, this.#customer()));
  }

  async write(content: Readable, { file, size }: WriteOptions = {}): Promise<void> {
    const key = below(this.#key, file);
    const { createBucketIfNotPresent } = this.#settings as { createBucketIfNotPresent?: { objectLocking?: boolean } };
    if (createBucketIfNotPresent && !file) await this.#makeBucket(createBucketIfNotPresent.objectLocking === true);
    const partSize = Math.max(smallestPart, Math.ceil((size ?? 0) / mostParts));
    const headers = this.#encryption(key);
    let upload: Upload | undefined;
    let held: Buffer | undefined;
    try {
      for await (const part of chunksOf(content, partSize)) {
        if (held) {
          upload ??= {
            id: await this.#ask(key, (client) => client.initiateNewMultipartUpload(this.#bucket, key, headers)),
            parts: [],
          };
          await this.#part(key, upload, held);
        }
        held = part;
      }
      const last = held ?? Buffer.alloc(0);
      if (!upload)
        return void (await this.#ask(key, (client) => client.putObject(this.#bucket, key, last, last.length, headers)));
      await this.#part(key, upload, last);
      const { id, parts } = upload;
      await this.#ask(key, (client) => client.completeMultipartUpload(this.#bucket, key, id, parts));
    } catch (error) {
      const id = upload?.id;
      // parts of an upload that nobody ends are paid for
      if (id)
        await this.#ask(key, (client) => client.abortMultipartUpload(this.#bucket, key, id)).catch(() => undefined);
      throw error;
    }
  }

  async #part(key: string, { id, parts }: Upload, body: Buffer): Promise<void> {
    const number = parts.length + 1;
    const { SSECustomerAlgorithm, SSECustomerKey, SSECustomerKeyMD5 } = this.#customer();
    const customer = SSECustomerKey
      ? {
          [`${sse}-customer-algorithm`]: SSECustomerAlgorithm,
          [`${sse}-customer-key`]: SSECustomerKey,
          [`${sse}-customer-key-md5`]: SSECustomerKeyMD5,
        }
      : {};
    const headers = {
      'Content-Length': body.length,
      'Content-MD5': createHash('md5').update(body).digest('base64'),
      ...customer,
    };
    const etag = await this.#ask(key, async (client) => {
      const sent = await client.uploadPart(
        { bucketName: this.#bucket, objectName: key, uploadID: id, partNumber: number, headers },
        body,
      );
      return sent.etag;
    });
    parts.push({ part: number, etag });
  }

  async *files(): AsyncIterable<string> {
    const prefix = prefixOf(this.#key);
    const subject = this.#subject(`${prefix}*`);
    const objects = this.#connect().listObjectsV2(this.#bucket, prefix, true);
    try {
      for await (const { name } of objects as AsyncIterable<{ name?: string }>)
        if (name?.startsWith(prefix) && name !== prefix && !name.endsWith('/')) yield name.slice(prefix.length);
    } catch (error) {
      throw failureOf(subject, error);
    }
  }

  async remove(): Promise<void> {
    const remove = (key: string) => this.#ask(key, (client) => client.removeObject(this.#bucket, key));
    if (!this.#key.endsWith('/')) return await remove(this.#key);
    for await (const file of this.files()) await remove(below(this.#key, file));
  }

  async close(): Promise<void> {
    this.#agent.destroy();
  }

  async #makeBucket(objectLocking: boolean): Promise<void> {
    const region = text(this.#settings, 'region') || 'us-east-1';
    try {
      await this.#connect().makeBucket(this.#bucket, region, objectLocking ? { ObjectLocking: true } : {});
    } catch (error) {
      const there = ['BucketAlreadyExists', 'BucketAlreadyOwnedByYou'];
      if (!there.includes((error as { code?: string }).code ?? '')) throw failureOf(this.#subject(this.#bucket), error);
    }
  }

  async #ask<T>(key: string, ask: (client: Client) => Promise<T>): Promise<T> {
    this.#access.signal?.throwIfAborted();
    try {
      return await ask(this.#connect());
    } catch (error) {
      throw failureOf(this.#subject(key), error);
    }
  }

  #subject(key: string): Subject {
    return { what: `the object ${key} of the bucket ${this.#bucket}`, remote: text(this.#settings, 'endpoint') };
  }

  #customer() {
    if (!this.#customerKey) return {};
    return {
      SSECustomerAlgorithm: 'AES256',
      SSECustomerKey: Buffer.from(this.#customerKey).toString('base64'),
      SSECustomerKeyMD5: createHash('md5').update(this.#customerKey).digest('base64'),
    };
  }

  #encryption(key: string): Record<string, string> {
    const options = (this.#settings['encryptionOptions'] ?? {}) as Settings;
    const { SSECustomerAlgorithm, SSECustomerKey, SSECustomerKeyMD5 } = this.#customer();
    const kmsKey = text(options, 'kmsKeyId');
    if (kmsKey && SSECustomerKey)
      throw invalid(
        's3.encryptionOptions',
        `The object ${key} would be encrypted with two keys`,
        'Keep kmsKeyId or serverSideCustomerKeySecret',
      );
    if (SSECustomerAlgorithm && SSECustomerKey && SSECustomerKeyMD5)
      return {
        [`${sse}-customer-algorithm`]: SSECustomerAlgorithm,
        [`${sse}-customer-key`]: SSECustomerKey,
        [`${sse}-customer-key-md5`]: SSECustomerKeyMD5,
      };
    if (options['enableEncryption'] !== true) return {};
    if (!kmsKey) return { [sse]: 'AES256' };
    const context = text(options, 'kmsEncryptionContext');
    return {
      [sse]: 'aws:kms',
      [`${sse}-aws-kms-key-id`]: kmsKey,
      ...(context ? { [`${sse}-context`]: Buffer.from(context).toString('base64') } : {}),
    };
  }
}

interface Upload {
  readonly id: string;
  readonly parts: { part: number; etag: string }[];
}

interface Parts {
  readonly bucket: string;
  readonly key: string;
  readonly connect: () => Client;
  readonly customerKey: string | undefined;
  readonly agent: GuardedAgent | GuardedSecureAgent;
}

interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken?: string;
}

/** Keys of Secrets, else a role that is assumed, else what the pod has; none for public buckets, as a store without Secrets is read. */
async function credentialsOf(settings: Settings, access: ArtifactAccess, region: string): Promise<Keys> {
  const [accessKey, secretKey, sessionToken] = await Promise.all([
    secretOf(access, settings, 'accessKeySecret'),
    secretOf(access, settings, 'secretKeySecret'),
    secretOf(access, settings, 'sessionTokenSecret'),
  ]);
  if (accessKey && secretKey)
    return {
      accessKey: accessKey.trim(),
      secretKey: secretKey.trim(),
      ...(sessionToken ? { sessionToken: sessionToken.trim() } : {}),
    };
  const roleARN = text(settings, 'roleARN');
  if (!roleARN && settings['useSDKCreds'] !== true) return { accessKey: '', secretKey: '' };
  checkAmbient('s3', access);
  const { fromNodeProviderChain, fromTemporaryCredentials } = await import('@aws-sdk/credential-providers');
  const provider = roleARN
    ? fromTemporaryCredentials({
        params: { RoleArn: roleARN, RoleSessionName: 'tiphys-artifacts' },
        clientConfig: { region: region || 'us-east-1' },
      })
    : fromNodeProviderChain();
  try {
    const { accessKeyId, secretAccessKey, sessionToken: token } = await provider();
    return { accessKey: accessKeyId, secretKey: secretAccessKey, ...(token ? { sessionToken: token } : {}) };
  } catch (error) {
    throw broken({ what: 'the credentials of this process', remote: 'AWS' }, error);
  }
}

function failureOf(subject: Subject, error: unknown) {
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string };
  if (code === 'NoSuchKey' || code === 'NotFound') return missing(subject, error);
  const status = statusCode ?? statuses[code ?? ''];
  return status ? answered(subject, status, `${code ?? ''} ${message ?? ''}`.trim()) : broken(subject, error);
}

/** The client tells codes, and not always statuses. */
const statuses: Readonly<Record<string, number>> = {
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  SignatureDoesNotMatch: 403,
  ExpiredToken: 403,
  InvalidTokenId: 403,
  NoSuchBucket: 404,
  SlowDown: 503,
  InternalError: 500,
};
