import type { FieldTerm } from '../errors/field-query.ts';

export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** What is to be allowed. `path` for requests that name no resource. */
export interface AccessAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  /** What a list, a watch or a deletion of many asks for by its field selector. */
  readonly fields?: readonly FieldTerm[];
}

/** Whether a rule allows it. */
export function covers(rule: PolicyRule, wanted: AccessAttributes): boolean {
  if (!has(rule.verbs, wanted.verb)) return false;
  if (wanted.path !== undefined)
    return (rule.nonResourceURLs ?? []).some(
      (url) =>
        url === '*' ||
        url === wanted.path ||
        (url.endsWith('*') && (wanted.path as string).startsWith(url.slice(0, -1))),
    );
  const resource = wanted.subresource ? `${wanted.resource}/${wanted.subresource}` : wanted.resource;
  return (
    has(rule.apiGroups, wanted.group) &&
    (has(rule.resources, resource) ||
      (wanted.subresource !== '' && (rule.resources ?? []).includes(`*/${wanted.subresource}`))) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(wanted.name))
  );
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}
