import type { JobLimits } from '@tiphys/apimachinery';
import type { KubeObject, LabelSelector } from '@tiphys/kubernetes';
import type { Condition, PodTemplate } from '../machinery/workload-model.ts';

/** A Job's spec as it is stored: defaulted and valid. */
export interface JobSpec extends JobLimits {
  podFailurePolicy?: { rules: PodFailureRule[] };
  successPolicy?: { rules: { succeededIndexes?: string; succeededCount?: number }[] };
  selector: LabelSelector;
  template: PodTemplate;
}

export interface PodFailureRule {
  action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
  onExitCodes?: { containerName?: string; operator: 'In' | 'NotIn'; values: number[] };
  onPodConditions?: { type: string; status?: string }[];
}

export interface JobStatus {
  conditions?: Condition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  succeeded?: number;
  failed?: number;
  ready?: number;
  terminating?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
}

export interface Job extends KubeObject {
  spec: JobSpec;
  status?: JobStatus;
}

/** Keeps a job's pod until it is counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';
export const indexFailures = 'batch.kubernetes.io/job-index-failure-count';
export const indexIgnoredFailures = 'batch.kubernetes.io/job-index-ignored-failure-count';

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

/** `Complete` or `Failed`, once the job has ended. */
export function finishedCondition({ status }: Job): Condition | undefined {
  return status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
}
