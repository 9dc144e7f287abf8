import type { User } from '@tiphys/apimachinery';
import type { RequestInfo } from '../request/request-info.ts';

export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
/** How much of a request is written down. */
export type AuditLevel = (typeof AUDIT_LEVELS)[number];
/** When an event is written. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

export interface AuditRule {
  level: AuditLevel;
  users?: string[];
  userGroups?: string[];
  verbs?: string[];
  resources?: { group?: string; resources?: string[]; resourceNames?: string[] }[];
  namespaces?: string[];
  nonResourceURLs?: string[];
  omitStages?: AuditStage[];
  omitManagedFields?: boolean;
}

/** An audit.k8s.io/v1 Policy: the first rule that fits a request decides. */
export interface AuditPolicy {
  rules: AuditRule[];
  omitStages?: AuditStage[];
  omitManagedFields?: boolean;
}

/** What a policy decides about one request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitted: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

export function decideAudit(policy: AuditPolicy, info: RequestInfo, user: User | undefined): AuditDecision {
  const rule = policy.rules.find((candidate) => fits(candidate, info, user));
  return {
    level: rule?.level ?? 'None',
    omitted: new Set([...(policy.omitStages ?? []), ...(rule?.omitStages ?? [])]),
    omitManagedFields: rule?.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

function fits(rule: AuditRule, info: RequestInfo, user: User | undefined): boolean {
  if (rule.users?.length && !(user && rule.users.includes(user.name))) return false;
  if (rule.userGroups?.length && !rule.userGroups.some((group) => user?.groups.includes(group))) return false;
  if (rule.verbs?.length && !rule.verbs.includes(info.verb)) return false;
  if (rule.resources?.length || rule.namespaces?.length) return info.resourceRequest && resourceFits(rule, info);
  if (!rule.nonResourceURLs?.length) return true;
  return !info.resourceRequest && rule.nonResourceURLs.some((pattern) => pathFits(pattern, info.path));
}

function resourceFits({ namespaces, resources }: AuditRule, info: RequestInfo): boolean {
  if (namespaces?.length && !namespaces.includes(info.namespace)) return false;
  if (!resources?.length) return true;
  const whole = info.subresource ? `${info.plural}/${info.subresource}` : info.plural;
  return resources.some(
    ({ group = '', resources: names = [], resourceNames = [] }) =>
      group === info.group &&
      (names.length === 0 ||
        ((resourceNames.length === 0 || resourceNames.includes(info.name)) &&
          names.some(
            (name) =>
              name === whole ||
              name === '*' ||
              (info.subresource !== '' && (name === `*/${info.subresource}` || name === `${info.plural}/*`)),
          ))),
  );
}

function pathFits(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1));
}
