import type { ArtifactLocation } from '../model/types.ts';
import { paths } from './pod-request.ts';
import type { Volume, VolumeMount } from './shapes.ts';

interface SecretKey {
  name?: string;
  key?: string;
}

/** Volumes with the keys of Secrets that the executor needs to reach artifacts, and where it finds them. */
export function secretVolumes(locations: readonly (ArtifactLocation | undefined)[]): {
  volumes: Volume[];
  mounts: VolumeMount[];
} {
  const items = new Map<string, Set<string>>();
  for (const location of locations) collect(location, items);
  const volumes = [...items].map(([name, keys]) => ({
    name,
    secret: { secretName: name, items: [...keys].map((key) => ({ key, path: key })) },
  }));
  const mounts = volumes.map(({ name }) => ({ name, mountPath: `${paths.secrets}/${name}`, readOnly: true }));
  return { volumes, mounts };
}

const drivers = ['s3', 'git', 'artifactory', 'hdfs', 'oss', 'gcs', 'http', 'azure'] as const;

/** Every reference to a key of a Secret below a driver's settings; such fields end in `Secret`. */
function collect(location: ArtifactLocation | undefined, items: Map<string, Set<string>>): void {
  for (const driver of drivers) {
    const settings = location?.[driver];
    if (settings) visit(settings, items);
  }
}

function visit(value: object, items: Map<string, Set<string>>): void {
  for (const [field, inner] of Object.entries(value)) {
    if (inner === null || typeof inner !== 'object') continue;
    const { name, key } = inner as SecretKey;
    if (field.endsWith('Secret') && name && key) {
      const keys = items.get(name);
      if (keys) keys.add(key);
      else items.set(name, new Set([key]));
    } else visit(inner, items);
  }
}
