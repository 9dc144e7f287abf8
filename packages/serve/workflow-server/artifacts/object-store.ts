import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import type { KubeObject } from '@tiphys/kubernetes';
import { guarded } from '@tiphys/outbound';
import { Code, notFound, RpcError } from '@tiphys/server';
import type { FlowCall } from '../common/caller.ts';
import type { S3Place } from './artifact-place.ts';

/** How many objects of a folder are listed. */
const most = 10_000;

/** Objects of S3, read with the Secrets that the caller may read. */
export class ObjectStore {
  readonly #place: S3Place;
  readonly #client: Awaited<ReturnType<typeof connectTo>>;

  private constructor(place: S3Place, client: Awaited<ReturnType<typeof connectTo>>) {
    this.#place = place;
    this.#client = client;
  }

  /** `namespace` is that of the Secrets. */
  static async open(call: FlowCall, namespace: string, place: S3Place): Promise<ObjectStore> {
    const [accessKey, secretKey] = await Promise.all([
      secretOf(call, namespace, place.accessKeySecret),
      secretOf(call, namespace, place.secretKeySecret),
    ]);
    return new ObjectStore(place, await connectTo(place, accessKey, secretKey));
  }

  async read(): Promise<Readable> {
    const { bucket, key } = this.#place;
    try {
      return await this.#client.getObject(bucket, key);
    } catch (error) {
      if ((error as { code?: string }).code === 'NoSuchKey') throw notFound(`there is no object ${key} in ${bucket}`);
      throw unreadable(this.#place, error);
    }
  }

  /** Names below the key, the key itself left out; empty for what is no folder. */
  async below(): Promise<string[]> {
    const { bucket, key } = this.#place;
    const prefix = key.endsWith('/') ? key : `${key}/`;
    const names: string[] = [];
    try {
      for await (const { name } of this.#client.listObjectsV2(bucket, prefix, true) as AsyncIterable<{
        name?: string;
      }>) {
        if (name?.startsWith(prefix)) names.push(name.slice(prefix.length));
        if (names.length >= most) break;
      }
    } catch (error) {
      throw unreadable(this.#place, error);
    }
    return names;
  }
}

/** The workflow may name any endpoint: it is connected to as whatever else strangers name. */
async function connectTo({ endpoint, insecure, region }: S3Place, accessKey: string, secretKey: string) {
  const { Client } = await import('minio');
  const url = new URL(`${insecure ? 'http' : 'https'}://${endpoint}`);
  const options = guarded(url, false);
  return new Client({
    endPoint: url.hostname,
    ...(url.port ? { port: Number(url.port) } : {}),
    useSSL: !insecure,
    accessKey,
    secretKey,
    ...(region ? { region } : { region: 'us-east-1' }),
    transportAgent: insecure ? new HttpAgent(options) : new HttpsAgent(options),
  });
}

async function secretOf(
  { client, signal }: FlowCall,
  namespace: string,
  key: S3Place['accessKeySecret'],
): Promise<string> {
  if (!key?.name) return '';
  const secret = await client.get<KubeObject>(
    { apiVersion: 'v1', kind: 'Secret', namespace, name: key.name },
    { signal },
  );
  return Buffer.from(((secret.data ?? {}) as Record<string, string>)[key.key] ?? '', 'base64').toString('utf8');
}

function unreadable({ endpoint, bucket }: S3Place, error: unknown): RpcError {
  return new RpcError(Code.Internal, `the bucket ${bucket} at ${endpoint} cannot be read: ${String(error)}`, {
    cause: error,
  });
}
