import { posix } from 'node:path';
import type { flow } from '@tiphys/api';

export type Template = flow.Template;
export type Artifact = flow.Artifact;
export type ArtifactLocation = flow.ArtifactLocation;
export type Outputs = flow.Outputs;

/** Containers whose end is the end of the node. */
export function mainContainers({ containerSet }: Template): string[] {
  return containerSet ? containerSet.containers.map(({ name }) => name) : ['main'];
}

/** True if a container `main` will be there whose output can be the result. */
export function hasResult({ container, script, containerSet, data }: Template): boolean {
  return Boolean(container || script || data || containerSet?.containers.some(({ name }) => name === 'main'));
}

export function savesLogs({ archiveLocation }: Template): boolean {
  return archiveLocation?.archiveLogs === true;
}

function userMounts({ container, script, containerSet }: Template): readonly { mountPath: string }[] {
  return container?.volumeMounts ?? script?.volumeMounts ?? containerSet?.volumeMounts ?? [];
}

/** True if a path of the main container is on a volume that the user mounts. */
export function isOnVolume(template: Template, path: string): boolean {
  return userMounts(template).some(({ mountPath }) => isWithin(path, mountPath));
}

/**
 * True if only the main container itself can read a path: it is neither on a volume of the user's nor an input artifact, which is a
 * volume too. One that is optional and was not given is none.
 */
export function isOwnFile(template: Template, path: string): boolean {
  if (isOnVolume(template, path)) return false;
  for (const input of template.inputs?.artifacts ?? []) {
    if (input.path === path) return Boolean(input.optional) && !hasPlace(input);
    if (input.path && path.startsWith(`${input.path}/`)) return false;
  }
  return true;
}

function isWithin(path: string, folder: string): boolean {
  const relative = posix.relative(posix.normalize(folder), posix.normalize(path));
  return relative !== '..' && !relative.startsWith('../');
}

function hasPlace(artifact: Artifact): boolean {
  const { s3, git, http, artifactory, hdfs, raw, oss, gcs, azure, plugin } = artifact;
  return [s3, git, http, artifactory, hdfs, raw, oss, gcs, azure, plugin].some((place) => place !== undefined);
}
