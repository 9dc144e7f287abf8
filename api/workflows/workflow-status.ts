import type {
  ArtifactGCStrategy,
  ArtifactLocation,
  Inputs,
  Meta,
  Outputs,
  Template,
  TemplateRef,
  Volume,
  WorkflowSpec,
} from './workflow-types.ts';

/** Absent until the controller has looked at the workflow. */
export type WorkflowPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Error';
/** `Failed` is the user's code, `Error` is what surrounds it. */
export type NodePhase = 'Pending' | 'Running' | 'Succeeded' | 'Skipped' | 'Failed' | 'Error' | 'Omitted';
export type NodeType =
  | 'Pod'
  | 'Container'
  | 'Steps'
  | 'StepGroup'
  | 'DAG'
  | 'TaskGroup'
  | 'Retry'
  | 'Skipped'
  | 'Suspend'
  | 'HTTP'
  | 'Plugin';

/** Seconds of processor (`cpu`), of 100 MiB (`memory`) and of other resources. */
export type ResourcesDuration = Record<string, number>;

export interface NodeStatus {
  id: string;
  name: string;
  displayName?: string;
  type: NodeType;
  templateName?: string;
  templateRef?: TemplateRef;
  /** `local/`, `namespaced/NAME` or `cluster/NAME`: where the caller of the template was written. */
  templateScope?: string;
  phase?: NodePhase;
  /** Id of the steps, DAG or pod whose template made this node. */
  boundaryID?: string;
  message?: string;
  /** RFC 3339 in whole seconds; null while unknown, as Go writes a zero time. */
  startedAt: string | null;
  finishedAt: string | null;
  /** Seconds. */
  estimatedDuration?: number;
  /** `N/M`. */
  progress?: string;
  resourcesDuration?: ResourcesDuration;
  podIP?: string;
  daemoned?: boolean;
  nodeFlag?: { hooked?: boolean; retried?: boolean };
  inputs?: Inputs;
  outputs?: Outputs;
  children?: string[];
  outboundNodes?: string[];
  hostNodeName?: string;
  memoizationStatus?: { hit: boolean; key: string; cacheName: string };
  synchronizationStatus?: { waiting?: string };
  /** False while the executor has announced outputs that have not come yet. */
  taskResultSynced?: boolean;
  failedPodRestarts?: number;
  restartingPodUID?: string;
}

export interface WorkflowCondition {
  type:
    | 'Completed'
    | 'SpecWarning'
    | 'SpecError'
    | 'MetricsError'
    | 'ArtifactGCError'
    | 'PodRunning'
    /** Ours: a limit of parallelism keeps the workflow, or something in it, waiting; the message says which. */
    | 'ParallelismReached'
    /** Ours, of a CronWorkflow: which scheduled time was let go last, and why. */
    | 'Skipped'
    /** Ours: what is wrong with the workflow, and what mends it. */
    | 'Cause'
    | 'SubmissionError';
  status: 'True' | 'False' | 'Unknown';
  message?: string;
}

export interface SynchronizationStatus {
  semaphore?: { holding?: SemaphoreHolding[]; waiting?: SemaphoreHolding[] };
  mutex?: { holding?: MutexHolding[]; waiting?: MutexHolding[] };
}

export interface SemaphoreHolding {
  semaphore: string;
  holders?: string[];
}

export interface MutexHolding {
  mutex: string;
  holder?: string;
}

export interface ArtifactRepository extends ArtifactLocation {
  archiveLogs?: boolean;
}

export interface ArtifactRepositoryRefStatus {
  configMap?: string;
  key?: string;
  namespace?: string;
  default?: boolean;
  artifactRepository?: ArtifactRepository;
}

export interface WorkflowStatus {
  phase?: WorkflowPhase;
  startedAt: string | null;
  finishedAt: string | null;
  estimatedDuration?: number;
  progress?: string;
  message?: string;
  /** Base64 of the compressed nodes, in place of `nodes`. */
  compressedNodes?: string;
  nodes?: Record<string, NodeStatus>;
  offloadNodeStatusVersion?: string;
  storedTemplates?: Record<string, Template>;
  persistentVolumeClaims?: Volume[];
  outputs?: Outputs;
  conditions?: WorkflowCondition[];
  resourcesDuration?: ResourcesDuration;
  storedWorkflowTemplateSpec?: WorkflowSpec;
  synchronization?: SynchronizationStatus;
  artifactRepositoryRef?: ArtifactRepositoryRefStatus;
  artifactGCStatus?: {
    strategiesProcessed?: Partial<Record<ArtifactGCStrategy, boolean>>;
    podsRecouped?: Record<string, boolean>;
    notSpecified?: boolean;
  };
  taskResultsCompletionStatus?: Record<string, boolean>;
}

export interface Workflow {
  apiVersion: 'argoproj.io/v1alpha1';
  kind: 'Workflow';
  metadata: Meta;
  [field: string]: unknown;
  spec: WorkflowSpec;
  status?: WorkflowStatus;
}

export interface WorkflowTemplate {
  apiVersion: 'argoproj.io/v1alpha1';
  kind: 'WorkflowTemplate' | 'ClusterWorkflowTemplate';
  metadata: Meta;
  [field: string]: unknown;
  spec: WorkflowSpec;
}

/** What the executor reports of a pod; its name is the id of the node. */
export interface WorkflowTaskResult {
  apiVersion: 'argoproj.io/v1alpha1';
  kind: 'WorkflowTaskResult';
  metadata: Meta;
  [field: string]: unknown;
  phase?: NodePhase;
  message?: string;
  outputs?: Outputs;
  progress?: string;
}

export interface WorkflowTaskSet {
  apiVersion: 'argoproj.io/v1alpha1';
  kind: 'WorkflowTaskSet';
  metadata: Meta;
  [field: string]: unknown;
  spec: { tasks?: Record<string, Template> };
  status?: { nodes?: Record<string, { phase?: NodePhase; message?: string; outputs?: Outputs; progress?: string }> };
}

export interface CronWorkflowSpec {
  workflowSpec: WorkflowSpec;
  schedules: string[];
  timezone?: string;
  concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  suspend?: boolean;
  startingDeadlineSeconds?: number;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
  workflowMetadata?: Meta;
  stopStrategy?: { expression: string };
  when?: string;
}

export interface CronWorkflowStatus {
  active:
    | { apiVersion?: string; kind?: string; name: string; namespace?: string; uid: string; resourceVersion?: string }[]
    | null;
  lastScheduledTime: string | null;
  conditions: WorkflowCondition[] | null;
  succeeded: number;
  failed: number;
  phase: '' | 'Active' | 'Stopped';
}

export interface CronWorkflow {
  apiVersion: 'argoproj.io/v1alpha1';
  kind: 'CronWorkflow';
  metadata: Meta;
  [field: string]: unknown;
  spec: CronWorkflowSpec;
  status?: CronWorkflowStatus;
}
