import { failure } from '@tiphys/diagnosis';
import { artifactInvalid } from './model/diagnoses.ts';
import type { Settings } from './model/fields.ts';
import { type ArtifactKind, artifactKinds } from './model/kinds.ts';
import type { ArtifactAccess, ArtifactStore } from './model/store.ts';

const open: Readonly<Record<ArtifactKind, (settings: Settings, access: ArtifactAccess) => Promise<ArtifactStore>>> = {
  s3: async (settings, access) => (await import('./drivers/s3.ts')).S3Store.open(settings, access),
  gcs: async (settings, access) => new (await import('./drivers/gcs.ts')).GcsStore(settings, access),
  azure: async (settings, access) => (await import('./drivers/azure.ts')).AzureStore.open(settings, access),
  oss: async (settings, access) => (await import('./drivers/oss.ts')).OssStore.open(settings, access),
  hdfs: async (settings, access) => new (await import('./drivers/hdfs.ts')).HdfsStore(settings, access),
  http: async (settings, access) => (await import('./drivers/http.ts')).HttpStore.open('http', settings, access),
  artifactory: async (settings, access) =>
    (await import('./drivers/http.ts')).HttpStore.open('artifactory', settings, access),
  git: async (settings, access) => new (await import('./drivers/git.ts')).GitStore(settings, access),
  raw: async (settings) => new (await import('./drivers/raw.ts')).RawStore(settings),
  plugin: async (settings, access) => new (await import('./drivers/plugin.ts')).PluginStore(settings, access),
};

/** The kind of a location; undefined if it names none. */
export function kindOf(location: object): ArtifactKind | undefined {
  return artifactKinds.find((kind) => (location as Readonly<Record<string, unknown>>)[kind]);
}

/**
 * The store of an artifact's location, which has all it needs: what a repository adds is merged before. Throws diagnoses for fields that
 * are missing, and what `access.secret` throws. It is to be closed.
 */
export async function openStore(location: object, access: ArtifactAccess): Promise<ArtifactStore> {
  const kind = kindOf(location);
  if (!kind)
    throw failure(artifactInvalid, {
      message:
        'The artifact has no location: neither s3, gcs, azure, oss, hdfs, http, artifactory, git, raw nor plugin',
      remedies: ['Give the artifact a location or a key, or the installation a repository: artifactRepository'],
    });
  return await open[kind]((location as Record<ArtifactKind, Settings>)[kind], access);
}
