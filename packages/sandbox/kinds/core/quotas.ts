import { randomUUID } from 'node:crypto';
import { type FieldErrors, qualifiedNameProblems, type Strategy } from '@tiphys/apimachinery';
import { compareQuantities, type coreV1, isWhole, type KubeObject, quantityValue } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at } from '../shared/cell-values.ts';
import { age, name, nameAndCreation } from '../shared/cells.ts';
import {
  isIntegerResource,
  QUOTA_NAMES,
  validateContainerResourceName,
  validateResourceName,
} from '../shared/container-resources.ts';

export function quotaCells(o: KubeObject, now: number): unknown[] {
  const hard = (at(o, 'status.hard') ?? {}) as Record<string, string>;
  const used = (at(o, 'status.used') ?? {}) as Record<string, string>;
  const names = Object.keys(hard).sort();
  const text = (wanted: boolean) =>
    names
      .filter((resource) => resource.startsWith('limits.') === wanted)
      .map((resource) => `${resource}: ${used[resource] ?? '0'}/${hard[resource]}`)
      .join(', ');
  return [name(o), text(false), text(true), age(o, now)];
}

type Amounts = Record<string, string>;

interface Limit extends coreV1.LimitRangeItem {
  type: string;
}

export const limitRange: Strategy = {
  metaRulesOnUpdate: true,
  createOnUpdate: true,
  generation: false,
  statusSubresource: false,
  prepareCreate({ metadata }) {
    metadata.name ||= randomUUID();
  },
  defaults(object) {
    for (const limit of limitsOf(object)) {
      if (limit.type !== 'Container') continue;
      limit.default = { ...limit.max, ...limit.default };
      limit.defaultRequest = { ...limit.min, ...limit.default, ...limit.defaultRequest };
      for (const field of ['default', 'defaultRequest'] as const)
        if (!Object.keys(limit[field] ?? {}).length) delete limit[field];
    }
  },
  validate(object, errors) {
    const types = new Set<string>();
    limitsOf(object).forEach((limit, index) => {
      const at = `spec.limits[${index}]`;
      validateType(limit.type, `${at}.type`, errors);
      if (types.has(limit.type)) errors.duplicate(`${at}.type`, limit.type);
      types.add(limit.type);
      validateLimit(limit, at, errors);
    });
  },
};

function limitsOf(object: KubeObject): Limit[] {
  return ((object.spec as coreV1.LimitRangeSpec | undefined)?.limits ?? []) as Limit[];
}

function validateType(type: string, path: string, errors: FieldErrors): void {
  const problems = qualifiedNameProblems(type);
  for (const problem of problems) errors.invalid(path, type, problem);
  if (!problems.length && !type.includes('/') && !['Pod', 'Container', 'PersistentVolumeClaim'].includes(type))
    errors.invalid(path, type, 'must be a standard limit type or fully qualified');
}

function validateLimit(limit: Limit, at: string, errors: FieldErrors): void {
  const isPod = limit.type === 'Pod';
  const check = (field: 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio') => {
    for (const name of Object.keys(limit[field] ?? {})) {
      const path = `${at}.${field}[${name}]`;
      if (isPod || limit.type === 'Container') validateContainerResourceName(name, path, errors);
      else validateResourceName(name, path, errors);
    }
  };
  check('max');
  check('min');
  for (const field of ['default', 'defaultRequest'] as const) {
    if (!isPod) check(field);
    else if (Object.keys(limit[field] ?? {}).length)
      errors.forbidden(`${at}.${field}`, "may not be specified when `type` is 'Pod'");
  }
  if (limit.type === 'PersistentVolumeClaim' && !limit.min?.storage && !limit.max?.storage)
    errors.required(`${at}.limits`, 'either minimum or maximum storage value is required, but neither was provided');
  check('maxLimitRequestRatio');
  const names = new Set(
    [limit.max, limit.min, ...(isPod ? [] : [limit.default, limit.defaultRequest]), limit.maxLimitRequestRatio].flatMap(
      (list) => Object.keys(list ?? {}),
    ),
  );
  for (const name of names) validateAmounts(limit, name, at, errors);
}

const above = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && (compareQuantities(one, other) ?? 0) > 0;

function validateAmounts(limit: Limit, name: string, at: string, errors: FieldErrors): void {
  const isPod = limit.type === 'Pod';
  const [min, max, ratio] = [limit.min?.[name], limit.max?.[name], limit.maxLimitRequestRatio?.[name]];
  const [limited, requested] = isPod ? [] : [limit.default?.[name], limit.defaultRequest?.[name]];
  const path = (field: string) => `${at}.${field}[${name}]`;
  if (above(min, max)) errors.invalid(path('min'), min, `min value ${min} is greater than max value ${max}`);
  if (above(min, requested))
    errors.invalid(
      path('defaultRequest'),
      requested,
      `min value ${min} is greater than default request value ${requested}`,
    );
  if (above(requested, max))
    errors.invalid(
      path('defaultRequest'),
      requested,
      `default request value ${requested} is greater than max value ${max}`,
    );
  if (above(requested, limited))
    errors.invalid(
      path('defaultRequest'),
      requested,
      `default request value ${requested} is greater than default limit value ${limited}`,
    );
  if (above(min, limited))
    errors.invalid(path('default'), min, `min value ${min} is greater than default value ${limited}`);
  if (above(limited, max))
    errors.invalid(path('default'), max, `default value ${limited} is greater than max value ${max}`);
  if (ratio === undefined) return;
  if (above('1', ratio)) errors.invalid(path('maxLimitRequestRatio'), ratio, `ratio ${ratio} is less than 1`);
  if (min === undefined || max === undefined) return;
  const bound = quantityValue(max) / quantityValue(min);
  if (quantityValue(ratio) > bound)
    errors.invalid(path('maxLimitRequestRatio'), ratio, `ratio ${ratio} is greater than max/min = ${bound.toFixed(6)}`);
}

interface QuotaSpec {
  hard?: Amounts;
  scopes?: string[];
  scopeSelector?: { matchExpressions?: { scopeName: string; operator: string; values?: string[] }[] };
}

export const resourceQuota: Strategy = {
  generation: false,
  statusSubresource: true,
  validate(object, errors) {
    const spec = (object.spec ?? {}) as QuotaSpec;
    validateAmountsOf(spec.hard, 'spec.hard', errors);
    validateScopes(spec, errors);
    validateSelector(spec, errors);
  },
  validateUpdate(object, old, errors) {
    const scopes = (source: KubeObject) => ((source.spec as QuotaSpec | undefined)?.scopes ?? []).toSorted().join();
    if (scopes(object) !== scopes(old))
      errors.invalid('spec.scopes', (object.spec as QuotaSpec).scopes ?? null, 'field is immutable');
  },
  validateStatus(object, _, errors) {
    const { hard, used } = (object.status ?? {}) as coreV1.ResourceQuotaStatus;
    validateAmountsOf(hard, 'status.hard', errors);
    validateAmountsOf(used, 'status.used', errors);
  },
};

function validateAmountsOf(amounts: Amounts | undefined, at: string, errors: FieldErrors): void {
  for (const [name, amount] of Object.entries(amounts ?? {}))
    validateQuotaAmount(name, amount, `${at}[${name}]`, errors);
}

function validateQuotaAmount(name: string, amount: string, path: string, errors: FieldErrors): void {
  validateResourceName(name, path, errors);
  if (!name.includes('/') && !QUOTA_NAMES.has(name) && !/^(requests\.)?hugepages-/.test(name))
    errors.invalid(path, name, 'must be a standard resource for quota');
  if (amount.startsWith('-')) errors.invalid(path, amount, 'must be greater than or equal to 0');
  if (isIntegerResource(name) && !isWhole(amount)) errors.invalid(path, amount, 'must be an integer');
}

/** What quotas limit of pods. */
export const POD_QUOTAS: readonly string[] = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
];

const ALLOWED: Record<string, (name: string) => boolean> = {
  Terminating: (name) => POD_QUOTAS.includes(name),
  NotTerminating: (name) => POD_QUOTAS.includes(name),
  NotBestEffort: (name) => POD_QUOTAS.includes(name),
  BestEffort: (name) => name === 'pods',
  PriorityClass: (name) => POD_QUOTAS.includes(name),
  CrossNamespacePodAffinity: (name) => POD_QUOTAS.includes(name),
  VolumeAttributesClass: (name) => name === 'persistentvolumeclaims' || name === 'requests.storage',
};

const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

function inapplicable(scope: string, hard: Amounts | undefined): number {
  const allowed = ALLOWED[scope] ?? (() => true);
  return Object.keys(hard ?? {}).filter((name) => QUOTA_NAMES.has(name) && !allowed(name)).length;
}

function validateScopes({ scopes = [], hard }: QuotaSpec, errors: FieldErrors): void {
  for (const scope of scopes) {
    if (!ALLOWED[scope]) errors.invalid('spec.scopes', scopes, 'unsupported scope');
    for (let count = inapplicable(scope, hard); count > 0; count--)
      errors.invalid('spec.scopes', scopes, 'unsupported scope applied to resource');
  }
  for (const pair of CONFLICTS)
    if (pair.every((scope) => scopes.includes(scope))) errors.invalid('spec.scopes', scopes, 'conflicting scopes');
}

const ONLY_EXISTS = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];

function validateSelector({ scopeSelector, scopes, hard }: QuotaSpec, errors: FieldErrors): void {
  const path = 'spec.scopeSelector.matchExpressions';
  const expressions = scopeSelector?.matchExpressions ?? [];
  for (const { scopeName, operator, values = [] } of expressions) {
    if (!ALLOWED[scopeName]) errors.invalid(`${path}.scopeName`, scopeName, 'unsupported scope');
    for (let count = inapplicable(scopeName, hard); count > 0; count--)
      errors.invalid(path, scopeSelector, 'unsupported scope applied to resource');
    if (ONLY_EXISTS.includes(scopeName) && operator !== 'Exists')
      errors.invalid(
        `${path}.operator`,
        operator,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      );
    if (operator === 'In' || operator === 'NotIn') {
      if (!values.length)
        errors.required(
          `${path}.values`,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        );
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length)
        errors.invalid(
          `${path}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        );
    } else errors.invalid(`${path}.operator`, operator, 'not a valid selector operator');
  }
  const names = expressions.map(({ scopeName }) => scopeName);
  for (const pair of CONFLICTS)
    if (pair.every((scope) => names.includes(scope)))
      errors.invalid('spec.scopes', scopes ?? null, 'conflicting scopes');
}

export const limitRanges: BuiltinKind = {
  strategy: limitRange,
  cells: nameAndCreation,
};

export const resourceQuotas: BuiltinKind = {
  strategy: resourceQuota,
  cells: quotaCells,
};
