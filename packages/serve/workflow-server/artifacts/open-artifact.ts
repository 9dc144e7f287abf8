import { type ArtifactStore, isMissing, openStore } from '@tiphys/artifacts';
import type { KubeObject } from '@tiphys/kubernetes';
import { notFound } from '@tiphys/server';
import type { FlowCall } from '../common/caller.ts';
import type { ArtifactPlace } from './artifact-place.ts';

/** How many files of a folder are listed. */
const most = 10_000;

/** The store of an artifact, read with the Secrets of `namespace` that the caller may read. It is to be closed. */
export async function openArtifact(
  { client, signal }: FlowCall,
  namespace: string,
  { location, isInstallations }: ArtifactPlace,
): Promise<ArtifactStore> {
  return await openStore(location, {
    ambient: isInstallations,
    pluginWait: 5,
    signal,
    async secret({ name, key }) {
      const secret = await client.get<KubeObject>({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { signal });
      const data = (secret.data ?? {}) as Record<string, string>;
      const value = Object.hasOwn(data, key) ? data[key] : undefined;
      if (value === undefined) throw notFound(`Secret ${namespace}/${name} has no key ${key}`);
      return Buffer.from(value, 'base64').toString('utf8');
    },
  });
}

/** Names below the key; empty for what is no folder. */
export async function namesBelow(store: ArtifactStore): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const name of store.files()) {
      names.push(name);
      if (names.length >= most) break;
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return names;
}
