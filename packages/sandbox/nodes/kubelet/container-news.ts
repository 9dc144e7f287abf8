/** What becomes an event of the pod. */
export interface ContainerNews {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** `spec.containers{NAME}`; absent for news of the pod as a whole. */
  fieldPath?: string;
}
