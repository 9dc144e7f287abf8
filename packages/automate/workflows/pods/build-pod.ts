import { workflowNames } from '@tiphys/api';
import { goDurationText } from '@tiphys/go';
import { hasLocation, repositoryLocation } from '../model/artifacts.ts';
import type { ArtifactRepository, Pod, PodSpec, Template, WorkflowSpec } from '../model/types.ts';
import { substitute } from '../text/substitute.ts';
import { addArtifactPlugins } from './artifact-plugins.ts';
import { execContainer, executorAccount, logOptions, withContainerDefaults } from './exec-container.ts';
import { activeDeadline } from './pod-deadline.ts';
import { addEnvironment } from './pod-environment.ts';
import { offloadLargeTexts } from './pod-offload.ts';
import { patchPodSpec, podVariables } from './pod-patch.ts';
import { type PodRequest, PodRequestError, paths } from './pod-request.ts';
import { addMetadata, addScheduling } from './pod-scheduling.ts';
import {
  addInputArtifacts,
  addMountedVolumes,
  addScriptVolume,
  addSecrets,
  type Draft,
  mirrorOutputs,
} from './pod-volumes.ts';
import type { Container } from './shapes.ts';

export interface BuiltPod {
  readonly pod: Pod;
  /** What is too large for the pod itself. */
  readonly configMap?: { metadata: Pod['metadata']; data: Record<string, string> };
}

const { labels, annotations, finalizers } = workflowNames;

/**
 * The pod of a node, as Argo Workflows' executor expects it: `init` fetches, `main` runs below the emissary, `wait` reports.
 * Undefined if the workflow's time is over. Throws an error with what is wrong.
 */
export function buildPod(given: PodRequest): BuiltPod | undefined {
  const request = { ...given, template: withArchiveLocation(given) };
  const deadline = activeDeadline(request);
  if (deadline === 'too-late') return undefined;
  const { template } = request;
  const draft: Draft = { containers: [], initContainers: [], volumes: baseVolumes(request) };
  draft.initContainers.push(execContainer(request, 'init', ['init']));
  const saves = isArchivingLogs(request.template);
  if ((!template.resource && !template.data) || (template.resource && saves))
    draft.containers.push(execContainer(request, 'wait', ['wait']));
  for (const container of request.mainContainers)
    draft.containers.push(withContainerDefaults(request, mainContainer(request, container)));
  addMountedVolumes(request, draft);
  addSecrets(request, draft);
  addInputArtifacts(request, draft);
  if (template.script) addScriptVolume(draft);
  addUserContainers(template, draft);
  mirrorOutputs(request, draft);
  addArtifactPlugins(request, draft);
  addEnvironment(request, draft);
  for (const container of draft.initContainers) mount(container, { name: 'var-run-argo', mountPath: paths.run });
  const pod = assemble(request, draft, deadline);
  const filled = substitute(pod, podVariables(request));
  filled.spec = patchPodSpec(request, filled.spec);
  wrapCommands(request, filled.spec);
  return offloadLargeTexts(request, filled);
}

function mainContainer({ template }: PodRequest, container: Container): Container {
  return { ...container, name: template.containerSet ? container.name || 'main' : 'main' };
}

function baseVolumes({ settings, template }: PodRequest): Draft['volumes'] {
  const { kubeConfig } = settings;
  return [
    ...(kubeConfig
      ? [{ name: kubeConfig.volumeName || 'kubeconfig', secret: { secretName: kubeConfig.secretName } }]
      : []),
    { name: 'var-run-argo', emptyDir: {} },
    { name: 'tmp-dir-argo', emptyDir: {} },
    ...(template.volumes ?? []),
  ];
}

function addUserContainers({ initContainers = [], sidecars = [] }: Template, draft: Draft): void {
  const main = draft.containers.find(({ name }) => name === 'main');
  const add = (list: Container[], users: readonly Template['sidecars'][]) => {
    for (const { mirrorVolumeMounts, ...container } of users.flatMap((group) => group ?? [])) {
      const mirrored = mirrorVolumeMounts ? (main?.volumeMounts ?? []) : [];
      list.push({ ...container, volumeMounts: [...(container.volumeMounts ?? []), ...mirrored] });
    }
  };
  add(draft.initContainers, [initContainers]);
  add(draft.containers, [sidecars]);
}

function assemble(request: PodRequest, draft: Draft, deadline: number | undefined): Pod {
  const { workflow, nodeName, nodeId, isOnExit, settings, spec: workflowSpec } = request;
  const main = draft.containers.find(({ name }) => name === 'main') ?? draft.containers.at(-1);
  const metadata: Pod['metadata'] = {
    name: request.podName,
    namespace: request.namespace,
    labels: {
      [labels.workflow]: workflow.name,
      [labels.completed]: 'false',
      ...(isOnExit ? { [labels.onExit]: 'true' } : {}),
      ...(settings.instanceId ? { [labels.instance]: settings.instanceId } : {}),
    },
    annotations: {
      [annotations.nodeName]: nodeName,
      [annotations.nodeId]: nodeId,
      [annotations.defaultContainer]: main?.name ?? 'main',
      ...podGC(workflowSpec, settings.podGCDeleteDelay),
    },
    ownerReferences: [ownerOf(workflow)],
    ...(settings.podStatusFinalizer ? { finalizers: [finalizers.podStatus] } : {}),
  };
  const spec: PodSpec = {
    restartPolicy: 'Never',
    volumes: draft.volumes,
    initContainers: draft.initContainers,
    containers: draft.containers,
    ...(deadline === undefined ? {} : { activeDeadlineSeconds: deadline }),
  };
  addScheduling(request, spec);
  addMetadata(request, metadata);
  addServiceAccount(request, spec);
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

/** Makes an object go with its workflow. */
export function ownerOf({ name, uid }: { name: string; uid: string }) {
  return {
    apiVersion: workflowNames.apiVersion,
    kind: 'Workflow',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

function podGC({ podGC }: WorkflowSpec, delay = 5000): Record<string, string> {
  if (!podGC) return {};
  return {
    [annotations.podGCStrategy]: `${podGC.strategy ?? ''}/${podGC.deleteDelayDuration || goDurationText(delay)}`,
  };
}

function addServiceAccount(request: PodRequest, spec: PodSpec): void {
  const { template, spec: workflow } = request;
  const account = template.serviceAccountName || workflow.serviceAccountName;
  if (account) spec.serviceAccountName = account;
  const isMounted = template.automountServiceAccountToken ?? workflow.automountServiceAccountToken;
  if (isMounted === false) spec.automountServiceAccountToken = false;
  const executor = executorAccount(request);
  if (executor) {
    spec.volumes = [
      ...(spec.volumes ?? []),
      { name: 'exec-sa-token', secret: { secretName: `${executor}.service-account-token` } },
    ];
  } else if (isMounted === false) {
    throw new PodRequestError('executor.serviceAccountName must not be empty if automountServiceAccountToken is false');
  }
}

/** Where outputs and logs go that say nothing else: the workflow's repository. */
function withArchiveLocation({ template, repository, spec }: PodRequest): Template {
  if (hasLocation(template.archiveLocation)) return template;
  const archiveLogs = archivesLogs(template, repository, spec);
  const artifacts = [
    ...(template.inputs?.artifacts ?? []),
    ...(template.outputs?.artifacts ?? []),
    ...(template.data?.source.artifactPaths ? [template.data.source.artifactPaths] : []),
  ];
  if (!archiveLogs && artifacts.every((artifact) => hasLocation(artifact))) return template;
  return { ...template, archiveLocation: { ...repositoryLocation(repository), archiveLogs } };
}

function archivesLogs(template: Template, repository: ArtifactRepository | undefined, spec: WorkflowSpec): boolean {
  if (repository?.archiveLogs) return true;
  return template.archiveLocation?.archiveLogs ?? spec.archiveLogs ?? false;
}

function isArchivingLogs({ archiveLocation }: Template): boolean {
  return archiveLocation?.archiveLogs === true;
}

function mount(container: Container, volume: { name: string; mountPath: string; subPath?: string }): void {
  container.volumeMounts = [...(container.volumeMounts ?? []), volume];
}

/** The user's command runs below the emissary, which records how it ends and passes signals on. */
function wrapCommands(request: PodRequest, spec: PodSpec): void {
  const { settings } = request;
  const { terminationGracePeriodSeconds: grace } = spec;
  for (const [index, container] of spec.containers.entries()) {
    if (container.name !== 'wait' && settings.wrapsCommands !== false) wrap(request, container);
    if (container.image === settings.executorImage || (settings.ownTemporary && !mountsAt(container, '/tmp')))
      mount(container, { name: 'tmp-dir-argo', mountPath: '/tmp', subPath: String(index) });
    mount(container, { name: 'var-run-argo', mountPath: paths.run });
    if (grace !== undefined)
      container.env = [
        ...(container.env ?? []),
        { name: 'ARGO_TERMINATION_GRACE_PERIOD_SECONDS', value: String(grace) },
      ];
  }
}

function mountsAt({ volumeMounts = [] }: Container, path: string): boolean {
  return volumeMounts.some(({ mountPath }) => mountPath.replace(/(?<!\/)\/+$/, '') === path);
}

function wrap(request: PodRequest, container: Container): void {
  if (!container.command?.length) {
    const { entrypoint = [], cmd } = request.imageCommand(container.image ?? '');
    container.command = entrypoint;
    if (!container.args && cmd) container.args = cmd;
  }
  const emissary = request.settings.emissaryCommand ?? [`${paths.run}/argoexec`, 'emissary'];
  container.command = [...emissary, ...logOptions(request.settings), '--', ...container.command];
}
