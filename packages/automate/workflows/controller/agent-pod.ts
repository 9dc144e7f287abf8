import { workflowNames } from '@tiphys/api';
import { isAlreadyExists } from '@tiphys/kubernetes';
import { nodeId } from '../model/node-names.ts';
import type { Workflow } from '../model/types.ts';
import { ownerOf } from '../pods/build-pod.ts';
import type { PodObject } from './containers/pod-object.ts';
import type { Surroundings } from './surroundings.ts';

const restricted = {
  capabilities: { drop: ['ALL'] },
  privileged: false,
  runAsNonRoot: true,
  runAsUser: 8737,
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  seccompProfile: { type: 'RuntimeDefault' },
};

const certificates = 'argo-workflows-agent-ca-certificates';

/** The pod that does the HTTP and plugin templates of a workflow. */
export async function ensureAgent(surroundings: Surroundings, workflow: Workflow, signal: AbortSignal): Promise<void> {
  const { client, pods, settings } = surroundings;
  const { name = '', namespace = '' } = workflow.metadata;
  if (settings().agentDisabled) return;
  const podName = `${nodeId(name, 'agent')}-agent`;
  if (pods.of(`${namespace}/${name}`).some(({ metadata }) => metadata.name === podName)) return;
  const secret = await client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name: certificates }, { signal });
  try {
    pods.note(
      (await client.create(
        agentPod(surroundings, workflow, { podName, hasCa: secret !== undefined }) as never,
      )) as PodObject,
    );
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function agentPod(
  { settings }: Surroundings,
  workflow: Workflow,
  { podName, hasCa }: { podName: string; hasCa: boolean },
): PodObject {
  const { executorImage, executorImagePullPolicy, executorCommand, instanceId } = settings();
  const { name = '', namespace = '', uid = '' } = workflow.metadata;
  const spec = workflow.status?.storedWorkflowTemplateSpec ?? workflow.spec;
  const { labels, annotations } = workflowNames;
  const container = (containerName: string, phase: string) => ({
    name: containerName,
    image: executorImage,
    ...(executorImagePullPolicy ? { imagePullPolicy: executorImagePullPolicy } : {}),
    command: [...(executorCommand ?? ['argoexec'])],
    args: ['agent', phase, '--loglevel', 'info', '--log-format', 'text', '--gloglevel', '0'],
    env: [
      { name: 'ARGO_WORKFLOW_NAME', value: name },
      { name: 'ARGO_WORKFLOW_UID', value: uid },
      { name: 'ARGO_AGENT_PATCH_RATE', value: '10s' },
      { name: 'ARGO_PLUGIN_ADDRESSES', value: '[]' },
      { name: 'ARGO_PLUGIN_NAMES', value: '[]' },
    ],
    securityContext: restricted,
    resources: { requests: { cpu: '10m', memory: '64M' }, limits: { cpu: '500m', memory: '256M' } },
    volumeMounts: [
      { name: 'var-run-argo', mountPath: '/var/run/argo' },
      ...(hasCa ? [{ name: certificates, mountPath: '/etc/ssl/certs/ca-certificates/', readOnly: true }] : []),
    ],
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
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
    },
    spec: {
      restartPolicy: 'OnFailure',
      securityContext: { runAsNonRoot: true, runAsUser: 8737, seccompProfile: { type: 'RuntimeDefault' } },
      ...(spec.serviceAccountName ? { serviceAccountName: spec.serviceAccountName } : {}),
      ...(spec.imagePullSecrets ? { imagePullSecrets: spec.imagePullSecrets } : {}),
      volumes: [
        { name: 'var-run-argo', emptyDir: {} },
        ...(hasCa ? [{ name: certificates, secret: { secretName: certificates } }] : []),
      ],
      initContainers: [container('init', 'init')],
      containers: [container('main', 'main')],
    },
  } as PodObject;
}
