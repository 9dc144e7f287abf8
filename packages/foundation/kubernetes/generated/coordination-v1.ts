/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.coordination.v1 as JSON has it. */

import type * as metaV1 from './meta-v1.ts';

export interface Lease {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: LeaseSpec;
}

export interface LeaseList {
  apiVersion?: string;
  items?: Lease[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface LeaseSpec {
  acquireTime?: string;
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  leaseTransitions?: number;
  preferredHolder?: string;
  renewTime?: string;
  strategy?: string;
}
