import type { flow } from '@tiphys/api';

export type AnyString = flow.AnyString;
export type Arguments = flow.Arguments;
export type Artifact = flow.Artifact;
export type ArtifactLocation = flow.ArtifactLocation;
export type ArtifactRepository = flow.ArtifactRepository;
export type Container = flow.Container;
export type CronWorkflow = flow.CronWorkflow;
export type CronWorkflowStatus = flow.CronWorkflowStatus;
export type DagTask = flow.DagTask;
export type Item = flow.Item;
export type LifecycleHook = flow.LifecycleHook;
export type Meta = flow.Meta;
export type MetricTemplate = flow.MetricTemplate;
export type NodePhase = flow.NodePhase;
export type NodeStatus = flow.NodeStatus;
export type NodeType = flow.NodeType;
export type Outputs = flow.Outputs;
export type Parameter = flow.Parameter;
export type ResourcesDurationMap = flow.ResourcesDuration;
export type LabelSelector = flow.LabelSelector;
export type PodGCStrategy = flow.PodGCStrategy;
export type RetryStrategy = flow.RetryStrategy;
export type Sequence = flow.Sequence;
export type Synchronization = flow.Synchronization;
export type Template = flow.Template;
export type TemplateCall = flow.TemplateCall;
export type ValueFrom = flow.ValueFrom;
export type Volume = flow.Volume;
export type Workflow = flow.Workflow;
export type WorkflowCondition = flow.WorkflowCondition;
export type WorkflowPhase = flow.WorkflowPhase;
export type WorkflowSpec = flow.WorkflowSpec;
export type WorkflowStatus = flow.WorkflowStatus;
export type WorkflowTaskResult = flow.WorkflowTaskResult;
export type WorkflowTaskSet = flow.WorkflowTaskSet;
export type WorkflowTemplate = flow.WorkflowTemplate;

/** A pod as far as workflows look at it. */
export interface Pod {
  apiVersion: 'v1';
  kind: 'Pod';
  metadata: Meta;
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  nodeName?: string;
  activeDeadlineSeconds?: number;
  terminationGracePeriodSeconds?: number;
  [field: string]: unknown;
}

export interface PodStatus {
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  reason?: string;
  message?: string;
  podIP?: string;
  conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
}

export interface ContainerStatus {
  name: string;
  ready?: boolean;
  state?: ContainerState;
  lastState?: ContainerState;
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { exitCode: number; reason?: string; message?: string; startedAt?: string; finishedAt?: string };
}
