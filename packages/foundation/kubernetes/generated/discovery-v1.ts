/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.discovery.v1 as JSON has it. */

import type * as coreV1 from './core-v1.ts';
import type * as metaV1 from './meta-v1.ts';

export interface Endpoint {
  addresses?: string[];
  conditions?: EndpointConditions;
  deprecatedTopology?: Record<string, string>;
  hints?: EndpointHints;
  hostname?: string;
  nodeName?: string;
  targetRef?: coreV1.ObjectReference;
  zone?: string;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forNodes?: ForNode[];
  forZones?: ForZone[];
}

export interface EndpointPort {
  appProtocol?: string;
  name?: string;
  port?: number;
  protocol?: string;
}

export interface EndpointSlice {
  addressType?: string;
  apiVersion?: string;
  endpoints?: Endpoint[];
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  ports?: EndpointPort[];
}

export interface EndpointSliceList {
  apiVersion?: string;
  items?: EndpointSlice[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface ForNode {
  name?: string;
}

export interface ForZone {
  name?: string;
}
