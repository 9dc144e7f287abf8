import type { KubeObject, LabelSelector } from '@tiphys/kubernetes';

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  lastProbeTime?: string | null;
  observedGeneration?: number;
}

export interface Probe {
  httpGet?: { path?: string; port: number | string; scheme?: string; host?: string };
  exec?: { command?: string[] };
  tcpSocket?: { port: number | string };
  grpc?: { port: number; service?: string };
  initialDelaySeconds?: number;
  periodSeconds?: number;
  timeoutSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
}

export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  command?: string[];
  args?: string[];
  env?: {
    name: string;
    value?: string;
    valueFrom?: Record<string, { name?: string; key?: string; optional?: boolean }>;
  }[];
  envFrom?: { prefix?: string; configMapRef?: NamedRef; secretRef?: NamedRef }[];
  workingDir?: string;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
  volumeMounts?: { name: string; mountPath: string; subPath?: string; readOnly?: boolean }[];
  ports?: { name?: string; containerPort: number; protocol?: string; hostPort?: number }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  startupProbe?: Probe;
  restartPolicy?: string;
  lifecycle?: { preStop?: { exec?: { command?: string[] }; sleep?: { seconds?: number } } };
  resizePolicy?: { resourceName: string; restartPolicy: string }[];
  terminationMessagePolicy?: string;
}

export interface NamedRef {
  name?: string;
  optional?: boolean;
}

export interface Volume {
  name: string;
  configMap?: NamedRef & { items?: { key: string }[] };
  secret?: { secretName?: string; optional?: boolean; items?: { key: string }[] };
  persistentVolumeClaim?: { claimName: string };
  ephemeral?: { volumeClaimTemplate?: { metadata?: KubeObject['metadata']; spec: Record<string, unknown> } };
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface NodeSelectorTerm {
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
  matchFields?: { key: string; operator: string; values?: string[] }[];
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  namespaces?: string[];
  /** Selects namespaces; an empty one all of them. */
  namespaceSelector?: LabelSelector;
  topologyKey: string;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: Volume[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: {
    nodeAffinity?: {
      requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] };
      preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[];
    };
    podAffinity?: PodAffinity;
    podAntiAffinity?: PodAffinity;
  };
  tolerations?: Toleration[];
  restartPolicy?: string;
  schedulerName?: string;
  schedulingGates?: { name: string }[];
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  hostNetwork?: boolean;
  serviceAccountName?: string;
  hostname?: string;
  subdomain?: string;
  readinessGates?: { conditionType: string }[];
  overhead?: Record<string, string>;
  [key: string]: unknown;
}

interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodAffinityTerm }[];
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: {
    exitCode: number;
    signal?: number;
    reason?: string;
    message?: string;
    startedAt?: string;
    finishedAt?: string;
    containerID?: string;
  };
}

export interface ContainerStatus {
  name: string;
  state: ContainerState;
  lastState: ContainerState;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
  started?: boolean;
  /** What the node keeps for the container. */
  allocatedResources?: Record<string, string>;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean; recursiveReadOnly?: string }[];
}

export interface PodStatus {
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  observedGeneration?: number;
  conditions?: Condition[];
  reason?: string;
  message?: string;
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  initContainerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  qosClass?: string;
  nominatedNodeName?: string;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string>; finalizers?: string[] };
  spec: PodSpec;
}

/** What every controller of pods has: a selector and a template. */
export interface Workload extends KubeObject {
  spec: { replicas?: number; selector: LabelSelector; template: PodTemplate; [key: string]: unknown };
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: Condition[];
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelector; template: PodTemplate };
  status?: ReplicaSetStatus;
}

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  collisionCount?: number;
  conditions?: Condition[];
}

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string } };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: DeploymentStatus;
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

export interface Node extends KubeObject {
  spec?: { taints?: Taint[]; unschedulable?: boolean; podCIDR?: string; podCIDRs?: string[] };
  status?: {
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    [key: string]: unknown;
  };
}

export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: string[];
    storageClassName?: string;
    volumeName?: string;
    volumeMode?: string;
    selector?: LabelSelector;
    resources?: { requests?: Record<string, string> };
    [key: string]: unknown;
  };
  status?: { phase?: string; accessModes?: string[]; capacity?: Record<string, string>; conditions?: Condition[] };
}

export interface PersistentVolume extends KubeObject {
  spec: {
    accessModes?: string[];
    capacity?: Record<string, string>;
    storageClassName?: string;
    volumeMode?: string;
    persistentVolumeReclaimPolicy?: string;
    claimRef?: {
      apiVersion?: string;
      kind?: string;
      name: string;
      namespace: string;
      uid?: string;
      resourceVersion?: string;
    };
    [key: string]: unknown;
  };
  status?: { phase?: string; message?: string; lastPhaseTransitionTime?: string };
}
