/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.kube-aggregator.pkg.apis.apiregistration.v1 as JSON has it. */

import type * as metaV1 from './meta-v1.ts';

export interface APIService {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: APIServiceSpec;
  status?: APIServiceStatus;
}

export interface APIServiceCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface APIServiceList {
  apiVersion?: string;
  items?: APIService[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface APIServiceSpec {
  caBundle?: string;
  group?: string;
  groupPriorityMinimum?: number;
  insecureSkipTLSVerify?: boolean;
  service?: ServiceReference;
  version?: string;
  versionPriority?: number;
}

export interface APIServiceStatus {
  conditions?: APIServiceCondition[];
}

export interface ServiceReference {
  name?: string;
  namespace?: string;
  port?: number;
}
