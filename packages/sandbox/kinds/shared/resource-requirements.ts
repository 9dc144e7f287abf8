import { type FieldErrors, isDnsLabel } from '@tiphys/apimachinery';
import { compareQuantities, isWhole, parseQuantity } from '@tiphys/kubernetes';
import { isIntegerResource } from './container-resources.ts';

export type Amounts = Record<string, string>;

interface Claim {
  name?: string;
  request?: string;
}

/** Requests and limits of a container, or of a whole pod. */
export interface Requirements {
  limits?: Amounts;
  requests?: Amounts;
  claims?: Claim[];
}

export interface RequirementRules {
  /** Tells what is wrong with a name. */
  readonly nameRule: (name: string, at: string) => void;
  /** Names of the pod's claims. */
  readonly claims: readonly string[];
}

const overcommits = (name: string): boolean =>
  !name.startsWith('hugepages-') && (!name.includes('/') || /(^|\.)kubernetes\.io\//.test(name));

/** Validates requests and limits with the API server's words and order. */
export function validateRequirements(
  { limits = {}, requests = {}, claims = [] }: Requirements,
  path: string,
  rules: RequirementRules,
  errors: FieldErrors,
): void {
  for (const [name, value] of Object.entries(limits)) {
    validateAmount(name, value, `${path}.limits[${name}]`, rules, errors);
    validateHuge(name, value, `${path}.limits[${name}]`, errors);
  }
  for (const [name, value] of Object.entries(requests)) {
    validateAmount(name, value, `${path}.requests[${name}]`, rules, errors);
    compareWithLimit(name, value, limits[name], path, errors);
    validateHuge(name, value, `${path}.requests[${name}]`, errors);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some((name) => name.startsWith('hugepages-')) && !names.includes('cpu') && !names.includes('memory'))
    errors.forbidden(path, 'HugePages require cpu or memory');
  validateClaims(claims, rules.claims, `${path}.claims`, errors);
}

function validateAmount(
  name: string,
  value: string,
  at: string,
  { nameRule }: RequirementRules,
  errors: FieldErrors,
): void {
  nameRule(name, at);
  if (value.startsWith('-')) errors.invalid(at, value, 'must be greater than or equal to 0');
  if (isIntegerResource(name) && !isWhole(value)) errors.invalid(at, value, 'must be an integer');
}

function validateHuge(name: string, value: string, at: string, errors: FieldErrors): void {
  if (!name.startsWith('hugepages-')) return;
  const [page, amount] = [parseQuantity(name.slice('hugepages-'.length)), parseQuantity(value)];
  if (page && amount && page.nano > 0n && amount.nano % page.nano === 0n) return;
  errors.invalid(at, value, `${value} is not positive integer multiple of ${name}`);
}

function compareWithLimit(
  name: string,
  value: string,
  limit: string | undefined,
  path: string,
  errors: FieldErrors,
): void {
  if (limit === undefined) {
    if (!overcommits(name)) errors.required(`${path}.limits`, 'Limit must be set for non overcommitable resources');
    return;
  }
  const order = compareQuantities(value, limit) ?? 0;
  if (order !== 0 && !overcommits(name))
    errors.invalid(`${path}.requests`, value, `must be equal to ${name} limit of ${limit}`);
  else if (order > 0)
    errors.invalid(`${path}.requests`, value, `must be less than or equal to ${name} limit of ${limit}`);
}

function validateClaims(
  claims: readonly Claim[],
  declared: readonly string[],
  path: string,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [index, { name, request }] of claims.entries()) {
    const at = `${path}[${index}]`;
    if (!name) {
      errors.required(at);
      continue;
    }
    if (request && !seen.has(name))
      for (const text of isDnsLabel(request)) errors.invalid(`${at}.request`, request, text);
    const key = request ? `${name}/${request}` : name;
    const overlaps = !request && [...seen].some((other) => other.startsWith(`${name}/`));
    if (seen.has(name)) errors.duplicate(at, name);
    else if (seen.has(key)) errors.duplicate(at, key);
    else if (overlaps) errors.duplicate(at, name);
    seen.add(seen.has(name) ? name : key);
    if (declared.includes(name)) continue;
    const known = declared.length ? `: ${[...declared].sort().join(', ')}` : ' which is empty';
    errors.notFoundIn(at, name, `must be one of the names in pod.spec.resourceClaims${known}`);
  }
}
