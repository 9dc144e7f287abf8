import {
  type AccessAttributes,
  type Authorizer,
  covers,
  fieldTermsIn,
  type GrantedRule,
  nameDemanded,
  nodeOfUser,
  type PolicyRule,
  StatusError,
  type User,
} from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Store } from '@tiphys/store';
import type { RequestInfo } from '../request/request-info.ts';
import { decideForNode } from './node-authorization.ts';

interface Binding extends KubeObject {
  subjects?: { kind: string; name: string; namespace?: string }[];
  roleRef: { kind: string; name: string };
}

const RBAC = 'rbac.authorization.k8s.io';

/** Decides by the nodes' rules and by the roles and bindings of a store. */
export function storeAuthorizer(store: Store): Authorizer {
  return {
    allowedBy: (user, attributes) => allowedBy(store, user, attributes),
    rulesOf: (user, namespace, problems) => rulesOf(store, user, namespace, problems),
  };
}

/**
 * All rules that bindings give the user: cluster-wide ones, and those of the namespace unless it is empty. What is said of
 * roles that are not there is added to `problems`.
 */
export function* rulesOf(store: Store, user: User, namespace: string, problems: string[] = []): Generator<GrantedRule> {
  const clusterRoles = store.collection(`${RBAC}/clusterroles`);
  for (const item of items(store, 'clusterrolebindings')) {
    const binding = item as Binding;
    if (!binding.subjects?.some((subject) => isSubject(subject, user, ''))) continue;
    const role = clusterRoles.get(binding.roleRef.name)?.object;
    if (!role) problems.push(missing('clusterrole', binding.roleRef.name));
    const reason = `RBAC: allowed by ClusterRoleBinding "${binding.metadata.name}" of ClusterRole "${binding.roleRef.name}" to ${subjectText(binding, user, '')}`;
    for (const rule of rules(role)) yield { rule, reason };
  }
  if (!namespace) return;
  for (const item of items(store, 'rolebindings')) {
    const binding = item as Binding;
    if (binding.metadata.namespace !== namespace) continue;
    if (!binding.subjects?.some((subject) => isSubject(subject, user, namespace))) continue;
    const { kind, name } = binding.roleRef;
    const role =
      kind === 'ClusterRole' ? clusterRoles.get(name) : store.collection(`${RBAC}/roles`).get(`${namespace}/${name}`);
    if (!role) problems.push(missing(kind.toLowerCase(), name));
    const reason = `RBAC: allowed by RoleBinding "${binding.metadata.name}/${namespace}" of ${kind} "${name}" to ${subjectText(binding, user, namespace)}`;
    for (const rule of rules(role?.object)) yield { rule, reason };
  }
}

function missing(resource: string, name: string): string {
  return `${resource}.${RBAC} ${JSON.stringify(name)} not found`;
}

function* items(store: Store, plural: string): Generator<KubeObject> {
  const collection = store.collection(`${RBAC}/${plural}`);
  for (const key of collection.keys()) yield collection.objectOf(key);
}

function rules(role: KubeObject | undefined): PolicyRule[] {
  return (role?.rules as PolicyRule[] | null | undefined) ?? [];
}

function isSubject(
  subject: { kind: string; name: string; namespace?: string },
  user: User,
  namespace: string,
): boolean {
  if (subject.kind === 'User') return user.name === subject.name;
  if (subject.kind === 'Group') return user.groups.includes(subject.name);
  return user.name === `system:serviceaccount:${subject.namespace || namespace}:${subject.name}`;
}

function subjectText(binding: Binding, user: User, namespace: string): string {
  const subject = binding.subjects?.find((candidate) => isSubject(candidate, user, namespace));
  const name = subject?.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace}` : subject?.name;
  return `${subject?.kind} "${name}"`;
}

/** Why the user may do it, or undefined if not. */
export function allowedBy(store: Store, user: User, attributes: AccessAttributes): string | undefined {
  const { allowed, reason } = decide(store, user, attributes);
  return allowed ? reason : undefined;
}

/** Whether the user may do it, and why (not): empty when there is nothing to say. Nodes first, then RBAC, as kubeadm has it. */
export function decide(store: Store, user: User, attributes: AccessAttributes): { allowed: boolean; reason: string } {
  if (user.groups.includes('system:masters')) return { allowed: true, reason: '' };
  const node = nodeOfUser(user);
  if (node === undefined) return decideByRules(store, user, attributes);
  const ofNode = decideForNode(store, node, user.name, attributes);
  if (ofNode.allowed) return ofNode;
  const { allowed, reason } = decideByRules(store, user, attributes);
  return { allowed, reason: allowed ? reason : [ofNode.reason, reason].filter(Boolean).join('\n') };
}

function decideByRules(store: Store, user: User, attributes: AccessAttributes): { allowed: boolean; reason: string } {
  const problems: string[] = [];
  for (const { rule, reason } of rulesOf(store, user, attributes.namespace, problems))
    if (covers(rule, attributes)) return { allowed: true, reason };
  return { allowed: false, reason: problems.length ? `RBAC: ${joined(problems)}` : '' };
}

/** Several problems as the API server writes them. */
export function joined(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
}

const WITH_SELECTORS = ['list', 'watch', 'deletecollection'];

/** What a request wants; one of many that asks for a single name by its field selector counts as access to that name. */
export function attributesOf(info: RequestInfo, query: URLSearchParams): AccessAttributes {
  const { verb } = info;
  const fields = WITH_SELECTORS.includes(verb) ? fieldTermsIn(query.get('fieldSelector')) : [];
  return {
    verb,
    group: info.group,
    version: info.version,
    resource: info.plural,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name || (nameDemanded(fields) ?? ''),
    fields,
    ...(info.resourceRequest ? {} : { path: info.path }),
  };
}

/** Throws Forbidden with the API server's words unless the user may do it. */
export function authorize(store: Store, user: User, attributes: AccessAttributes): void {
  const { allowed, reason } = decide(store, user, attributes);
  if (!allowed) throw denied(user, attributes, reason ? `: ${reason}` : '');
}

function denied(user: User, wanted: AccessAttributes, why: string): StatusError {
  const who = `User ${JSON.stringify(user.name)}`;
  if (wanted.path !== undefined)
    return new StatusError(
      403,
      'Forbidden',
      `forbidden: ${who} cannot ${wanted.verb} path ${JSON.stringify(wanted.path)}${why}`,
      {},
    );
  const resource = wanted.subresource ? `${wanted.resource}/${wanted.subresource}` : wanted.resource;
  const subject = wanted.group ? `${wanted.resource}.${wanted.group}` : wanted.resource;
  const where = wanted.namespace ? `in the namespace ${JSON.stringify(wanted.namespace)}` : 'at the cluster scope';
  const message = `${subject}${wanted.name ? ` ${JSON.stringify(wanted.name)}` : ''} is forbidden: ${who} cannot ${wanted.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(wanted.group)} ${where}${why}`;
  return new StatusError(403, 'Forbidden', message, {
    ...(wanted.name ? { name: wanted.name } : {}),
    ...(wanted.group ? { group: wanted.group } : {}),
    kind: wanted.resource,
  });
}
