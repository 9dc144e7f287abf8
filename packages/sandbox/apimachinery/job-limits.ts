/** The fields of a Job's spec that are the same in what is given and in what is stored. */
export interface JobLimits {
  parallelism?: number;
  completions?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  managedBy?: string;
  [field: string]: unknown;
}
