import { type Resource, StatusError } from '@tiphys/apimachinery';
import { CelCompileError, CelError, CostMeter, fromJson, type MapKey, type Type, type Value } from '@tiphys/cel';
import { type KubeObject, type LabelSelector, parseApiVersion, selectorMatches } from '@tiphys/kubernetes';
import { type Attributes, admissionForbidden } from './attributes.ts';
import { admissionVariables, compileAdmission, type Scope } from './expressions.ts';
import { BUDGET_SPENT, conditionsMatch, expressionError, type MatchCondition } from './match-conditions.ts';
import { isExempt, matchedResource, type Rule, ruleMatches } from './rules.ts';

export interface MatchResources {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: Rule[];
  excludeResourceRules?: Rule[];
  matchPolicy?: string;
}

export interface Validation {
  expression: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

export interface Policy extends KubeObject {
  spec: {
    failurePolicy?: string;
    paramKind?: { apiVersion?: string; kind?: string };
    matchConstraints?: MatchResources;
    matchConditions?: MatchCondition[];
    variables?: { name: string; expression: string }[];
    validations?: Validation[];
    auditAnnotations?: { key: string; valueExpression: string }[];
  };
}

interface Binding extends KubeObject {
  spec: {
    policyName: string;
    paramRef?: { name?: string; namespace?: string; selector?: LabelSelector; parameterNotFoundAction?: string };
    matchResources?: MatchResources;
    validationActions: string[];
  };
}

const GROUP = 'admissionregistration.k8s.io';

interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason?: string;
}

/** Evaluates the ValidatingAdmissionPolicies that are bound; throws the first denial. */
export function validateByPolicies(attributes: Attributes): void {
  const policies = attributes.server.store.collection(`${GROUP}/validatingadmissionpolicies`);
  if (!policies.size || isExempt(attributes)) return;
  const denials: Denial[] = [];
  for (const key of policies.keys()) {
    const policy = policies.get(key)?.object as Policy;
    const shown = constrained(attributes, policy.spec.matchConstraints ?? {});
    if (shown) judge(attributes, policy, shown, denials);
  }
  const [denial] = denials;
  if (denial) throw denied(attributes, denial);
}

function constrained(attributes: Attributes, match: MatchResources): Resource | undefined {
  const shown = matchedResource(attributes, { ...match, rules: match.resourceRules });
  if (!shown) return undefined;
  const excluded = (match.excludeResourceRules ?? []).some((rule) =>
    ruleMatches(rule, attributes, attributes.resource),
  );
  return excluded ? undefined : shown;
}

/** A binding without rules of its own concerns all that the policy does. */
function bound(attributes: Attributes, { matchResources }: Binding['spec']): boolean {
  if (!matchResources) return true;
  const rules = matchResources.resourceRules?.length
    ? matchResources.resourceRules
    : [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
  return constrained(attributes, { ...matchResources, resourceRules: rules }) !== undefined;
}

function judge(attributes: Attributes, policy: Policy, shown: Resource, denials: Denial[]): void {
  const bindings = attributes.server.store.collection(`${GROUP}/validatingadmissionpolicybindings`);
  const name = policy.metadata.name ?? '';
  const published = new Map<string, Set<string>>();
  for (const key of bindings.keys()) {
    const binding = bindings.get(key)?.object as Binding;
    if (binding.spec.policyName !== name || !bound(attributes, binding.spec)) continue;
    const params = paramsFor(attributes, policy, binding);
    if ('problem' in params) {
      if (policy.spec.failurePolicy !== 'Ignore')
        denials.push({
          policy: name,
          binding: params.policy ? undefined : key,
          message: `failed to configure ${params.policy ? 'policy' : 'binding'}: ${params.problem}`,
        });
      continue;
    }
    for (const param of params.objects) {
      const evaluation = new Evaluation(attributes, policy, shown, param);
      for (const { index, ...decision } of evaluation.decisions())
        enforce(attributes, { name, binding, index, decision }, denials);
      for (const [annotation, value] of evaluation.annotations(denials, name, key)) {
        const values = published.get(annotation) ?? new Set();
        published.set(annotation, values.add(value));
      }
    }
  }
  for (const [annotation, values] of published) attributes.annotate(`${name}/${annotation}`, [...values].join(', '));
}

function enforce(
  attributes: Attributes,
  { name, binding, index, decision }: { name: string; binding: Binding; index: number; decision: Decision },
  denials: Denial[],
): void {
  const bindingName = binding.metadata.name ?? '';
  const { validationActions } = binding.spec;
  for (const action of validationActions) {
    if (action === 'Deny') denials.push({ policy: name, binding: bindingName, ...decision });
    else if (action === 'Warn')
      attributes.warn(
        `Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${bindingName}': ${decision.message}`,
      );
    else
      attributes.annotate(
        'validation.policy.admission.k8s.io/validation_failure',
        JSON.stringify([
          {
            message: decision.message,
            policy: name,
            binding: bindingName,
            expressionIndex: index,
            validationActions,
          },
        ]),
      );
  }
}

interface Decision {
  readonly message: string;
  readonly reason?: string;
}

/** What all expressions of a policy may cost for one binding. */
const BUDGET = 10_000_000;

/** One policy on one request with one object of parameters. */
class Evaluation {
  readonly #policy: Policy;
  readonly #scope: Scope;
  readonly #variables: (name: string) => Value | undefined;
  readonly #meter = new CostMeter();
  #matches = true;
  #broken: string | undefined;

  constructor(attributes: Attributes, policy: Policy, shown: Resource, param: KubeObject | undefined) {
    this.#policy = policy;
    const base: Scope = { params: policy.spec.paramKind !== undefined, authorizer: true };
    const types = new Map<string, Type>();
    this.#scope = { ...base, variables: types };
    const values = new LazyVariables();
    this.#variables = admissionVariables(attributes, shown, (name) => {
      if (name === 'params') return param ? fromJson(param) : null;
      return name === 'variables' ? values : undefined;
    });
    for (const { name, expression } of policy.spec.variables ?? []) {
      try {
        const program = compileAdmission(expression, this.#scope);
        types.set(name, program.type);
        values.define(name, () => program.evaluate(this.#variables, this.#meter));
      } catch (error) {
        if (!(error instanceof CelCompileError)) throw error;
        this.#broken = `composited variable ${JSON.stringify(name)} fails to compile: ${error.message}`;
      }
    }
    const { matchConditions = [], failurePolicy } = policy.spec;
    const result = conditionsMatch(matchConditions, this.#variables, base, failurePolicy);
    if ('error' in result) this.#broken = result.error;
    else this.#matches = result.matches;
  }

  *decisions(): Generator<Decision & { index: number }> {
    const { validations = [], failurePolicy } = this.#policy.spec;
    const tolerant = failurePolicy === 'Ignore';
    if (!this.#matches) return;
    if (this.#broken !== undefined) {
      if (!tolerant) yield { index: 0, message: this.#broken };
      return;
    }
    for (const [index, validation] of validations.entries()) {
      try {
        const value = this.#value(validation.expression);
        if (this.#meter.spent > BUDGET) {
          if (!tolerant) yield { index, message: BUDGET_SPENT };
          return;
        }
        if (value === true) continue;
        yield { index, message: this.#message(validation), reason: validation.reason ?? 'Invalid' };
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        if (!tolerant) yield { index, message: expressionError(validation.expression, error) };
      }
    }
  }

  *annotations(denials: Denial[], policy: string, binding: string): Generator<[string, string]> {
    if (!this.#matches || this.#broken !== undefined) return;
    for (const { key, valueExpression } of this.#policy.spec.auditAnnotations ?? []) {
      try {
        const value = this.#value(valueExpression);
        if (typeof value === 'string' && value.trim()) yield [key, value.trim()];
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        if (this.#policy.spec.failurePolicy !== 'Ignore')
          denials.push({ policy, binding, message: expressionError(valueExpression, error) });
      }
    }
  }

  #value(expression: string): Value {
    return compileAdmission(expression, this.#scope).evaluate(this.#variables, this.#meter);
  }

  #message({ expression, message, messageExpression }: Validation): string {
    let text = '';
    if (messageExpression) {
      try {
        const value = this.#value(messageExpression);
        text = typeof value === 'string' ? value.trim() : '';
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
      }
      if (text.includes('\n') || text.length > 5120) text = '';
    }
    return text || message?.trim() || `failed expression: ${expression.trim()}`;
  }
}

/** The `variables` of a policy: each is evaluated once, when it is first used. */
class LazyVariables extends Map<MapKey, Value> {
  readonly #made = new Map<MapKey, () => Value>();

  define(name: string, make: () => Value): void {
    let result: { value: Value } | { error: CelError } | undefined;
    this.#made.set(name, () => {
      if (!result) {
        try {
          result = { value: make() };
        } catch (error) {
          if (!(error instanceof CelError)) throw error;
          result = {
            error: new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error.message}`),
          };
        }
      }
      if ('error' in result) throw result.error;
      return result.value;
    });
  }

  override get(name: MapKey): Value | undefined {
    return this.#made.get(name)?.();
  }

  override has(name: MapKey): boolean {
    return this.#made.has(name);
  }
}

function paramsFor(
  { server, namespace }: Attributes,
  { spec }: Policy,
  { spec: { paramRef } }: Binding,
): { objects: (KubeObject | undefined)[] } | { problem: string; policy?: boolean } {
  const { paramKind } = spec;
  if (!paramKind || !paramRef) return { objects: [undefined] };
  const { group, version } = parseApiVersion(paramKind.apiVersion ?? '');
  const resource = server.registry.findKind(group, version, paramKind.kind ?? '');
  if (!resource) {
    const kind = `${group}/${version}, Kind=${paramKind.kind}`;
    return { policy: true, problem: `failed to find resource referenced by paramKind: '${kind}'` };
  }
  if (!resource.namespaced && paramRef.namespace)
    return { problem: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  const home = resource.namespaced ? paramRef.namespace || namespace : '';
  if (resource.namespaced && !home)
    return { problem: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources' };
  const collection = server.store.collection(resource.collection);
  const prefix = resource.namespaced ? `${home}/` : '';
  const objects = collection
    .keys()
    .filter((key) => (paramRef.name ? key === `${prefix}${paramRef.name}` : key.startsWith(prefix)))
    .map((key) => resource.fromStored(collection.objectOf(key)))
    .filter(({ metadata }) => paramRef.name || selectorMatches(paramRef.selector ?? {}, metadata.labels ?? {}));
  if (!objects.length && paramRef.parameterNotFoundAction === 'Deny')
    return { problem: 'no params found for policy binding with `Deny` parameterNotFoundAction' };
  return { objects };
}

const CODES: Record<string, number> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

function denied(attributes: Attributes, { policy, binding, message, reason = 'Invalid' }: Denial): StatusError {
  const text =
    binding === undefined
      ? `ValidatingAdmissionPolicy '${policy}' denied request: ${message}`
      : `ValidatingAdmissionPolicy '${policy}' with binding '${binding}' denied request: ${message}`;
  const { status } = admissionForbidden(attributes, text);
  return new StatusError(CODES[reason] ?? 422, reason, status.message ?? text, {
    ...status.details,
    causes: [{ message: text } as { message: string; reason: string }],
  });
}
