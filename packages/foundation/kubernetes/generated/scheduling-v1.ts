/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.scheduling.v1 as JSON has it. */

import type * as metaV1 from './meta-v1.ts';

export interface PriorityClass {
  apiVersion?: string;
  description?: string;
  globalDefault?: boolean;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  preemptionPolicy?: string;
  value?: number;
}

export interface PriorityClassList {
  apiVersion?: string;
  items?: PriorityClass[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}
