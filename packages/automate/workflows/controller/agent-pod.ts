import { randomBytes } from 'node:crypto';
import { type flow, workflowNames } from '@tiphys/api';
import { isAlreadyExists } from '@tiphys/kubernetes';
import type { ExecutorPlugin } from '../model/executor-plugin.ts';
import { nodeId } from '../model/node-names.ts';
import type { Container, PodSpec, Template, Volume, Workflow } from '../model/types.ts';
import { ownerOf } from '../pods/build-pod.ts';
import { mergePodSpec } from '../pods/pod-patch.ts';
import { addMetadata, addScheduling } from '../pods/pod-scheduling.ts';
import type { PodObject } from './containers/pod-object.ts';
import { executorPluginsOf } from './executor-plugins.ts';
import type { Surroundings } from './surroundings.ts';

const unprivileged = { runAsNonRoot: true, runAsUser: 8737, seccompProfile: { type: 'RuntimeDefault' } };

const restricted = {
  capabilities: { drop: ['ALL'] },
  privileged: false,
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  ...unprivileged,
};

const certificates = 'argo-workflows-agent-ca-certificates';
const accounts = '/var/run/secrets/kubernetes.io/serviceaccount';
const runFolder = { name: 'var-run-argo', mountPath: '/var/run/argo' };

/** The pod that does the HTTP and plugin templates of a workflow. */
export async function ensureAgent(surroundings: Surroundings, workflow: Workflow, signal: AbortSignal): Promise<void> {
  const { client, pods, settings } = surroundings;
  const { name = '', namespace = '' } = workflow.metadata;
  if (settings().agentDisabled) return;
  const podName = `${nodeId(name, 'agent')}-agent`;
  if (pods.of(`${namespace}/${name}`).some(({ metadata }) => metadata.name === podName)) return;
  const secret = await client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name: certificates }, { signal });
  const plugins = await executorPluginsOf(surroundings, workflow, signal);
  const pod = agentPod(surroundings, workflow, { podName, hasCa: secret !== undefined, plugins });
  try {
    pods.note((await client.create(pod as never)) as PodObject);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

interface Parts {
  readonly podName: string;
  readonly hasCa: boolean;
  readonly plugins: readonly ExecutorPlugin[];
}

function agentPod({ settings }: Surroundings, workflow: Workflow, { podName, hasCa, plugins }: Parts): PodObject {
  const { instanceId } = settings();
  const { name = '', namespace = '', uid = '' } = workflow.metadata;
  const spec = workflow.status?.storedWorkflowTemplateSpec ?? workflow.spec;
  const { labels, annotations } = workflowNames;
  const sidecars = plugins.map(sidecar);
  const token = ownToken();
  const mounts: flow.VolumeMount[] = [
    runFolder,
    token.mount,
    ...(hasCa ? [{ name: certificates, mountPath: '/etc/ssl/certs/ca-certificates/', readOnly: true }] : []),
  ];
  const container = agentContainer(settings(), { workflow: { name, uid }, plugins, mounts });
  const metadata = {
    name: podName,
    namespace,
    labels: {
      [labels.workflow]: name,
      [labels.completed]: 'false',
      [labels.component]: 'agent',
      ...(instanceId ? { [labels.instance]: instanceId } : {}),
    },
    annotations: { [annotations.defaultContainer]: 'main' },
    ownerReferences: [ownerOf({ name, uid })],
  };
  addMetadata({ template: nothing, spec }, metadata);
  const pod: PodSpec = {
    restartPolicy: 'OnFailure',
    ...(spec.serviceAccountName ? { serviceAccountName: spec.serviceAccountName } : {}),
    // a plugin gets the token of its own account alone
    automountServiceAccountToken: false,
    volumes: [
      ...sidecars.flatMap(({ volume }) => volume ?? []),
      { name: runFolder.name, emptyDir: {} },
      token.volume,
      ...(hasCa ? [{ name: certificates, secret: { secretName: certificates } }] : []),
    ],
    initContainers: [container('init')],
    containers: [...sidecars.map((each) => each.container), container('main')],
  };
  addScheduling({ template: nothing, boundary: undefined, spec, settings: settings(), avoidHosts: [] }, pod);
  pod.securityContext = unprivileged;
  const patched = spec.podSpecPatch ? mergePodSpec(pod, spec.podSpecPatch) : pod;
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: patched } as PodObject;
}

/** No template is around the agent. */
const nothing: Template = {};

function agentContainer(
  { executorImage, executorImagePullPolicy, executorCommand, agent }: ReturnType<Surroundings['settings']>,
  {
    workflow,
    plugins,
    mounts,
  }: { workflow: { name: string; uid: string }; plugins: readonly ExecutorPlugin[]; mounts: flow.VolumeMount[] },
): (role: 'init' | 'main') => Container {
  const addresses = plugins.map(({ container }) => `http://localhost:${container.ports[0]?.containerPort}`);
  return (role) => ({
    name: role,
    image: executorImage,
    ...(executorImagePullPolicy ? { imagePullPolicy: executorImagePullPolicy } : {}),
    command: [...(executorCommand ?? ['argoexec'])],
    args: ['agent', role, '--loglevel', 'info', '--log-format', 'text', '--gloglevel', '0'],
    env: [
      { name: 'ARGO_WORKFLOW_NAME', value: workflow.name },
      { name: 'ARGO_WORKFLOW_UID', value: workflow.uid },
      { name: 'ARGO_AGENT_PATCH_RATE', value: agent?.patchRate ?? '10s' },
      { name: 'ARGO_PLUGIN_ADDRESSES', value: JSON.stringify(addresses) },
      { name: 'ARGO_PLUGIN_NAMES', value: JSON.stringify(plugins.map((plugin) => plugin.container.name)) },
    ],
    securityContext: restricted,
    resources: {
      requests: { cpu: '10m', memory: '64M' },
      limits: { cpu: agent?.cpuLimit ?? '500m', memory: agent?.memoryLimit ?? '256M' },
    },
    volumeMounts: mounts,
  });
}

/** A plugin as a container of the pod: of the folder that the agent shares it sees what has its own name. */
function sidecar({ name, container, mountsToken }: ExecutorPlugin): { container: Container; volume?: Volume } {
  const shared = { ...runFolder, readOnly: true, subPath: container.name };
  const volumeMounts: flow.VolumeMount[] = [...(container.volumeMounts ?? []), shared];
  if (!mountsToken) return { container: { ...container, volumeMounts } };
  const volume = tokenVolumeName();
  volumeMounts.push({ name: volume, mountPath: accounts, readOnly: true });
  return {
    container: { ...container, volumeMounts },
    volume: { name: volume, secret: { secretName: `${name}-executor-plugin.service-account-token` } },
  };
}

/** The token of the pod's own ServiceAccount, as Kubernetes itself would mount it into every container. */
function ownToken(): { volume: Volume; mount: flow.VolumeMount } {
  const name = tokenVolumeName();
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
    },
  ];
  return { volume: { name, projected: { sources } }, mount: { name, mountPath: accounts, readOnly: true } };
}

/** At random, as upstream: a container of a plugin that is written beforehand cannot mount what it has no name of. */
function tokenVolumeName(): string {
  return `kube-api-access-${randomBytes(4).toString('hex').slice(0, 5)}`;
}
