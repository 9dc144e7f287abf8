import { Buffer } from 'node:buffer';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import type { KeySelector } from '../spec/common.ts';

const keyMissing = defineDiagnosis(
  'EventsKeyMissing',
  'An EventSource or a Sensor names a key of a Secret or ConfigMap that is not there',
);

/** Reads what a spec names by Secret and ConfigMap. */
export interface KeyReader {
  /** Throws a diagnosis if the key is not there. */
  secret(selector: KeySelector): Promise<string>;
  configMap(selector: KeySelector): Promise<string>;
}

/** Reads them from the cluster, anew each time: a rotated credential counts at once. */
export function clusterKeys(client: Client, namespace: string): KeyReader {
  const read = async (kind: 'Secret' | 'ConfigMap', { name = '', key }: KeySelector) => {
    const object = await client.find({ apiVersion: 'v1', kind, namespace, name });
    const value = ((object?.data ?? {}) as Record<string, string>)[key];
    if (value === undefined) throw keyMissingIn(kind, `${namespace}/${name}`, key);
    return kind === 'Secret' ? Buffer.from(value, 'base64').toString('utf8') : value;
  };
  return { secret: (selector) => read('Secret', selector), configMap: (selector) => read('ConfigMap', selector) };
}

/** What to throw for a key that is not there. */
export function keyMissingIn(kind: string, name: string, key: string) {
  return failure(keyMissing, {
    message: `${kind} ${name} has no key ${JSON.stringify(key)}`,
    place: { object: `${kind} ${name}`, field: `data.${key}` },
    remedies: [`Make the ${kind} with this key, or correct the reference`],
  });
}
