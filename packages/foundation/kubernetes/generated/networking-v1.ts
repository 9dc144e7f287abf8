/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.networking.v1 as JSON has it. */

import type * as coreV1 from './core-v1.ts';
import type * as metaV1 from './meta-v1.ts';

export interface HTTPIngressPath {
  backend?: IngressBackend;
  path?: string;
  pathType?: string;
}

export interface HTTPIngressRuleValue {
  paths?: HTTPIngressPath[];
}

export interface IPAddress {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: IPAddressSpec;
}

export interface IPAddressList {
  apiVersion?: string;
  items?: IPAddress[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface IPAddressSpec {
  parentRef?: ParentReference;
}

export interface IPBlock {
  cidr?: string;
  except?: string[];
}

export interface Ingress {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: IngressSpec;
  status?: IngressStatus;
}

export interface IngressBackend {
  resource?: coreV1.TypedLocalObjectReference;
  service?: IngressServiceBackend;
}

export interface IngressClass {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: IngressClassSpec;
}

export interface IngressClassList {
  apiVersion?: string;
  items?: IngressClass[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface IngressClassParametersReference {
  apiGroup?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  scope?: string;
}

export interface IngressClassSpec {
  controller?: string;
  parameters?: IngressClassParametersReference;
}

export interface IngressList {
  apiVersion?: string;
  items?: Ingress[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface IngressLoadBalancerIngress {
  hostname?: string;
  ip?: string;
  ports?: IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  error?: string;
  port?: number;
  protocol?: string;
}

export interface IngressRule {
  host?: string;
  http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  name?: string;
  port?: ServiceBackendPort;
}

export interface IngressSpec {
  defaultBackend?: IngressBackend;
  ingressClassName?: string;
  rules?: IngressRule[];
  tls?: IngressTLS[];
}

export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

export interface NetworkPolicy {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: NetworkPolicySpec;
}

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  from?: NetworkPolicyPeer[];
  ports?: NetworkPolicyPort[];
}

export interface NetworkPolicyList {
  apiVersion?: string;
  items?: NetworkPolicy[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface NetworkPolicyPeer {
  ipBlock?: IPBlock;
  namespaceSelector?: metaV1.LabelSelector;
  podSelector?: metaV1.LabelSelector;
}

export interface NetworkPolicyPort {
  endPort?: number;
  port?: number | string;
  protocol?: string;
}

export interface NetworkPolicySpec {
  egress?: NetworkPolicyEgressRule[];
  ingress?: NetworkPolicyIngressRule[];
  podSelector?: metaV1.LabelSelector;
  policyTypes?: string[];
}

export interface ParentReference {
  group?: string;
  name?: string;
  namespace?: string;
  resource?: string;
}

export interface ServiceBackendPort {
  name?: string;
  number?: number;
}

export interface ServiceCIDR {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
}

export interface ServiceCIDRList {
  apiVersion?: string;
  items?: ServiceCIDR[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface ServiceCIDRSpec {
  cidrs?: string[];
}

export interface ServiceCIDRStatus {
  conditions?: metaV1.Condition[];
}
