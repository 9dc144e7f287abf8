import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, isDnsLabel, isDnsSubdomain, type Strategy } from '@tiphys/apimachinery';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { listAt, numberAt, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';

interface Subject {
  kind?: string;
  user?: { name?: string };
  group?: { name?: string };
  serviceAccount?: { name?: string; namespace?: string };
}

interface ResourceRule {
  verbs?: string[] | null;
  apiGroups?: string[] | null;
  resources?: string[] | null;
  namespaces?: string[] | null;
  clusterScope?: boolean;
}

interface UrlRule {
  verbs?: string[] | null;
  nonResourceURLs?: string[] | null;
}

interface Rule {
  subjects?: Subject[] | null;
  resourceRules?: ResourceRule[] | null;
  nonResourceRules?: UrlRule[] | null;
}

interface FlowSchemaSpec {
  matchingPrecedence?: number;
  distinguisherMethod?: { type?: string };
  priorityLevelConfiguration?: { name?: string };
  rules?: Rule[] | null;
}

interface FlowStatus {
  conditions?: { type?: string }[] | null;
}

/** Conditions of FlowSchemas and priority levels: each has a type of its own. */
export function validateFlowConditions(status: unknown, errors: FieldErrors): void {
  const conditions = (status as FlowStatus | undefined)?.conditions ?? [];
  const seen = new Set<string>();
  for (const [index, { type = '' }] of conditions.entries()) {
    if (seen.has(type)) errors.duplicate(`status.conditions[${index}].type`, type);
    seen.add(type);
    if (!type) errors.required(`status.conditions[${index}].type`);
  }
}

/** Those that a server is never without. */
const MANDATORY = ['exempt', 'catch-all'];

export const flowSchema: Strategy = {
  metaRulesOnUpdate: true,
  generation: true,
  statusSubresource: true,
  defaults(object) {
    const spec = (object.spec ?? {}) as FlowSchemaSpec;
    object.spec = spec;
    spec.matchingPrecedence ||= 1000;
  },
  validate({ metadata, spec, status }, errors) {
    validateSpec((spec ?? {}) as FlowSchemaSpec, metadata.name ?? '', errors);
    validateFlowConditions(status, errors);
  },
  validateUpdate({ metadata, spec }, old, errors) {
    if (MANDATORY.includes(metadata.name ?? '') && !isDeepStrictEqual(spec, old.spec))
      errors.invalid('spec', spec, `spec of '${metadata.name}' must equal the fixed value`);
  },
  validateStatus: ({ status }, _old, errors) => validateFlowConditions(status, errors),
};

const MAX_PRECEDENCE = 10_000;

function validateSpec(spec: FlowSchemaSpec, name: string, errors: FieldErrors): void {
  const { matchingPrecedence: precedence = 0, distinguisherMethod: method } = spec;
  if (precedence <= 0) errors.invalid('spec.matchingPrecedence', precedence, 'must be a positive value');
  if (precedence > MAX_PRECEDENCE)
    errors.invalid('spec.matchingPrecedence', precedence, `must not be greater than ${MAX_PRECEDENCE}`);
  if (precedence === 1 && name !== 'exempt')
    errors.invalid(
      'spec.matchingPrecedence',
      precedence,
      "only the schema named 'exempt' may have matchingPrecedence 1",
    );
  if (method && !['ByNamespace', 'ByUser'].includes(method.type ?? ''))
    errors.notSupported('spec.distinguisherMethod.type', { Type: method.type ?? '' }, ['ByNamespace', 'ByUser']);
  const level = spec.priorityLevelConfiguration?.name ?? '';
  const at = 'spec.priorityLevelConfiguration.name';
  if (level) for (const text of isDnsSubdomain(level)) errors.invalid(at, level, text);
  else errors.required(at, 'must reference a priority level');
  for (const [index, rule] of (spec.rules ?? []).entries()) validateRule(rule, `spec.rules[${index}]`, errors);
}

function validateRule({ subjects, resourceRules, nonResourceRules }: Rule, at: string, errors: FieldErrors): void {
  for (const [index, subject] of (subjects ?? []).entries())
    validateSubject(subject, `${at}.subjects[${index}]`, errors);
  if (!subjects?.length) errors.required(`${at}.subjects`, 'subjects must contain at least one value');
  if (!resourceRules?.length && !nonResourceRules?.length)
    errors.required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty');
  for (const [index, rule] of (resourceRules ?? []).entries())
    validateResourceRule(rule, `${at}.resourceRules[${index}]`, errors);
  for (const [index, rule] of (nonResourceRules ?? []).entries()) {
    const here = `${at}.nonResourceRules[${index}]`;
    validateVerbs(rule.verbs ?? [], here, errors);
    validateUrls(rule.nonResourceURLs ?? [], `${here}.nonResourceURLs`, errors);
  }
}

const KINDS: Readonly<Record<string, 'serviceAccount' | 'user' | 'group'>> = {
  ServiceAccount: 'serviceAccount',
  User: 'user',
  Group: 'group',
};

function validateSubject(subject: Subject, at: string, errors: FieldErrors): void {
  const { kind = '' } = subject;
  const field = KINDS[kind];
  if (!field) {
    errors.notSupported(`${at}.kind`, kind, Object.keys(KINDS).sort());
    return;
  }
  const here = `${at}.${field}`;
  const named = subject[field];
  if (!named) errors.required(here, `${field} is required when subject kind is '${kind}'`);
  else if (field === 'serviceAccount') validateAccount(named, here, errors);
  else if (!named.name) errors.required(`${here}.name`);
  for (const [other, unwanted] of Object.entries(KINDS))
    if (other !== kind && subject[unwanted])
      errors.forbidden(`${at}.${unwanted}`, `${unwanted} is forbidden when subject kind is not '${other}'`);
}

function validateAccount(
  { name = '', namespace = '' }: { name?: string; namespace?: string },
  at: string,
  errors: FieldErrors,
): void {
  if (!name) errors.required(`${at}.name`);
  else if (name !== '*') for (const text of isDnsSubdomain(name)) errors.invalid(`${at}.name`, name, text);
  if (namespace) for (const text of isDnsLabel(namespace)) errors.invalid(`${at}.namespace`, namespace, text);
  else errors.required(`${at}.namespace`, 'must specify namespace for service account');
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

function validateVerbs(verbs: readonly string[], at: string, errors: FieldErrors): void {
  if (!verbs.length) errors.required(`${at}.verbs`, 'verbs must contain at least one value');
  else if (!validateAlone(verbs, `${at}.verbs`, 'verbs', errors) && verbs.some((verb) => !VERBS.includes(verb)))
    errors.notSupported(`${at}.verbs`, verbs, VERBS);
}

/** Tells of a `*` that is not alone; whether there is one. */
function validateAlone(list: readonly string[], at: string, what: string, errors: FieldErrors): boolean {
  if (!list.includes('*')) return false;
  if (list.length > 1) errors.invalid(at, list, `if '*' is present, must not specify other ${what}`);
  return true;
}

function validateResourceRule(rule: ResourceRule, at: string, errors: FieldErrors): void {
  validateVerbs(rule.verbs ?? [], at, errors);
  const { apiGroups, resources, namespaces } = rule;
  if (!apiGroups?.length) errors.required(`${at}.apiGroups`, 'resource rules must supply at least one api group');
  else validateAlone(apiGroups, `${at}.apiGroups`, 'api groups', errors);
  if (!resources?.length) errors.required(`${at}.resources`, 'resource rules must supply at least one resource');
  else validateAlone(resources, `${at}.resources`, 'resources', errors);
  const here = `${at}.namespaces`;
  if (!namespaces?.length && !rule.clusterScope)
    errors.required(here, 'resource rules that are not cluster scoped must supply at least one namespace');
  else if (!validateAlone(namespaces ?? [], here, 'namespaces', errors))
    for (const [index, namespace] of (namespaces ?? []).entries())
      for (const text of isDnsLabel(namespace))
        errors.invalid(
          `${here}[${index}]`,
          namespace,
          `each member of this list must be '*' or a DNS-1123 label; ${text}`,
        );
}

function validateUrls(urls: readonly string[], at: string, errors: FieldErrors): void {
  if (!urls.length) errors.required(at, 'nonResourceURLs must contain at least one value');
  else if (!validateAlone(urls, at, 'non-resource URLs', errors))
    for (const [index, url] of urls.entries()) {
      const problem = urlProblem(url);
      if (problem) errors.invalid(`${at}[${index}]`, url, problem);
    }
}

function urlProblem(url: string): string | undefined {
  if (!url) return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

export const flowSchemas: BuiltinKind = {
  strategy: flowSchema,
  cells: (o, now) => [
    name(o),
    textAt(o, 'spec.priorityLevelConfiguration.name'),
    numberAt(o, 'spec.matchingPrecedence'),
    textAt(o, 'spec.distinguisherMethod.type', '<none>'),
    age(o, now),
    listAt<{ type: string; status: string }>(o, 'status.conditions').find(({ type }) => type === 'Dangling')?.status ??
      '?',
  ],
  rowOrder: (a, b) =>
    numberAt(a, 'spec.matchingPrecedence') - numberAt(b, 'spec.matchingPrecedence') ||
    (textAt(a, 'metadata.name') < textAt(b, 'metadata.name') ? -1 : 1),
};
