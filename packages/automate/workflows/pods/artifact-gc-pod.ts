import { workflowNames } from '@tiphys/api';
import type { MachineSettings } from '../model/settings.ts';
import type { ArtifactLocation, Pod } from '../model/types.ts';
import { pluginMount, pluginSidecar, pluginsOf, pluginVolume } from './artifact-plugins.ts';
import { logOptions } from './exec-container.ts';
import { mergePodSpec } from './pod-patch.ts';
import { secretVolumes } from './secret-volumes.ts';

/** What a pod that deletes artifacts is allowed and how it is labelled; artifacts with equal wants share one. */
export interface PodAccess {
  readonly serviceAccount: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ArtifactGCPodRequest {
  readonly name: string;
  /** Of the pod's name; its tasks have it as their label. */
  readonly hash: string;
  readonly workflow: { readonly name: string; readonly namespace: string };
  readonly strategy: string;
  readonly access: PodAccess;
  readonly podSpecPatch: string | undefined;
  readonly locations: readonly (ArtifactLocation | undefined)[];
  readonly settings: MachineSettings;
  /** As RFC 3339; the executor wants a deadline, which nothing here has. */
  readonly now: string;
}

const { labels, annotations } = workflowNames;

/** The pod in which the executor deletes the artifacts that its tasks name. It has no owner yet. */
export function artifactGCPod(request: ArtifactGCPodRequest): Pod {
  const { name, hash, workflow, strategy, access, settings, now } = request;
  const { volumes, mounts } = secretVolumes(request.locations);
  const plugins = pluginsOf(
    request.locations.filter((location) => location !== undefined),
    undefined,
  );
  const { executorImage, executorImagePullPolicy, executorCommand, instanceId } = settings;
  const spec: Pod['spec'] = {
    volumes: [...volumes, ...plugins.map(pluginVolume)],
    ...(plugins.length > 0 ? { initContainers: plugins.map((plugin) => pluginSidecar(settings, plugin, [])) } : {}),
    securityContext: { runAsNonRoot: true, runAsUser: 8737, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'main',
        image: executorImage,
        ...(executorImagePullPolicy ? { imagePullPolicy: executorImagePullPolicy } : {}),
        command: [...(executorCommand ?? ['argoexec'])],
        args: ['artifact', 'delete', ...logOptions(settings)],
        env: [
          { name: 'ARGO_POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
          { name: 'ARGO_TEMPLATE', value: '{}' },
          { name: 'ARGO_DEADLINE', value: now },
          { name: 'ARGO_ARTIFACT_POD_NAME', value: hash },
          { name: 'ARGO_ARTIFACT_PLUGIN_NAMES', value: '' },
        ],
        securityContext: {
          capabilities: { drop: ['ALL'] },
          privileged: false,
          runAsNonRoot: true,
          runAsUser: 8737,
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '50m', memory: '64Mi' } },
        volumeMounts: [...mounts, ...plugins.map(pluginMount)],
      },
    ],
    automountServiceAccountToken: true,
    restartPolicy: 'Never',
  };
  const patched = request.podSpecPatch ? mergePodSpec(spec, request.podSpecPatch) : spec;
  if (access.serviceAccount) patched.serviceAccountName = access.serviceAccount;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: workflow.namespace,
      labels: {
        [labels.workflow]: workflow.name,
        [labels.component]: 'artifact-gc',
        [labels.completed]: 'false',
        ...access.labels,
        ...(instanceId ? { [labels.instance]: instanceId } : {}),
      },
      annotations: { [annotations.artifactGCStrategy]: strategy, ...access.annotations },
    },
    spec: patched,
  };
}
