export { admissionRequest } from './admission-request.ts';
export { type Attributes, admissionForbidden, namespaceOf, replaceContent } from './attributes.ts';
export { admissionVariables, compileAdmission, inVersion, type Scope } from './expressions.ts';
export { conditionsMatch, type MatchCondition } from './match-conditions.ts';
export { type MatchResources, type Policy, type Validation, validateByPolicies } from './policies.ts';
export { isExempt, matchedResource, type Rule } from './rules.ts';
export { type CheckedKind, expressionWarnings, kindType } from './type-checking.ts';
export { type ConfiguredWebhook, type Webhook, webhooksOf } from './webhook-configurations.ts';
