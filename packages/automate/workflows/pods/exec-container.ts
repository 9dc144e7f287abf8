import { mergeOver } from '../model/merge.ts';
import type { PodRequest } from './pod-request.ts';
import type { Container, EnvVarLike } from './shapes.ts';

const restricted = {
  capabilities: { drop: ['ALL'] },
  privileged: false,
  runAsNonRoot: true,
  runAsUser: 8737,
  allowPrivilegeEscalation: false,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** A container of the executor's image: `init`, `wait`, or `main` of resource and data templates. */
export function execContainer(request: PodRequest, name: string, command: readonly string[]): Container {
  const { settings, template, workflow } = request;
  const { executor = {} } = settings;
  const container: Container = {
    name,
    image: settings.executorImage,
    command: [...(settings.executorCommand ?? ['argoexec']), ...command, ...logOptions(settings)],
    env: environment(workflow, settings.instanceId, executor.env),
    volumeMounts: [],
  };
  if (settings.executorImagePullPolicy) container.imagePullPolicy = settings.executorImagePullPolicy;
  if (executor.resources) container.resources = executor.resources;
  if (executor.args) container.args = [...executor.args];
  if (executor.securityContext) container.securityContext = executor.securityContext;
  else if (template.resource) {
    const isHelper = name === 'init' || name === 'wait';
    container.securityContext = isHelper ? restricted : { ...restricted, readOnlyRootFilesystem: true };
  } else if (runsAsAnyone(request)) container.securityContext = { runAsUser: 0 };
  addKubeconfig(request, container);
  if (executorAccount(request))
    container.volumeMounts?.push({
      name: 'exec-sa-token',
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      readOnly: true,
    });
  return container;
}

/**
 * Upstream's image runs as root, and ours does not by itself. Where nobody says as whom pods run, users' containers may be root, too: only root
 * reads all that they leave and writes into their volumes.
 */
function runsAsAnyone({ settings, template, spec }: PodRequest): boolean {
  if (!settings.executorAsRoot || /nonroot/.test(settings.executorImage)) return false;
  const around = [template.securityContext, spec.securityContext].find((one) => one && Object.keys(one).length > 0);
  const { runAsUser, runAsNonRoot } = (around ?? {}) as { runAsUser?: number; runAsNonRoot?: boolean };
  return runAsUser === undefined && runAsNonRoot !== true;
}

export function logOptions(settings: PodRequest['settings']): string[] {
  return ['--loglevel', settings.logLevel ?? 'info', '--log-format', settings.logFormat ?? 'text', '--gloglevel', '0'];
}

function environment(
  workflow: PodRequest['workflow'],
  instanceId: string | undefined,
  more: readonly EnvVarLike[] = [],
): EnvVarLike[] {
  const field = (fieldPath: string) => ({ fieldRef: { apiVersion: 'v1', fieldPath } });
  return [
    { name: 'ARGO_POD_NAME', valueFrom: field('metadata.name') },
    { name: 'ARGO_POD_UID', valueFrom: field('metadata.uid') },
    { name: 'ARGO_WORKFLOW_NAME', value: workflow.name },
    { name: 'ARGO_WORKFLOW_UID', value: workflow.uid },
    ...(instanceId ? [{ name: 'ARGO_INSTANCE_ID', value: instanceId }] : []),
    ...more,
  ];
}

function addKubeconfig({ settings }: PodRequest, container: Container): void {
  const { kubeConfig } = settings;
  if (!kubeConfig) return;
  const mountPath = kubeConfig.mountPath || '/kube/config';
  container.volumeMounts?.push({
    name: kubeConfig.volumeName || 'kubeconfig',
    mountPath,
    readOnly: true,
    subPath: kubeConfig.secretKey,
  });
  container.args = [...(container.args ?? []), `--kubeconfig=${mountPath}`];
}

/** The ServiceAccount that the executor uses instead of the pod's. */
export function executorAccount({ template, spec }: PodRequest): string | undefined {
  return template.executor?.serviceAccountName || spec.executor?.serviceAccountName || undefined;
}

/** A user's container with what the installation wants of all of them. */
export function withContainerDefaults({ settings }: PodRequest, container: Container): Container {
  const defaults = settings.mainContainer;
  return defaults ? (mergeOver(defaults, container) as Container) : { ...container };
}
