import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type Client, isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import { asBefore } from '@tiphys/self-management';
import type { OldInstallation } from './installation.ts';

const packed = promisify(gzip);
const unpacked = promisify(gunzip);
const name = 'tiphys-takeover';
/** Bytes of a record once unpacked. */
const largest = 64 << 20;

const ref = (namespace: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace, name });

/** Keeps what Argo CD was in a Secret. What is recorded already stays: it is from before the first take-over. */
export async function recordInstallation(
  client: Client,
  namespace: string,
  { objects }: OldInstallation,
): Promise<void> {
  const record = (await packed(JSON.stringify(objects.map(asBefore)))).toString('base64');
  const metadata = { name, namespace };
  try {
    await client.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { record } }, { fieldManager: 'tiphys' });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** What was recorded; undefined if nothing was taken over here. */
export async function recordedInstallation(client: Client, namespace: string): Promise<KubeObject[] | undefined> {
  const secret = await client.find(ref(namespace));
  const text = ((secret?.data ?? {}) as Record<string, string>).record;
  if (!text) return undefined;
  const bytes = await unpacked(Buffer.from(text, 'base64'), { maxOutputLength: largest });
  return JSON.parse(bytes.toString('utf8')) as KubeObject[];
}

/** After the way back nothing is taken over any more. */
export async function forgetInstallation(client: Client, namespace: string): Promise<void> {
  await client.delete(ref(namespace));
}
