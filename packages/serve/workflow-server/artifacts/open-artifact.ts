import type { flow } from '@tiphys/api';
import { type ArtifactStore, isMissing, openStore } from '@tiphys/artifacts';
import type { KubeObject } from '@tiphys/kubernetes';
import { notFound } from '@tiphys/server';
import type { FlowCall } from '../common/caller.ts';
import type { ServerParts } from '../common/server-parts.ts';
import type { ArtifactPlace } from './artifact-place.ts';

/** How many files of a folder are listed. */
const most = 10_000;

/** The store of an artifact, read with the Secrets of `namespace` that the caller may read. It is to be closed. */
export async function openArtifact(
  { client, signal }: FlowCall,
  namespace: string,
  place: ArtifactPlace,
  { env }: Pick<ServerParts, 'env'>,
): Promise<ArtifactStore> {
  return await openStore(place.location, {
    ambient: mayUseIdentity(place, env),
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

/**
 * Whether a store may be asked with the server's own identity: that of the installation, and those that its administrator lists. The endpoint
 * counts, too: whoever names another one would be sent what proves the identity.
 */
export function mayUseIdentity({ location, isInstallations }: ArtifactPlace, env: ServerParts['env']): boolean {
  if (isInstallations) return true;
  const listed = (env.TIPHYS_WORKFLOWS_SDK_CREDS ?? '').split(',').map((entry) => entry.trim());
  const store = storeText(location);
  return store !== undefined && listed.includes(store);
}

function storeText({ s3, gcs, azure, oss }: flow.ArtifactLocation): string | undefined {
  const bare = (endpoint: unknown) =>
    String(endpoint ?? '')
      .replace(/^https:\/\//, '')
      .replace(/\/$/, '');
  if (s3) return `s3/${bare(s3.endpoint || 's3.amazonaws.com')}/${s3.bucket}`;
  if (gcs) return `gcs/${gcs.bucket}`;
  if (azure) return `azure/${bare(azure.endpoint)}/${azure.container}`;
  return oss ? `oss/${bare(oss.endpoint)}/${oss.bucket}` : undefined;
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
