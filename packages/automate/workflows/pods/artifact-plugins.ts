import { pluginOf } from '../model/artifacts.ts';
import type { MachineSettings } from '../model/settings.ts';
import type { ArtifactLocation, Template } from '../model/types.ts';
import { execContainer } from './exec-container.ts';
import { type PodRequest, PodRequestError, paths } from './pod-request.ts';
import type { Draft } from './pod-volumes.ts';
import type { Container, Volume, VolumeMount } from './shapes.ts';

/**
 * Adds the drivers of artifact plugins that a template uses: sidecars of Kubernetes' own kind, which run from before `init` until the last container
 * has ended, so that one serves inputs and outputs, and nobody has to end it. What the inputs hold is loaded by a container behind `init`.
 */
export function addArtifactPlugins(request: PodRequest, draft: Draft): void {
  const { template, settings } = request;
  const inputs = pluginsOf(template.inputs?.artifacts ?? [], template.archiveLocation);
  const outputs = pluginsOf(outputsOf(template), template.archiveLocation);
  const names = [...new Set([...inputs, ...outputs])];
  if (names.length === 0) return;
  const init = draft.initContainers.find(({ name }) => name === 'init');
  const wait = draft.containers.find(({ name }) => name === 'wait');
  const sees = uniqueMounts([...(init?.volumeMounts ?? []), ...(wait?.volumeMounts ?? [])].filter(isShared));
  const sidecars = names.map((name) => pluginSidecar(settings, name, sees));
  const loaders = inputs.map((name) => loader(request, name, (init?.volumeMounts ?? []).filter(isShared)));
  const mounts = names.map(pluginMount);
  const readers = [
    ...loaders,
    ...draft.containers.filter(({ name }) => name === 'wait' || (name === 'main' && template.data)),
  ];
  for (const container of readers) container.volumeMounts = [...(container.volumeMounts ?? []), ...mounts];
  for (const container of [wait, ...sidecars])
    if (container) container.volumeMounts = [...(container.volumeMounts ?? []), staging];
  draft.volumes.push(...names.map(pluginVolume));
  const at = draft.initContainers.findIndex(({ name }) => name === 'init');
  draft.initContainers.splice(at + 1, 0, ...loaders);
  draft.initContainers.unshift(...sidecars);
}

/** Names of the plugins that artifacts of these locations need; those with a key alone need that of `archive`. */
export function pluginsOf(artifacts: readonly ArtifactLocation[], archive: ArtifactLocation | undefined): string[] {
  const names = artifacts.map((artifact) => pluginOf(artifact, archive));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The container in which a plugin's driver runs: of its own image, which is told where to listen. Throws if no driver has the name. */
export function pluginSidecar(
  { artifactDrivers = [], images = {}, executor }: MachineSettings,
  name: string,
  mounts: readonly VolumeMount[],
): Container {
  const image = artifactDrivers.find((driver) => driver.name === name)?.image;
  if (!image)
    throw new PodRequestError(
      `artifact driver ${name} not found: list it with its image in artifactDrivers of workflow-controller-configmap`,
    );
  const entrypoint = Object.hasOwn(images, image) ? images[image]?.entrypoint : undefined;
  return {
    name: `artifact-plugin-${name}`,
    image,
    ...(entrypoint ? { command: entrypoint } : {}),
    args: [`${folderOf(name)}/socket`],
    env: [...(executor?.env ?? [])],
    ...(executor?.resources ? { resources: executor.resources } : {}),
    ...(executor?.securityContext ? { securityContext: executor.securityContext } : {}),
    volumeMounts: [pluginMount(name), ...mounts],
    restartPolicy: 'Always',
  };
}

export function pluginVolume(name: string): Volume {
  return { name: `artifact-plugin-${name}`, emptyDir: {} };
}

export function pluginMount(name: string): VolumeMount {
  return { name: `artifact-plugin-${name}`, mountPath: folderOf(name) };
}

/** Where plugins find what `wait` has packed for them. */
const staging: VolumeMount = { name: 'tmp-dir-argo', mountPath: '/tmp/argo/outputs', subPath: 'argo/outputs' };

function folderOf(name: string): string {
  return `/tmp/artifact-plugins/${name}`;
}

function outputsOf({ outputs, archiveLocation, data }: Template): ArtifactLocation[] {
  return [
    ...(outputs?.artifacts ?? []),
    ...(archiveLocation?.archiveLogs ? [{}] : []),
    ...(data?.source.artifactPaths ? [data.source.artifactPaths] : []),
  ];
}

/** The command behind `--` is the plugin in upstream's pods; here that runs already, and it may be any. */
function loader(request: PodRequest, name: string, mounts: readonly VolumeMount[]): Container {
  const container = execContainer(request, `init-artifact-${name}`, ['artifact-plugin-init', '--plugin-name', name]);
  const command = request.settings.executorCommand ?? ['argoexec'];
  container.command = [...(container.command ?? []), '--', ...command, 'version'];
  container.volumeMounts = [...(container.volumeMounts ?? []), ...mounts];
  return container;
}

/** Plugins see artifacts, and no Secrets. */
function isShared({ mountPath }: VolumeMount): boolean {
  return mountPath === paths.inputs || mountPath === paths.mirror || mountPath.startsWith(`${paths.mirror}/`);
}

function uniqueMounts(mounts: readonly VolumeMount[]): VolumeMount[] {
  return [...new Map(mounts.map((mount) => [mount.mountPath, mount])).values()];
}
