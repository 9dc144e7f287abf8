/** `metadata` as workflows use it. */
export interface Meta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  [field: string]: unknown;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** A value that Argo Workflows takes as text, however it is written: `3`, `true` and `"3"` are parameters. */
export type AnyString = string | number | boolean;

export interface ValueFrom {
  path?: string;
  jsonPath?: string;
  jqFilter?: string;
  event?: string;
  parameter?: string;
  supplied?: Record<string, never>;
  configMapKeyRef?: { name: string; key: string; optional?: boolean };
  default?: AnyString;
  expression?: string;
}

export interface Parameter {
  name: string;
  default?: AnyString;
  value?: AnyString;
  valueFrom?: ValueFrom;
  globalName?: string;
  enum?: AnyString[];
  description?: AnyString;
}

export interface SecretKey {
  name: string;
  key: string;
  optional?: boolean;
}

/** Where an artifact is kept; the field that is set names the driver. */
export interface ArtifactLocation {
  archiveLogs?: boolean;
  s3?: { key?: string } & Record<string, unknown>;
  git?: { repo: string } & Record<string, unknown>;
  http?: { url: string } & Record<string, unknown>;
  artifactory?: { url: string } & Record<string, unknown>;
  hdfs?: { path?: string } & Record<string, unknown>;
  raw?: { data: string };
  oss?: { key?: string } & Record<string, unknown>;
  gcs?: { key?: string } & Record<string, unknown>;
  azure?: { blob?: string } & Record<string, unknown>;
  plugin?: { key?: string; name?: string } & Record<string, unknown>;
}

export interface ArtifactGC {
  strategy?: ArtifactGCStrategy;
  podMetadata?: TemplateMetadata;
  serviceAccountName?: string;
}

export type ArtifactGCStrategy = 'OnWorkflowCompletion' | 'OnWorkflowDeletion' | 'Never' | '';

export interface Artifact extends ArtifactLocation {
  name: string;
  path?: string;
  mode?: number;
  from?: string;
  globalName?: string;
  archive?: { tar?: { compressionLevel?: number }; none?: Record<string, never>; zip?: Record<string, never> };
  optional?: boolean;
  subPath?: string;
  recurseMode?: boolean;
  fromExpression?: string;
  artifactGC?: ArtifactGC;
  deleted?: boolean;
}

export interface Arguments {
  parameters?: Parameter[];
  artifacts?: Artifact[];
}

export type Inputs = Arguments;

export interface Outputs {
  parameters?: Parameter[];
  artifacts?: Artifact[];
  result?: string;
  exitCode?: string;
}

export interface TemplateRef {
  name: string;
  template: string;
  clusterScope?: boolean;
}

export interface LifecycleHook {
  template?: string;
  templateRef?: TemplateRef;
  arguments?: Arguments;
  expression?: string;
}

export interface Sequence {
  count?: number | string;
  start?: number | string;
  end?: number | string;
  format?: string;
}

export type Item = string | number | boolean | null | Item[] | { [key: string]: Item };

/** What steps and tasks have in common: a call of a template. */
export interface TemplateCall {
  name?: string;
  template?: string;
  templateRef?: TemplateRef;
  inline?: Template;
  arguments?: Arguments;
  withItems?: Item[];
  withParam?: string;
  withSequence?: Sequence;
  when?: string;
  continueOn?: { error?: boolean; failed?: boolean };
  onExit?: string;
  hooks?: Record<string, LifecycleHook>;
}

export type WorkflowStep = TemplateCall;

export interface DagTask extends TemplateCall {
  name: string;
  dependencies?: string[];
  depends?: string;
}

export type RetryPolicy = 'Always' | 'OnFailure' | 'OnError' | 'OnTransientError';

export interface RetryStrategy {
  limit?: number | string;
  retryPolicy?: RetryPolicy;
  backoff?: { duration?: string; factor?: number | string; maxDuration?: string; cap?: string };
  affinity?: { nodeAntiAffinity?: Record<string, never> };
  expression?: string;
}

export interface SemaphoreRef {
  configMapKeyRef?: { name: string; key: string };
  namespace?: string;
  database?: { key: string };
}

export interface Mutex {
  name?: string;
  namespace?: string;
  database?: boolean;
}

export interface Synchronization {
  semaphores?: SemaphoreRef[];
  mutexes?: Mutex[];
}

export interface Memoize {
  key: string;
  maxAge?: string;
  cache: { configMap: { name: string } };
}

export interface MetricTemplate {
  name: string;
  help: string;
  labels?: { key: string; value: string }[];
  when?: string;
  gauge?: { value: string; realtime?: boolean; operation?: 'Set' | 'Add' | 'Sub' };
  counter?: { value: string };
  histogram?: { value: string; buckets?: number[] };
}

export interface TemplateMetadata {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: unknown;
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  readOnly?: boolean;
  [field: string]: unknown;
}

export interface Volume {
  name: string;
  [source: string]: unknown;
}

/** A Kubernetes container; what this program does not look at is passed on. */
export interface Container {
  name?: string;
  image?: string;
  command?: string[];
  args?: string[];
  env?: EnvVar[];
  volumeMounts?: VolumeMount[];
  imagePullPolicy?: string;
  resources?: Record<string, unknown>;
  securityContext?: Record<string, unknown>;
  [field: string]: unknown;
}

export interface UserContainer extends Container {
  mirrorVolumeMounts?: boolean;
}

export interface ContainerNode extends Container {
  name: string;
  dependencies?: string[];
}

export interface ContainerSet {
  containers: ContainerNode[];
  volumeMounts?: VolumeMount[];
  retryStrategy?: { duration?: string; retries: number | string };
}

export interface ResourceTemplate {
  action: string;
  mergeStrategy?: string;
  manifest?: string;
  manifestFrom?: { artifact: Artifact };
  setOwnerReference?: boolean;
  successCondition?: string;
  failureCondition?: string;
  flags?: string[];
}

export interface HttpTemplate {
  url: string;
  method?: string;
  headers?: { name: string; value?: string; valueFrom?: { secretKeyRef?: SecretKey } }[];
  timeoutSeconds?: number;
  successCondition?: string;
  body?: string;
  bodyFrom?: { bytes?: string };
  insecureSkipVerify?: boolean;
}

export interface DataTemplate {
  source: { artifactPaths?: Artifact };
  transformation: { expression: string }[];
}

export interface Template {
  name?: string;
  inputs?: Inputs;
  outputs?: Outputs;
  metadata?: TemplateMetadata;
  annotations?: Record<string, string>;
  daemon?: boolean;
  steps?: WorkflowStep[][];
  dag?: { target?: string; tasks: DagTask[]; failFast?: boolean };
  container?: Container;
  containerSet?: ContainerSet;
  script?: Container & { source: string };
  resource?: ResourceTemplate;
  suspend?: { duration?: string };
  data?: DataTemplate;
  http?: HttpTemplate;
  plugin?: Record<string, unknown>;
  volumes?: Volume[];
  initContainers?: UserContainer[];
  sidecars?: UserContainer[];
  archiveLocation?: ArtifactLocation;
  activeDeadlineSeconds?: number | string;
  retryStrategy?: RetryStrategy;
  parallelism?: number;
  failFast?: boolean;
  nodeSelector?: Record<string, string>;
  affinity?: Record<string, unknown>;
  tolerations?: unknown[];
  schedulerName?: string;
  priorityClassName?: string;
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  executor?: { serviceAccountName?: string };
  hostAliases?: unknown[];
  securityContext?: Record<string, unknown>;
  podSpecPatch?: string;
  metrics?: { prometheus: MetricTemplate[] };
  synchronization?: Synchronization;
  memoize?: Memoize;
  timeout?: string;
  pendingTimeout?: string;
  podResources?: Record<string, unknown>;
  resourceClaims?: unknown[];
}

export type ShutdownStrategy = 'Stop' | 'Terminate' | '';
export type PodGCStrategy = 'OnPodCompletion' | 'OnPodSuccess' | 'OnWorkflowCompletion' | 'OnWorkflowSuccess' | '';

export interface WorkflowSpec {
  templates?: Template[];
  entrypoint?: string;
  arguments?: Arguments;
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  executor?: { serviceAccountName?: string };
  volumes?: Volume[];
  volumeClaimTemplates?: { metadata?: Meta; spec?: unknown; [field: string]: unknown }[];
  parallelism?: number;
  artifactRepositoryRef?: { configMap?: string; key?: string };
  suspend?: boolean;
  nodeSelector?: Record<string, string>;
  affinity?: Record<string, unknown>;
  tolerations?: unknown[];
  imagePullSecrets?: { name: string }[];
  hostNetwork?: boolean;
  dnsPolicy?: string;
  dnsConfig?: unknown;
  onExit?: string;
  ttlStrategy?: { secondsAfterCompletion?: number; secondsAfterSuccess?: number; secondsAfterFailure?: number };
  activeDeadlineSeconds?: number;
  priority?: number;
  schedulerName?: string;
  podGC?: { strategy?: PodGCStrategy; labelSelector?: LabelSelector; deleteDelayDuration?: string };
  podPriorityClassName?: string;
  hostAliases?: unknown[];
  securityContext?: Record<string, unknown>;
  podSpecPatch?: string;
  podDisruptionBudget?: { selector?: LabelSelector; [field: string]: unknown };
  metrics?: { prometheus: MetricTemplate[] };
  shutdown?: ShutdownStrategy;
  workflowTemplateRef?: { name: string; clusterScope?: boolean };
  synchronization?: Synchronization;
  volumeClaimGC?: { strategy?: 'OnWorkflowCompletion' | 'OnWorkflowSuccess' };
  retryStrategy?: RetryStrategy;
  podMetadata?: TemplateMetadata;
  templateDefaults?: Template;
  archiveLogs?: boolean;
  hooks?: Record<string, LifecycleHook>;
  workflowMetadata?: TemplateMetadata & { labelsFrom?: Record<string, { expression: string }> };
  artifactGC?: ArtifactGC & { forceFinalizerRemoval?: boolean; podSpecPatch?: string };
  executorPlugins?: unknown[];
  podResources?: Record<string, unknown>;
  resourceClaims?: unknown[];
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}
