import { builtinModels, type KubeObject, type ObjectKey, type ObjectType, TypeModels } from '@tiphys/kubernetes';
import { isObject, type JsonObject } from '../model/fields.ts';
import { parseQuantity } from '../model/quantity.ts';
import type { Ignore } from './ignore-rules.ts';

/** A field of a custom resource that has the type of a built-in one, as `knownTypeFields` of the settings says it. */
export interface KnownTypeField {
  readonly group: string;
  readonly kind: string;
  /** With dots, such as `spec.template.spec`; lists on the way are gone through. */
  readonly field: string;
  /** As upstream names it: `core/v1/PodSpec`, `core/Quantity`, `meta/v1/Duration`. */
  readonly type: string;
}

type Form = (value: unknown) => unknown;

/** What everybody's Rollouts are compared by, unless the settings say something of Rollouts. */
const rolloutTemplate: KnownTypeField = {
  group: 'argoproj.io',
  kind: 'Rollout',
  field: 'spec.template.spec',
  type: 'core/v1/PodSpec',
};
const quantityMap = new TypeModels({}).typeOf({
  type: 'object',
  additionalProperties: { $ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity' },
});

/** Whether upstream knows the type, and we do. */
export function isKnownType(type: string): boolean {
  return formOf(type) !== undefined;
}

/**
 * Brings the known fields of objects of the key into the one form in which the built-in type is written: quantities and
 * durations by their amount, without fields that are empty or that the type does not have. Undefined if there are none.
 */
export function knownTypesFor(key: ObjectKey, fields: readonly KnownTypeField[]): Ignore | undefined {
  const all = fields.some(({ group, kind }) => isRollout({ group, kind })) ? fields : [...fields, rolloutTemplate];
  const own = all.filter(({ group, kind }) => group === key.group && kind === key.kind);
  if (own.length === 0) return undefined;
  return (value) => {
    for (const { field, type } of own) {
      const form = formOf(type);
      if (form) rewrite(value as unknown as JsonObject, field.split('.'), form);
    }
  };
}

function isRollout({ group, kind }: { group: string; kind: string }): boolean {
  return group === rolloutTemplate.group && kind === rolloutTemplate.kind;
}

function formOf(type: string): Form | undefined {
  if (type === 'core/Quantity') return quantityForm;
  if (type === 'meta/v1/Duration') return durationForm;
  if (type === 'core/v1/ResourceList') return (value) => typedForm(value, quantityMap);
  const [, name] = /^core\/v1\/([A-Za-z]+)$/.exec(type) ?? [];
  const schema = `io.k8s.api.core.v1.${name}`;
  const models = builtinModels();
  return models.schema(schema) ? (value) => typedForm(value, models.named(schema)) : undefined;
}

function rewrite(parent: JsonObject, [name = '', ...rest]: readonly string[], form: Form): void {
  if (!Object.hasOwn(parent, name)) return;
  const value = parent[name];
  if (Array.isArray(value)) {
    parent[name] = value.map((item: unknown) => {
      if (rest.length === 0) return isObject(item) ? form(item) : item;
      if (isObject(item)) rewrite(item, rest, form);
      return item;
    });
  } else if (rest.length === 0) parent[name] = form(value);
  else if (isObject(value)) rewrite(value, rest, form);
}

function typedForm(value: unknown, type: ObjectType): unknown {
  if (type.schema.format === 'quantity') return quantityForm(value);
  if (Array.isArray(value)) {
    const element = type.list?.element;
    return element ? value.map((item) => typedForm(item, element)) : value;
  }
  if (!isObject(value) || !type.map) return value;
  const { fields, element } = type.map;
  const result: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    const field = fields.get(name)?.type ?? element;
    if (!field) continue;
    const written = typedForm(item, field);
    if (!isLeftOut(name, written, type.schema.required?.includes(name) ?? false)) result[name] = written;
  }
  return result;
}

/** Fields that Go leaves out where they have its zero value; of those that it keeps, zero and absent are not the same. */
const zeroLeftOut = new Set([
  ...['hostNetwork', 'hostPID', 'hostIPC', 'stdin', 'stdinOnce', 'tty', 'readOnly'],
  ...['hostPort', 'initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'],
]);
const emptyLeftOut = new Set(['resources', 'strategy', 'metadata', 'status']);

function isLeftOut(name: string, value: unknown, required: boolean): boolean {
  if (value === null || value === undefined) return true;
  if (required) return false;
  if (value === '' || (Array.isArray(value) && value.length === 0)) return true;
  if (isObject(value) && Object.keys(value).length === 0) return emptyLeftOut.has(name);
  return (value === false || value === 0) && zeroLeftOut.has(name);
}

/** Upstream's form where one exists: `2` for `2000m`, `1Gi` for `1024Mi`. */
function quantityForm(value: unknown): unknown {
  const amount = parseQuantity(value);
  if (amount === undefined || !Number.isFinite(amount)) return value;
  const binary = typeof value === 'string' && value.endsWith('i');
  const units = binary ? binaryUnits : decimalUnits;
  const base = binary ? 1024 : 1000;
  if (!Number.isInteger(amount)) {
    const milli = amount * 1000;
    return Math.abs(milli - Math.round(milli)) < 1e-9 ? `${Math.round(milli)}m` : String(amount);
  }
  let rest = amount;
  let unit = '';
  for (const next of units) {
    if (rest === 0 || rest % base !== 0) break;
    rest /= base;
    unit = next;
  }
  return `${rest}${unit}`;
}

const binaryUnits = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalUnits = ['k', 'M', 'G', 'T', 'P', 'E'];
const seconds: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** A duration in seconds: `90m` and `1h30m` are the same. */
function durationForm(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.replace(/^[+-]/, '');
  if (!/^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return value;
  let total = 0;
  for (const [, digits, unit = ''] of text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g))
    total += Number(digits) * (seconds[unit] ?? 0);
  return `${value.startsWith('-') ? '-' : ''}${total}s`;
}

/** Both, one after the other; undefined if there is none. */
export function both(first: Ignore | undefined, second: Ignore | undefined): Ignore | undefined {
  if (!first || !second) return first ?? second;
  return (value: KubeObject, live: KubeObject) => {
    first(value, live);
    second(value, live);
  };
}
