import { type FieldErrors, isDnsLabel, isPathSegment } from '@tiphys/apimachinery';
import { compareQuantities } from '@tiphys/kubernetes';
import { validateContainerResourceName } from '../shared/container-resources.ts';

interface Target {
  type?: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

interface Reference {
  apiVersion?: string;
  kind?: string;
  name?: string;
}

interface Source {
  name?: string;
  container?: string;
  metric?: { name?: string };
  describedObject?: Reference;
  target?: Target;
}

type SourceName = 'object' | 'external' | 'pods' | 'resource' | 'containerResource';

export interface Metric extends Partial<Record<SourceName, Source>> {
  type?: string;
}

const SOURCES: Readonly<Record<string, SourceName>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

const TYPES = Object.keys(SOURCES);

/** The first of these that is there is looked at. */
const ORDER: readonly SourceName[] = ['object', 'external', 'pods', 'resource', 'containerResource'];

/** One metric of an autoscaler, as the API server checks it. */
export function validateMetric(metric: Metric, at: string, errors: FieldErrors): void {
  const { type = '' } = metric;
  const expected = SOURCES[type];
  if (!type) errors.required(`${at}.type`, 'must specify a metric source type');
  if (!expected) errors.notSupported(`${at}.type`, type, TYPES);
  const present = ORDER.filter((name) => metric[name]);
  const [first] = present;
  if (first) CHECKS[first](metric[first] as Source, `${at}.${first}`, errors);
  if (!expected) errors.notSupported(`${at}.type`, type, TYPES);
  else if (!metric[expected])
    errors.required(`${at}.${expected}`, 'must populate information for the given metric source');
  if (present.length === 1) return;
  for (const name of present)
    if (name !== expected) errors.forbidden(`${at}.${name}`, 'must populate the given metric source only');
}

const CHECKS: Record<SourceName, (source: Source, at: string, errors: FieldErrors) => void> = {
  object(source, at, errors) {
    validateReference(source.describedObject, `${at}.describedObject`, errors, { core: true });
    validateIdentifier(source, at, errors);
    const { value, averageValue } = validateTarget(source, at, errors);
    if (value === undefined && averageValue === undefined)
      errors.required(`${at}.target.averageValue`, 'must set either a target value or averageValue');
  },
  external(source, at, errors) {
    validateIdentifier(source, at, errors);
    const { value, averageValue } = validateTarget(source, at, errors);
    if (value === undefined && averageValue === undefined)
      errors.required(`${at}.target.averageValue`, 'must set either a target value for metric or a per-pod target');
    if (value !== undefined && averageValue !== undefined)
      errors.forbidden(`${at}.target.value`, 'may not set both a target value for metric and a per-pod target');
  },
  pods(source, at, errors) {
    validateIdentifier(source, at, errors);
    const { averageValue } = validateTarget(source, at, errors);
    if (averageValue === undefined)
      errors.required(`${at}.target.averageValue`, 'must specify a positive target averageValue');
  },
  resource(source, at, errors) {
    if (!source.name) errors.required(`${at}.name`, 'must specify a resource name');
    validateUtilization(source, at, errors);
  },
  containerResource(source, at, errors) {
    const { name, container } = source;
    if (!name) errors.required(`${at}.name`, 'must specify a resource name');
    else validateContainerResourceName(name, `${at}.name`, errors);
    if (!container) errors.required(`${at}.container`, 'must specify a container');
    else for (const text of isDnsLabel(container)) errors.invalid(`${at}.container`, container, text);
    validateUtilization(source, at, errors);
  },
};

function validateUtilization(source: Source, at: string, errors: FieldErrors): void {
  const { averageUtilization, averageValue } = validateTarget(source, at, errors);
  if (averageUtilization === undefined && averageValue === undefined)
    errors.required(`${at}.target.averageUtilization`, 'must set either a target raw value or a target utilization');
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.forbidden(`${at}.target.averageValue`, 'may not set both a target raw value and a target utilization');
}

function validateTarget({ target = {} }: Source, at: string, errors: FieldErrors): Target {
  const { type = '', averageUtilization } = target;
  if (!type) errors.required(`${at}.target.type`, 'must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    errors.invalid(`${at}.target.type`, type, 'must be either Utilization, Value, or AverageValue');
  for (const field of ['value', 'averageValue'] as const) {
    const quantity = target[field];
    if (quantity !== undefined && (compareQuantities(quantity, '0') ?? 1) <= 0)
      errors.invalid(`${at}.target.${field}`, quantity, 'must be positive');
  }
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.invalid(`${at}.target.averageUtilization`, averageUtilization, 'must be greater than 0');
  return target;
}

function validateIdentifier({ metric }: Source, at: string, errors: FieldErrors): void {
  const name = metric?.name;
  if (!name) errors.required(`${at}.metric.name`, 'must specify a metric name');
  else for (const text of isPathSegment(name)) errors.invalid(`${at}.metric.name`, name, text);
}

/** Another object: its kind and name are path segments; its group is named, but where `core` ones will do. */
export function validateReference(
  reference: Reference | undefined,
  at: string,
  errors: FieldErrors,
  { core = false } = {},
): void {
  const { kind = '', name = '', apiVersion = '' } = reference ?? {};
  for (const [field, value] of [
    ['kind', kind],
    ['name', name],
  ] as const) {
    if (!value) errors.required(`${at}.${field}`);
    else for (const text of isPathSegment(value)) errors.invalid(`${at}.${field}`, value, text);
  }
  const slashes = apiVersion.split('/').length - 1;
  if (slashes > 1) errors.invalid(`${at}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  else if (!core && !/^[^/]+\//.test(apiVersion))
    errors.invalid(`${at}.apiVersion`, apiVersion, 'apiVersion must specify API group');
}
