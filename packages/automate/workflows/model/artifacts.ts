import type { Artifact, ArtifactLocation, ArtifactRepository } from './types.ts';

const keyed = ['s3', 'oss', 'gcs', 'plugin'] as const;

/** The driver of a location; undefined if it names none. */
export function driverOf(location: ArtifactLocation | undefined): string | undefined {
  if (!location) return undefined;
  const { s3, git, http, artifactory, hdfs, raw, oss, gcs, azure, plugin } = location;
  const drivers = { s3, git, http, artifactory, hdfs, raw, oss, gcs, azure, plugin };
  return Object.entries(drivers).find(([, value]) => value)?.[0];
}

/** The key of a location inside its store; undefined if its driver has none or none is given. */
export function keyOf(location: ArtifactLocation): string | undefined {
  const driver = driverOf(location);
  if (driver === 'azure') return location.azure?.blob || undefined;
  if (driver === 'hdfs') return location.hdfs?.path || undefined;
  if (driver === 'http' || driver === 'artifactory') {
    const url = (location[driver] as { url: string }).url;
    return URL.canParse(url) ? new URL(url).pathname : undefined;
  }
  return (keyed as readonly string[]).includes(driver ?? '') ? location[driver as 's3']?.key || undefined : undefined;
}

/** The same location with another key. Throws an error if its driver has no keys. */
export function withKey<T extends ArtifactLocation>(location: T, key: string): T {
  const driver = driverOf(location);
  switch (driver) {
    case 's3':
    case 'oss':
    case 'gcs':
    case 'plugin':
      return { ...location, [driver]: { ...location[driver], key } };
    case 'azure':
      return { ...location, azure: { ...location.azure, blob: key } };
    case 'hdfs':
      return { ...location, hdfs: { ...location.hdfs, path: key } };
    case 'http':
    case 'artifactory': {
      const url = new URL((location[driver] as { url: string }).url);
      url.pathname = key;
      return { ...location, [driver]: { ...location[driver], url: url.href } };
    }
    default:
      throw new Error(
        `key unsupported: cannot set key for artifact without a keyed driver${driver ? ` (${driver})` : ''}`,
      );
  }
}

/** True if a location says enough to find the thing without a repository's settings. */
export function hasLocation(location: ArtifactLocation | undefined): boolean {
  if (!location) return false;
  const { s3, git, http, artifactory, hdfs, raw, oss, gcs, azure, plugin } = location;
  return Boolean(
    (s3?.endpoint && s3.bucket && s3.key) ||
      git?.repo ||
      http?.url ||
      artifactory?.url ||
      (hdfs && (hdfs.addresses as unknown[] | undefined)?.length) ||
      raw !== undefined ||
      (oss?.bucket && oss.endpoint && oss.key) ||
      (gcs?.bucket && gcs.key) ||
      (azure?.container && azure.blob) ||
      (plugin?.name && plugin.key),
  );
}

export function hasLocationOrKey(location: ArtifactLocation): boolean {
  return hasLocation(location) || Boolean(keyOf(location));
}

/** The plugin that keeps an artifact: that of its own location, else of the one around it; undefined where none does. */
export function pluginOf(artifact: ArtifactLocation, archive: ArtifactLocation | undefined): string | undefined {
  return artifact.plugin?.name || (hasLocation(artifact) ? undefined : archive?.plugin?.name) || undefined;
}

/** The location of an artifact with all that its store needs: its own, else its key in another one. Throws if neither says it. */
export function locationIn(artifact: ArtifactLocation, archive: ArtifactLocation | undefined): ArtifactLocation {
  if (hasLocation(artifact)) return artifact;
  const key = keyOf(artifact);
  if (!archive || !driverOf(archive)) throw new Error('template artifact location not set');
  if (key === undefined) throw new Error('the artifact has neither a location nor a key');
  return withKey(archive, key);
}

/** Where a repository puts what says nothing else: its location with `keyFormat` (or its peers) as the key. */
export function repositoryLocation(repository: ArtifactRepository | undefined): ArtifactLocation | undefined {
  const driver = driverOf(repository);
  if (!repository || !driver) return undefined;
  const { keyFormat, keyPrefix, repoURL, blobNameFormat, pathFormat, ...rest } = (
    repository as Record<string, unknown>
  )[driver] as Record<string, unknown>;
  const standard = '{{workflow.name}}/{{pod.name}}';
  switch (driver) {
    case 'azure':
      return { azure: { ...rest, blob: String(blobNameFormat || standard) } };
    case 'hdfs':
      return { hdfs: { ...rest, path: String(pathFormat ?? '') } };
    case 'artifactory': {
      const base = String(repoURL ?? '');
      return { artifactory: { ...rest, url: `${base.replace(/\/$/, '')}/${String(keyFormat || standard)}` } };
    }
    case 's3':
      return { s3: { ...rest, key: String(keyFormat || (keyPrefix ? `${keyPrefix}/${standard}` : standard)) } };
    default:
      return { [driver]: { ...rest, key: String(keyFormat || standard) } };
  }
}

/** True if a value of a variable is an artifact. */
export function isArtifact(value: unknown): value is Artifact {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
