import {
  type AccessAttributes,
  forbidden,
  notFound,
  type PolicyRule,
  type ServerContext,
  type User,
  type WriteContext,
} from '@tiphys/apimachinery';
import type { KubeObject, rbacV1 } from '@tiphys/kubernetes';

const GROUP = 'rbac.authorization.k8s.io';

/** Nobody may put into a role what they may not do themselves, unless they may `escalate` roles. */
export function refuseEscalation(object: KubeObject, context: WriteContext): void {
  const plural = object.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  const rules = (object.rules ?? []) as PolicyRule[];
  refuse({ verb: 'escalate', plural, object, rules, role: object.metadata.name ?? '' }, context);
}

/** Nobody may bind a role that gives more than they have, unless they may `bind` it. */
export function refuseBinding(object: KubeObject, context: WriteContext): void {
  const { kind, name = '' } = object.roleRef as rbacV1.RoleRef;
  const namespace = object.metadata.namespace ?? '';
  const plural = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  const role = context.server.store
    .collection(`${GROUP}/${plural}`)
    .get(kind === 'ClusterRole' ? name : `${namespace}/${name}`);
  const rules = role && ((role.object.rules ?? []) as PolicyRule[]);
  refuse({ verb: 'bind', plural, object, rules, role: name }, context);
}

interface Grant {
  verb: 'escalate' | 'bind';
  /** Resource of the role. */
  plural: string;
  object: KubeObject;
  /** Undefined when there is no such role. */
  rules: readonly PolicyRule[] | undefined;
  role: string;
}

function refuse({ verb, plural, object, rules, role }: Grant, { server, user }: WriteContext): void {
  const namespace = object.metadata.namespace ?? '';
  const may = (attributes: Partial<AccessAttributes>) =>
    server.authorizer.allowedBy(user, {
      verb: '',
      group: '',
      version: 'v1',
      resource: '',
      subresource: '',
      namespace,
      name: '',
      ...attributes,
    }) !== undefined;
  if (may({ verb, group: GROUP, resource: plural, name: role })) return;
  const resource = { group: GROUP, name: `${object.kind.toLowerCase()}s` };
  if (!rules) throw notFound(resource, role);
  const missing = rules.flatMap(single).filter((one) => !may(one));
  const aggregates = (object.aggregationRule as rbacV1.AggregationRule | undefined)?.clusterRoleSelectors;
  if (!missing.length) {
    if (!aggregates?.length || FULL.flatMap(single).every(may)) return;
    throw forbidden(
      resource,
      object.metadata.name ?? '',
      'must have cluster-admin privileges to use the aggregationRule',
    );
  }
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  throw forbidden(
    resource,
    object.metadata.name ?? '',
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${descriptions(missing).join('\n')}${unresolved(server, user, namespace)}`,
  );
}

/** A rule as the single permissions that it stands for. */
function single({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [''],
  nonResourceURLs = [],
}: PolicyRule): Partial<AccessAttributes>[] {
  const names = resourceNames.length ? resourceNames : [''];
  return [
    ...nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ verb, path }))),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((whole) => {
        const [resource = '', subresource = ''] = whole.split('/');
        return names.flatMap((name) => verbs.map((verb) => ({ verb, group, resource, subresource, name })));
      }),
    ),
  ];
}

const FULL: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Roles that the user is bound to and that are not there. */
function unresolved(server: ServerContext, user: User, namespace: string): string {
  const problems: string[] = [];
  for (const _ of server.authorizer.rulesOf(user, namespace, problems));
  const texts = problems.map((text) => text.replace(/^(clusterrole|role)\./, '$1s.'));
  return texts.length ? `; resolution errors: [${texts.join(' ')}]` : '';
}

/** Single permissions by what they are for, sorted, with all that may be done with it. */
function descriptions(permissions: readonly Partial<AccessAttributes>[]): string[] {
  const verbs = new Map<string, string[]>();
  const texts = permissions.flatMap(({ verb = '', path, group = '', resource = '', subresource, name }) => {
    if (path !== undefined) return [`{NonResourceURLs:${quoted([path])}, Verbs:${quoted([verb])}}`];
    const whole = subresource ? `${resource}/${subresource}` : resource;
    const names = name ? `, ResourceNames:${quoted([name])}` : '';
    const subject = `{APIGroups:${quoted([group])}, Resources:${quoted([whole])}${names}`;
    verbs.set(subject, [...(verbs.get(subject) ?? []), verb]);
    return [];
  });
  for (const [subject, list] of verbs) texts.push(`${subject}, Verbs:${quoted(list)}}`);
  return [...new Set(texts)].sort();
}

const quoted = (items: readonly string[]): string => `[${items.map((item) => JSON.stringify(item)).join(' ')}]`;
