import { compileAdmission, type MatchCondition, type Rule, type Scope, type Webhook } from '@tiphys/admission-rules';
import {
  type ClientConfig,
  type FieldErrors,
  isDns1035Label,
  isDnsSubdomain,
  qualifiedNameProblems,
  type Strategy,
  validateClientConfig,
} from '@tiphys/apimachinery';
import { CelCompileError, CelInstantiationError, formatType, type Type } from '@tiphys/cel';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { listAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { validateSelector } from '../shared/selector-validation.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];

function webhookStrategy(mutating: boolean): Strategy {
  return {
    generation: true,
    statusSubresource: false,
    unconditionalUpdate: false,
    metaRulesOnUpdate: true,
    defaults(object) {
      for (const webhook of (object.webhooks ?? []) as Webhook[]) {
        webhook.failurePolicy ??= 'Fail';
        webhook.matchPolicy ??= 'Equivalent';
        webhook.namespaceSelector ??= {};
        webhook.objectSelector ??= {};
        webhook.timeoutSeconds ??= 10;
        if (mutating) webhook.reinvocationPolicy ??= 'Never';
        for (const rule of webhook.rules ?? []) rule.scope ??= '*';
        defaultPort(webhook.clientConfig);
      }
    },
    validate(object, errors) {
      const names = new Set<string>();
      ((object.webhooks ?? []) as Webhook[]).forEach((webhook, index) => {
        const at = `webhooks[${index}]`;
        validateWebhook(webhook, at, errors);
        validateReviewVersions(webhook.admissionReviewVersions ?? [], `${at}.admissionReviewVersions`, errors);
        if (names.has(webhook.name)) errors.duplicate(`${at}.name`, webhook.name);
        if (webhook.name) names.add(webhook.name);
      });
    },
  };
}

export const mutatingWebhookConfiguration = webhookStrategy(true);

export const validatingWebhookConfiguration = webhookStrategy(false);

function defaultPort(config: ClientConfig | undefined): void {
  if (config?.service) config.service.port ??= 443;
}

function validateWebhook(webhook: Webhook, at: string, errors: FieldErrors): void {
  validateFullName(webhook.name ?? '', `${at}.name`, errors);
  webhook.rules?.forEach((rule, index) => {
    validateRule(rule, `${at}.rules[${index}]`, errors);
  });
  oneOf(webhook.failurePolicy, ['Fail', 'Ignore'], `${at}.failurePolicy`, errors);
  oneOf(webhook.matchPolicy, ['Equivalent', 'Exact'], `${at}.matchPolicy`, errors);
  if (webhook.sideEffects === undefined || webhook.sideEffects === null)
    errors.required(`${at}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`);
  else oneOf(webhook.sideEffects, SIDE_EFFECTS, `${at}.sideEffects`, errors);
  const { timeoutSeconds: timeout = 10 } = webhook;
  if (timeout < 1 || timeout > 30)
    errors.invalid(`${at}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds');
  validateSelector(webhook.namespaceSelector, `${at}.namespaceSelector`, errors);
  validateSelector(webhook.objectSelector, `${at}.objectSelector`, errors);
  oneOf(webhook.reinvocationPolicy, ['IfNeeded', 'Never'], `${at}.reinvocationPolicy`, errors);
  validateClientConfig(webhook.clientConfig ?? {}, `${at}.clientConfig`, errors);
  validateConditions(webhook.matchConditions ?? [], { authorizer: true }, `${at}.matchConditions`, errors);
}

function validateFullName(name: string, path: string, errors: FieldErrors): void {
  if (!name) {
    errors.required(path);
    return;
  }
  const problems = isDnsSubdomain(name);
  if (problems.length) errors.invalid(path, name, problems.join(','));
  else if (name.split('.').length < 3)
    errors.invalid(path, name, 'should be a domain with at least three segments separated by dots');
}

export function oneOf(value: string | undefined, allowed: readonly string[], path: string, errors: FieldErrors): void {
  if (value !== undefined && !allowed.includes(value)) errors.notSupported(path, value, allowed);
}

/** Validates which requests a webhook or a policy is for. */
export function validateRule(rule: Rule, at: string, errors: FieldErrors): void {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  if (!operations.length) errors.required(`${at}.operations`);
  if (operations.length > 1 && operations.includes('*'))
    errors.invalid(`${at}.operations`, operations, "if '*' is present, must not specify other operations");
  operations.forEach((operation, index) => {
    oneOf(operation, OPERATIONS, `${at}.operations[${index}]`, errors);
  });
  if (!apiGroups.length) errors.required(`${at}.apiGroups`);
  if (apiGroups.length > 1 && apiGroups.includes('*'))
    errors.invalid(`${at}.apiGroups`, apiGroups, "if '*' is present, must not specify other API groups");
  if (!apiVersions.length) errors.required(`${at}.apiVersions`);
  if (apiVersions.length > 1 && apiVersions.includes('*'))
    errors.invalid(`${at}.apiVersions`, apiVersions, "if '*' is present, must not specify other API versions");
  apiVersions.forEach((version, index) => {
    if (!version) errors.required(`${at}.apiVersions[${index}]`);
  });
  validateResources(resources, `${at}.resources`, errors);
  oneOf(rule.scope, ['*', 'Cluster', 'Namespaced'], `${at}.scope`, errors);
}

function validateResources(resources: readonly string[], at: string, errors: FieldErrors): void {
  if (!resources.length) errors.required(at);
  const wildSubresources = new Set<string>();
  const wildResources = new Set<string>();
  let plain = false;
  resources.forEach((text, index) => {
    if (!text) {
      errors.required(`${at}[${index}]`);
      return;
    }
    const [resource = '', ...rest] = text.split('/');
    if (!rest.length) {
      plain = text !== '*';
      return;
    }
    const sub = rest.join('/');
    if (wildSubresources.has(resource))
      errors.invalid(`${at}[${index}]`, text, `if '${resource}/*' is present, must not specify ${text}`);
    if (wildResources.has(sub))
      errors.invalid(`${at}[${index}]`, text, `if '*/${sub}' is present, must not specify ${text}`);
    if (sub === '*') wildSubresources.add(resource);
    if (resource === '*') wildResources.add(sub);
  });
  if (resources.length > 1 && resources.includes('*/*'))
    errors.invalid(at, resources, "if '*/*' is present, must not specify other resources");
  if (resources.includes('*') && plain)
    errors.invalid(at, resources, "if '*' is present, must not specify other resources without subresources");
}

function validateReviewVersions(versions: readonly string[], at: string, errors: FieldErrors): void {
  if (!versions.length) {
    errors.required(at, 'must specify one of v1, v1beta1');
    return;
  }
  const seen = new Set<string>();
  versions.forEach((version, index) => {
    if (seen.has(version)) errors.invalid(`${at}[${index}]`, version, 'duplicate version');
    else for (const problem of isDns1035Label(version)) errors.invalid(`${at}[${index}]`, version, problem);
    seen.add(version);
  });
  if (!seen.has('v1') && !seen.has('v1beta1')) errors.invalid(at, versions, 'must include at least one of v1, v1beta1');
}

/** Validates conditions in CEL: names that are there once, expressions that compile to bool. */
export function validateConditions(
  conditions: readonly MatchCondition[],
  scope: Scope,
  at: string,
  errors: FieldErrors,
): void {
  if (conditions.length > 64) errors.tooMany(at, conditions.length, 64);
  const names = new Set<string>();
  conditions.forEach(({ name, expression }, index) => {
    const here = `${at}[${index}]`;
    if (!expression?.trim()) errors.required(`${here}.expression`);
    else validateExpression(expression.trim(), scope, ['bool'], { path: `${here}.expression`, errors });
    if (!name) errors.required(`${here}.name`);
    else for (const problem of qualifiedNameProblems(name)) errors.invalid(`${here}.name`, name, problem);
    if (name && names.has(name)) errors.duplicate(`${here}.name`, name);
    names.add(name);
  });
}

/** Compiles an expression and checks its type; `undefined` when it can't be used. */
export function validateExpression(
  text: string,
  scope: Scope,
  types: readonly string[],
  { path, errors }: { path: string; errors: FieldErrors },
): Type | undefined {
  try {
    const { type } = compileAdmission(text, scope);
    if (!types.length || types.includes(typeName(type))) return type;
    const wanted = types.length === 1 ? `${types[0]}` : `one of [${types.join(' ')}]`;
    errors.invalid(path, text, `must evaluate to ${wanted} but got ${typeName(type)}`);
  } catch (error) {
    if (error instanceof CelInstantiationError) errors.internal(path, `program instantiation failed: ${error.message}`);
    else if (error instanceof CelCompileError) errors.invalid(path, text, `compilation failed: ${error.message}`);
    else throw error;
  }
  return undefined;
}

/** A type's own name, where messages about expressions have another. */
function typeName(type: Type): string {
  const names: Record<string, string> = {
    null: 'null_type',
    timestamp: 'google.protobuf.Timestamp',
    duration: 'google.protobuf.Duration',
  };
  const text = formatType(type);
  return names[text] ?? text;
}

export const mutatingWebhookConfigurations: BuiltinKind = {
  strategy: mutatingWebhookConfiguration,
  cells: (o, now) => [name(o), listAt(o, 'webhooks').length, age(o, now)],
};

export const validatingWebhookConfigurations: BuiltinKind = {
  strategy: validatingWebhookConfiguration,
  cells: (o, now) => [name(o), listAt(o, 'webhooks').length, age(o, now)],
};
