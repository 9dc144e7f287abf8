import type { KubeObject } from '@tiphys/kubernetes';
import type { RolloutSpec } from './rollout-spec.ts';
import type { RolloutStatus } from './rollout-status.ts';

export interface Rollout extends KubeObject {
  spec: RolloutSpec;
  status?: RolloutStatus;
}
