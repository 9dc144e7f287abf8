/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.rbac.v1 as JSON has it. */

import type * as metaV1 from './meta-v1.ts';

export interface AggregationRule {
  clusterRoleSelectors?: metaV1.LabelSelector[];
}

export interface ClusterRole {
  aggregationRule?: AggregationRule;
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  rules?: PolicyRule[];
}

export interface ClusterRoleBinding {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  roleRef?: RoleRef;
  subjects?: Subject[];
}

export interface ClusterRoleBindingList {
  apiVersion?: string;
  items?: ClusterRoleBinding[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface ClusterRoleList {
  apiVersion?: string;
  items?: ClusterRole[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface PolicyRule {
  apiGroups?: string[];
  nonResourceURLs?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs?: string[];
}

export interface Role {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  rules?: PolicyRule[];
}

export interface RoleBinding {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  roleRef?: RoleRef;
  subjects?: Subject[];
}

export interface RoleBindingList {
  apiVersion?: string;
  items?: RoleBinding[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface RoleList {
  apiVersion?: string;
  items?: Role[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface RoleRef {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

export interface Subject {
  apiGroup?: string;
  kind?: string;
  name?: string;
  namespace?: string;
}
