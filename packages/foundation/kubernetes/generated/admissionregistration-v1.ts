/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.admissionregistration.v1 as JSON has it. */

import type * as metaV1 from './meta-v1.ts';

export interface AuditAnnotation {
  key?: string;
  valueExpression?: string;
}

export interface ExpressionWarning {
  fieldRef?: string;
  warning?: string;
}

export interface MatchCondition {
  expression?: string;
  name?: string;
}

export interface MatchResources {
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: string;
  namespaceSelector?: metaV1.LabelSelector;
  objectSelector?: metaV1.LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
}

export interface MutatingWebhook {
  admissionReviewVersions?: string[];
  clientConfig?: WebhookClientConfig;
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchPolicy?: string;
  name?: string;
  namespaceSelector?: metaV1.LabelSelector;
  objectSelector?: metaV1.LabelSelector;
  reinvocationPolicy?: string;
  rules?: RuleWithOperations[];
  sideEffects?: string;
  timeoutSeconds?: number;
}

export interface MutatingWebhookConfiguration {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  webhooks?: MutatingWebhook[];
}

export interface MutatingWebhookConfigurationList {
  apiVersion?: string;
  items?: MutatingWebhookConfiguration[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface NamedRuleWithOperations {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: string[];
  resourceNames?: string[];
  resources?: string[];
  scope?: string;
}

export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  parameterNotFoundAction?: string;
  selector?: metaV1.LabelSelector;
}

export interface RuleWithOperations {
  apiGroups?: string[];
  apiVersions?: string[];
  operations?: string[];
  resources?: string[];
  scope?: string;
}

export interface ServiceReference {
  name?: string;
  namespace?: string;
  path?: string;
  port?: number;
}

export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[];
}

export interface ValidatingAdmissionPolicy {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: ValidatingAdmissionPolicySpec;
  status?: ValidatingAdmissionPolicyStatus;
}

export interface ValidatingAdmissionPolicyBinding {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingList {
  apiVersion?: string;
  items?: ValidatingAdmissionPolicyBinding[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface ValidatingAdmissionPolicyBindingSpec {
  matchResources?: MatchResources;
  paramRef?: ParamRef;
  policyName?: string;
  validationActions?: string[];
}

export interface ValidatingAdmissionPolicyList {
  apiVersion?: string;
  items?: ValidatingAdmissionPolicy[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface ValidatingAdmissionPolicySpec {
  auditAnnotations?: AuditAnnotation[];
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchConstraints?: MatchResources;
  paramKind?: ParamKind;
  validations?: Validation[];
  variables?: Variable[];
}

export interface ValidatingAdmissionPolicyStatus {
  conditions?: metaV1.Condition[];
  observedGeneration?: number;
  typeChecking?: TypeChecking;
}

export interface ValidatingWebhook {
  admissionReviewVersions?: string[];
  clientConfig?: WebhookClientConfig;
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchPolicy?: string;
  name?: string;
  namespaceSelector?: metaV1.LabelSelector;
  objectSelector?: metaV1.LabelSelector;
  rules?: RuleWithOperations[];
  sideEffects?: string;
  timeoutSeconds?: number;
}

export interface ValidatingWebhookConfiguration {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  webhooks?: ValidatingWebhook[];
}

export interface ValidatingWebhookConfigurationList {
  apiVersion?: string;
  items?: ValidatingWebhookConfiguration[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface Validation {
  expression?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

export interface Variable {
  expression?: string;
  name?: string;
}

export interface WebhookClientConfig {
  caBundle?: string;
  service?: ServiceReference;
  url?: string;
}
