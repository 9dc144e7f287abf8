import { posix } from 'node:path';
import { hasLocationOrKey } from '../model/artifacts.ts';
import type { Template } from '../model/types.ts';
import { type PodRequest, PodRequestError, paths } from './pod-request.ts';
import { secretVolumes } from './secret-volumes.ts';
import type { Container, Volume, VolumeMount } from './shapes.ts';

/** A pod while it is put together. */
export interface Draft {
  readonly containers: Container[];
  readonly initContainers: Container[];
  readonly volumes: Volume[];
}

export function mountsOf(template: Template): VolumeMount[] {
  const { container, script, containerSet } = template;
  return container?.volumeMounts ?? script?.volumeMounts ?? containerSet?.volumeMounts ?? [];
}

/** Adds volumes that containers mount, from the template, the workflow and its claims. Throws if there is no such volume. */
export function addMountedVolumes(request: PodRequest, draft: Draft): void {
  const { template, volumes, claims } = request;
  const known = [...(template.volumes ?? []), ...volumes, ...claims];
  const mounted = [
    ...mountsOf(template),
    ...(template.containerSet?.containers ?? []).flatMap(({ volumeMounts }) => volumeMounts ?? []),
    ...(template.initContainers ?? []).flatMap(({ volumeMounts }) => volumeMounts ?? []),
    ...(template.sidecars ?? []).flatMap(({ volumeMounts }) => volumeMounts ?? []),
  ];
  for (const { name } of mounted) {
    const volume = known.find((candidate) => candidate.name === name);
    if (!volume) throw new PodRequestError(`volume '${name}' not found in workflow spec`);
    if (!draft.volumes.some((candidate) => candidate.name === name)) draft.volumes.push(volume);
  }
}

/** Gives the executor the Secrets that it needs to reach artifacts. */
export function addSecrets({ template }: PodRequest, draft: Draft): void {
  const { volumes, mounts } = secretVolumes([
    template.archiveLocation,
    ...(template.outputs?.artifacts ?? []),
    ...(template.inputs?.artifacts ?? []),
    template.data?.source.artifactPaths,
    template.resource?.manifestFrom?.artifact,
  ]);
  draft.volumes.push(...volumes);
  const readers = draft.containers.filter(({ name }) => name === 'wait' || (name === 'main' && template.data));
  for (const container of [...readers, ...draft.initContainers.filter(({ name }) => name === 'init')])
    container.volumeMounts = [...(container.volumeMounts ?? []), ...mounts];
}

/** Artifacts that `init` fetches and `main` finds at their paths. */
export function addInputArtifacts({ template }: PodRequest, draft: Draft): void {
  const artifacts = template.inputs?.artifacts ?? [];
  if (artifacts.length === 0) return;
  draft.volumes.push({ name: 'input-artifacts', emptyDir: {} });
  const init = draft.initContainers.find(({ name }) => name === 'init');
  const mirrored = mountsOf(template).map((mount) => ({ ...mount, mountPath: mirrorPath(mount.mountPath) }));
  if (init)
    init.volumeMounts = [
      ...(init.volumeMounts ?? []),
      { name: 'input-artifacts', mountPath: paths.inputs },
      ...mirrored,
    ];
  const main = draft.containers.find(({ name }) => name === 'main');
  if (!main) return;
  for (const artifact of artifacts) {
    if (!artifact.path) throw new PodRequestError(`error in inputs.artifacts.${artifact.name}: path is required`);
    if (artifact.path.split('/').includes('..'))
      throw new PodRequestError(
        `error in inputs.artifacts.${artifact.name}: directory traversal is not permitted, "${artifact.path}" attempted`,
      );
    const path = posix.normalize(artifact.path);
    if ((!hasLocationOrKey(artifact) && artifact.optional) || overlaps(template, path)) continue;
    main.volumeMounts = [
      ...(main.volumeMounts ?? []),
      { name: 'input-artifacts', mountPath: path, subPath: artifact.name },
    ];
  }
}

/** True if a path lies in a volume that the user mounts: then the artifact is put into that. */
function overlaps(template: Template, path: string): boolean {
  return mountsOf(template).some(({ mountPath }) => {
    const base = posix.normalize(mountPath).replace(/\/$/, '');
    return path === base || path.startsWith(`${base}/`);
  });
}

/** The executor sees the user's volumes under a folder of its own, to collect outputs from them. */
export function mirrorOutputs({ template }: PodRequest, draft: Draft): void {
  if (template.resource || template.data) return;
  const main = draft.containers.find(({ name }) => name === 'main');
  const wait = draft.containers.find(({ name }) => name === 'wait');
  if (!main || !wait) return;
  const taken = new Set((wait.volumeMounts ?? []).map(({ mountPath }) => mountPath));
  const mirrored: VolumeMount[] = [];
  for (const mount of main.volumeMounts ?? []) {
    const mountPath = mirrorPath(mount.mountPath);
    if (taken.has(mountPath)) continue;
    taken.add(mountPath);
    const { readOnly, ...rest } = mount;
    mirrored.push({ ...rest, mountPath });
  }
  wait.volumeMounts = [...(wait.volumeMounts ?? []), ...mirrored];
}

function mirrorPath(path: string): string {
  return posix.join(paths.mirror, path);
}

/** Scripts lie in a volume of their own. */
export function addScriptVolume(draft: Draft): void {
  draft.volumes.push({ name: 'argo-staging', emptyDir: {} });
  const mount = { name: 'argo-staging', mountPath: paths.staging };
  for (const container of [...draft.initContainers, ...draft.containers])
    if (container.name === 'init' || container.name === 'main')
      container.volumeMounts = [...(container.volumeMounts ?? []), mount];
}
