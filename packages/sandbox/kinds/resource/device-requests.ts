import { type FieldErrors, isDnsLabel, isDnsSubdomain } from '@tiphys/apimachinery';
import type { resourceV1 } from '@tiphys/kubernetes';
import {
  type Configuration,
  type Selector,
  validateAttributeName,
  validateConfiguration,
  validateLabelName,
  validateLabelValue,
  validateList,
  validateSelectors,
} from './device-rules.ts';

interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

interface Request {
  name?: string;
  deviceClassName?: string;
  selectors?: Selector[] | null;
  allocationMode?: string;
  count?: number;
  adminAccess?: boolean;
  tolerations?: Toleration[] | null;
}

interface NamedRequest {
  name?: string;
  exactly?: Request;
  firstAvailable?: Request[] | null;
}

interface Constraint {
  requests?: string[] | null;
  matchAttribute?: string;
  distinctAttribute?: string;
}

interface ClaimConfiguration extends Configuration {
  requests?: string[] | null;
}

export interface ClaimSpec {
  devices?: {
    requests?: NamedRequest[] | null;
    constraints?: Constraint[] | null;
    config?: ClaimConfiguration[] | null;
  };
}

/** One device of a class, unless something else is asked for. */
function defaultRequest(request: Request): void {
  request.allocationMode ||= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
  for (const toleration of request.tolerations ?? []) toleration.operator ||= 'Equal';
}

export function defaultClaimSpec(spec: ClaimSpec | undefined): void {
  for (const { exactly, firstAvailable } of spec?.devices?.requests ?? []) {
    if (exactly) defaultRequest(exactly);
    for (const request of firstAvailable ?? []) defaultRequest(request);
  }
}

/** Names of requests, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNames(spec: ClaimSpec | undefined): RequestNames {
  return new Map(
    (spec?.devices?.requests ?? []).map(({ name = '', firstAvailable }) => [
      name,
      new Set((firstAvailable ?? []).map((request) => request.name ?? '')),
    ]),
  );
}

const MAX = 32;

const REFERENCE_TEXT =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** `request` or `request/alternative`. */
export function validateReference(name: string, names: RequestNames, at: string, errors: FieldErrors): void {
  const [request = '', alternative, ...more] = name.split('/');
  if (more.length) {
    errors.invalid(at, name, REFERENCE_TEXT);
    return;
  }
  for (const part of alternative === undefined ? [request] : [request, alternative])
    for (const text of isDnsLabel(part)) errors.invalid(at, part, text);
  const alternatives = names.get(request);
  if (!alternatives || (alternative !== undefined && !alternatives.has(alternative)))
    errors.invalid(at, name, REFERENCE_TEXT);
}

/** References to requests, none twice. */
export function validateReferences(
  list: readonly string[] | null | undefined,
  names: RequestNames,
  at: string,
  errors: FieldErrors,
): void {
  const check = (name: string, here: string) => validateReference(name, names, here, errors);
  validateList(list, { max: MAX, check, key: (name) => name }, at, errors);
}

export function validateClaimSpec(spec: ClaimSpec | undefined, path: string, errors: FieldErrors): void {
  const { requests, constraints, config } = spec?.devices ?? {};
  const at = `${path}.devices`;
  const names = requestNames(spec);
  const field = 'name';
  const key = ({ name = '' }: { name?: string }) => name;
  const check = (request: NamedRequest, here: string) => validateRequest(request, here, errors);
  validateList(requests, { max: MAX, check, key, field }, `${at}.requests`, errors);
  const checkConstraint = (constraint: Constraint, here: string) => {
    validateReferences(constraint.requests, names, `${here}.requests`, errors);
    const { matchAttribute, distinctAttribute } = constraint;
    if (matchAttribute !== undefined) validateAttribute(matchAttribute, `${here}.matchAttribute`, errors);
    else if (distinctAttribute !== undefined) validateAttribute(distinctAttribute, `${here}.distinctAttribute`, errors);
    else errors.required(`${here}.matchAttribute`);
  };
  validateList(constraints, { max: MAX, check: checkConstraint }, `${at}.constraints`, errors);
  const checkConfig = (each: ClaimConfiguration, here: string) => {
    validateReferences(each.requests, names, `${here}.requests`, errors);
    validateConfiguration(each, here, errors);
  };
  validateList(config, { max: MAX, check: checkConfig }, `${at}.config`, errors);
}

function validateAttribute(name: string, at: string, errors: FieldErrors): void {
  validateAttributeName(name, at, errors);
  if (name && !name.includes('/')) errors.invalid(at, name, 'must include a domain');
}

function validateRequest({ name = '', exactly, firstAvailable }: NamedRequest, at: string, errors: FieldErrors): void {
  for (const text of isDnsLabel(name)) errors.invalid(`${at}.name`, name, text);
  const check = (request: Request, here: string) => {
    const label = request.name ?? '';
    for (const text of isDnsLabel(label)) errors.invalid(`${here}.name`, label, text);
    validateDevices(request, here, errors);
  };
  const key = (request: Request) => request.name ?? '';
  validateList(firstAvailable, { max: 8, check, key, field: 'name' }, `${at}.firstAvailable`, errors);
  if (exactly) validateDevices(exactly, `${at}.exactly`, errors);
  if (exactly && firstAvailable?.length)
    errors.invalid(
      at,
      undefined,
      'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
    );
  else if (!exactly && !firstAvailable?.length)
    errors.required(at, 'exactly one of `exactly` or `firstAvailable` is required');
}

function validateDevices(request: Request, at: string, errors: FieldErrors): void {
  const { deviceClassName: name = '', allocationMode: mode = '', count = 0 } = request;
  if (!name) errors.required(`${at}.deviceClassName`);
  else for (const text of isDnsSubdomain(name)) errors.invalid(`${at}.deviceClassName`, name, text);
  validateSelectors(request.selectors, `${at}.selectors`, errors);
  if (mode === 'All') {
    if (count !== 0) errors.invalid(`${at}.count`, count, "must not be specified when allocationMode is 'All'");
  } else if (mode !== 'ExactCount') errors.notSupported(`${at}.allocationMode`, mode, ['All', 'ExactCount']);
  else if (count <= 0) errors.invalid(`${at}.count`, count, 'must be greater than zero');
  for (const [index, toleration] of (request.tolerations ?? []).entries())
    validateToleration(toleration, `${at}.tolerations[${index}]`, errors);
}

function validateToleration(
  { key, operator = '', value = '', effect }: Toleration,
  at: string,
  errors: FieldErrors,
): void {
  if (key) validateLabelName(key, `${at}.key`, errors);
  if (operator === 'Exists') {
    if (value) errors.invalid(`${at}.value`, value, 'must be empty for operator `Exists`');
  } else if (operator === 'Equal') validateLabelValue(value, `${at}.value`, errors);
  else if (operator) errors.notSupported(`${at}.operator`, operator, ['Equal', 'Exists']);
  else errors.required(`${at}.operator`);
  if (effect && !['NoExecute', 'NoSchedule'].includes(effect))
    errors.notSupported(`${at}.effect`, effect, ['NoExecute', 'NoSchedule']);
}

/** What the generation of a claim does not know: capacities that are asked for. */
export function dropOfClaim(spec: ClaimSpec | undefined): void {
  for (const { exactly, firstAvailable } of spec?.devices?.requests ?? [])
    for (const request of [exactly, ...(firstAvailable ?? [])])
      delete (request as resourceV1.ExactDeviceRequest)?.capacity;
}
