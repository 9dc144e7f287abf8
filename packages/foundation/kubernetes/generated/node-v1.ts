/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.node.v1 as JSON has it. */

import type * as coreV1 from './core-v1.ts';
import type * as metaV1 from './meta-v1.ts';

export interface Overhead {
  podFixed?: Record<string, string>;
}

export interface RuntimeClass {
  apiVersion?: string;
  handler?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

export interface RuntimeClassList {
  apiVersion?: string;
  items?: RuntimeClass[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: coreV1.Toleration[];
}
