import type { MatchResources, Policy, Rule, Scope, Validation } from '@tiphys/admission-rules';
import {
  type FieldErrors,
  goSelector,
  isDns1035Label,
  isDnsSubdomain,
  isPathSegment,
  qualifiedNameProblems,
  type Strategy,
} from '@tiphys/apimachinery';
import type { Type } from '@tiphys/cel';
import type { admissionregistrationV1, KubeObject, LabelSelector } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, listAt, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { validateMetaConditions } from '../shared/meta-conditions.ts';
import { validateSelector } from '../shared/selector-validation.ts';
import { oneOf, validateConditions, validateExpression, validateRule } from './webhook-configurations.ts';

function defaultMatch(match: MatchResources | undefined): void {
  if (!match) return;
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}

export const validatingAdmissionPolicy: Strategy = {
  unconditionalUpdate: false,
  metaRulesOnUpdate: true,
  generation: true,
  statusSubresource: true,
  defaults(object) {
    const { spec } = object as Policy;
    spec.failurePolicy ??= 'Fail';
    defaultMatch(spec.matchConstraints);
  },
  validate: (object, errors) => validatePolicy(object as Policy, errors),
  validateStatus: ({ status }, _old, errors) =>
    validateMetaConditions(
      (status as admissionregistrationV1.ValidatingAdmissionPolicyStatus)?.conditions ?? [],
      'status.conditions',
      errors,
    ),
};

interface Binding extends KubeObject {
  spec: {
    policyName?: string;
    paramRef?: { name?: string; namespace?: string; selector?: LabelSelector; parameterNotFoundAction?: string };
    matchResources?: MatchResources;
    validationActions?: string[];
  };
}

export const validatingAdmissionPolicyBinding: Strategy = {
  unconditionalUpdate: false,
  metaRulesOnUpdate: true,
  generation: true,
  statusSubresource: false,
  defaults: (object) => defaultMatch((object as Binding).spec.matchResources),
  validate: (object, errors) => validateBinding((object as Binding).spec, errors),
};

function validatePolicy({ spec, metadata }: Policy, errors: FieldErrors): void {
  oneOf(spec.failurePolicy, ['Fail', 'Ignore'], 'spec.failurePolicy', errors);
  if (spec.paramKind) validateParamKind(spec.paramKind, errors);
  const params = spec.paramKind !== undefined;
  if (!spec.matchConstraints) errors.required('spec.matchConstraints');
  else {
    validateMatch(spec.matchConstraints, 'spec.matchConstraints', errors);
    if (!spec.matchConstraints.resourceRules?.length) errors.required('spec.matchConstraints.resourceRules');
  }
  validateConditions(spec.matchConditions ?? [], { authorizer: true, params }, 'spec.matchConditions', errors);
  const variables = new Map<string, Type>();
  const scope: Scope = { authorizer: true, params, variables };
  (spec.variables ?? []).forEach(({ name, expression }, index) => {
    const at = `spec.variables[${index}]`;
    if (!name?.trim()) errors.required(`${at}.name`, 'name is not specified');
    else if (!/^[A-Za-z_]\w*$/.test(name)) errors.invalid(`${at}.name`, name, 'must be a valid CEL identifier');
    if (!expression?.trim()) errors.required(`${at}.expression`, 'expression is not specified');
    else {
      const type = validateExpression(expression, scope, [], { path: `${at}.expression`, errors });
      if (type && name) variables.set(name, type);
    }
  });
  const { validations = [], auditAnnotations = [] } = spec;
  if (!validations.length && !auditAnnotations.length) {
    const text = 'validations or auditAnnotations must contain at least one item';
    errors.required('spec.validations', text);
    errors.required('spec.auditAnnotations', text);
  }
  validations.forEach((validation, index) => {
    validateValidation(validation, scope, `spec.validations[${index}]`, errors);
  });
  validateAnnotations({ spec, metadata } as Policy, scope, errors);
}

function validateValidation(validation: Validation, scope: Scope, at: string, errors: FieldErrors): void {
  const { expression = '', message = '', messageExpression = '', reason } = validation;
  if (!expression.trim()) errors.required(`${at}.expression`, 'expression is not specified');
  else validateExpression(expression, scope, ['bool'], { path: `${at}.expression`, errors });
  if (messageExpression && !messageExpression.trim())
    errors.invalid(`${at}.messageExpression`, messageExpression, 'must be non-empty if specified');
  else if (messageExpression)
    validateExpression(messageExpression, { ...scope, authorizer: false }, ['string'], {
      path: `${at}.messageExpression`,
      errors,
    });
  if (message && !message.trim()) errors.invalid(`${at}.message`, message, 'must be non-empty if specified');
  else if (/[\n\r]/.test(message.trim())) errors.invalid(`${at}.message`, message, 'must not contain line breaks');
  oneOf(reason, ['Forbidden', 'Invalid', 'RequestEntityTooLarge'], `${at}.reason`, errors);
}

function validateAnnotations({ spec, metadata }: Policy, scope: Scope, errors: FieldErrors): void {
  const keys = new Set<string>();
  const list = spec.auditAnnotations ?? [];
  if (list.length > 20) errors.invalid('spec.auditAnnotations', list, 'must not have more than 20 auditAnnotations');
  list.forEach(({ key = '', valueExpression = '' }, index) => {
    const at = `spec.auditAnnotations[${index}]`;
    for (const problem of qualifiedNameProblems(`${metadata.name}/${key}`))
      errors.invalid(`${at}.key`, `${metadata.name}/${key}`, problem);
    const text = valueExpression.trim();
    if (!text) errors.required(`${at}.valueExpression`, 'valueExpression is not specified');
    else if (text.length > 5120) errors.required(`${at}.valueExpression`, 'must not exceed 5120 bytes in length');
    else validateExpression(text, scope, ['string', 'null_type'], { path: `${at}.valueExpression`, errors });
    if (keys.has(key)) errors.duplicate(`${at}.key`, key);
    keys.add(key);
  });
}

function validateParamKind(
  { apiVersion = '', kind = '' }: { apiVersion?: string; kind?: string },
  errors: FieldErrors,
): void {
  const at = 'spec.paramKind';
  const parts = apiVersion.split('/');
  const [group, version] = parts.length === 1 ? ['', parts[0] ?? ''] : [parts[0] ?? '', parts[1] ?? ''];
  if (!apiVersion) errors.required(`${at}.apiVersion`);
  else if (parts.length > 2)
    errors.invalid(`${at}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  else {
    if (group && isDnsSubdomain(group).length)
      errors.invalid(`${at}.apiVersion`, group, isDnsSubdomain(group).join(','));
    if (!version) errors.invalid(`${at}.apiVersion`, apiVersion, 'version must be specified');
    else if (isDns1035Label(version).length)
      errors.invalid(`${at}.apiVersion`, version, isDns1035Label(version).join(','));
  }
  const problems = isDns1035Label(kind.toLowerCase());
  if (!kind) errors.required(`${at}.kind`);
  else if (problems.length)
    errors.invalid(`${at}.kind`, kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`);
}

function validateMatch(match: MatchResources, at: string, errors: FieldErrors): void {
  oneOf(match.matchPolicy, ['Equivalent', 'Exact'], `${at}.matchPolicy`, errors);
  validateSelector(match.namespaceSelector, `${at}.namespaceSelector`, errors);
  validateSelector(match.objectSelector, `${at}.objectSelector`, errors);
  for (const field of ['resourceRules', 'excludeResourceRules'] as const)
    (match[field] ?? []).forEach((rule, index) => {
      validateNamedRule(rule, `${at}.${field}[${index}]`, errors);
    });
}

function validateNamedRule(rule: Rule, at: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  (rule.resourceNames ?? []).forEach((name, index) => {
    for (const problem of isPathSegment(name)) errors.invalid(`${at}.resourceNames[${index}]`, name, problem);
    if (seen.has(name)) errors.duplicate(`${at}.resourceNames[${index}]`, name);
    seen.add(name);
  });
  validateRule(rule, at, errors);
}

function validateBinding(spec: Binding['spec'], errors: FieldErrors): void {
  const { policyName = '', paramRef, matchResources, validationActions = [] } = spec;
  if (!policyName) errors.required('spec.policyName');
  else for (const problem of isDnsSubdomain(policyName)) errors.invalid('spec.policyName', policyName, problem);
  if (paramRef) validateParamRef(paramRef, errors);
  if (matchResources) validateMatch(matchResources, 'spec.matchResources', errors);
  const at = 'spec.validationActions';
  const seen = new Set<string>();
  validationActions.forEach((action, index) => {
    oneOf(action, ['Audit', 'Deny', 'Warn'], `${at}[${index}]`, errors);
    if (seen.has(action)) errors.duplicate(`${at}[${index}]`, action);
    seen.add(action);
  });
  if (seen.has('Deny') && seen.has('Warn'))
    errors.invalid(
      at,
      validationActions,
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    );
  if (!seen.size) errors.required(at, 'at least one validation action is required');
}

function validateParamRef(ref: NonNullable<Binding['spec']['paramRef']>, errors: FieldErrors): void {
  const at = 'spec.paramRef';
  if (ref.name) {
    for (const problem of isPathSegment(ref.name)) errors.invalid(`${at}.name`, ref.name, problem);
    if (ref.selector) errors.forbidden(`${at}.name`, 'name and selector are mutually exclusive');
  }
  if (ref.selector) {
    validateSelector(ref.selector, `${at}.selector`, errors);
    if (ref.name) errors.forbidden(`${at}.selector`, 'name and selector are mutually exclusive');
  }
  if (!ref.name && !ref.selector) errors.required(at, 'one of name or selector must be specified');
  if (!ref.parameterNotFoundAction) errors.required(`${at}.parameterNotFoundAction`);
  else oneOf(ref.parameterNotFoundAction, ['Deny', 'Allow'], `${at}.parameterNotFoundAction`, errors);
}

/** Which parameters a binding of a policy names. */
export function parametersText(o: KubeObject): string {
  const name = textAt(o, 'spec.paramRef.name');
  if (name) return `${textAt(o, 'spec.paramRef.namespace', '*')}/${name}`;
  const selector = at(o, 'spec.paramRef.selector') as LabelSelector | undefined;
  return selector ? goSelector(selector) : '<unset>';
}

export const validatingAdmissionPolicies: BuiltinKind = {
  strategy: validatingAdmissionPolicy,
  cells: (o, now) => [
    name(o),
    listAt(o, 'spec.validations').length,
    at(o, 'spec.paramKind')
      ? `${textAt(o, 'spec.paramKind.apiVersion')}/${textAt(o, 'spec.paramKind.kind')}`
      : '<unset>',
    age(o, now),
  ],
};

export const validatingAdmissionPolicyBindings: BuiltinKind = {
  strategy: validatingAdmissionPolicyBinding,
  cells: (o, now) => [name(o), textAt(o, 'spec.policyName'), parametersText(o), age(o, now)],
};
