import type { KubeObject } from '@tiphys/kubernetes';
import { type Attributes, allowedBy, type PolicyRule } from '../server/authorization.ts';
import { forbidden } from '../server/status.ts';
import type { WriteContext } from '../server/strategy.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Nobody may put into a role what they may not do themselves, unless they may `escalate` roles. */
export function refuseEscalation(object: KubeObject, context: WriteContext): void {
  const plural = object.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  const rules = (object.rules ?? []) as PolicyRule[];
  refuse({ verb: 'escalate', plural, object, rules, role: object.metadata.name ?? '' }, context);
}

/** Nobody may bind a role that gives more than they have, unless they may `bind` it. */
export function refuseBinding(object: KubeObject, context: WriteContext): void {
  const { kind, name } = object.roleRef as { kind: string; name: string };
  const namespace = object.metadata.namespace ?? '';
  const plural = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  const role = context.server.store
    .collection(`${GROUP}/${plural}`)
    .get(kind === 'ClusterRole' ? name : `${namespace}/${name}`);
  const rules = (role?.object.rules ?? []) as PolicyRule[];
  refuse({ verb: 'bind', plural, object, rules, role: name }, context);
}

interface Grant {
  verb: 'escalate' | 'bind';
  /** Resource of the role. */
  plural: string;
  object: KubeObject;
  rules: readonly PolicyRule[];
  role: string;
}

function refuse({ verb, plural, object, rules, role }: Grant, { server, user }: WriteContext): void {
  const namespace = object.metadata.namespace ?? '';
  const may = (attributes: Partial<Attributes>) =>
    allowedBy(server.store, user, {
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
  const missing = rules.filter((rule) => !single(rule).every(may));
  if (!missing.length) return;
  const resource = { group: GROUP, name: `${object.kind.toLowerCase()}s` };
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  throw forbidden(
    resource,
    object.metadata.name ?? '',
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.map(describe).join('\n')}`,
  );
}

/** A rule as the single permissions that it stands for. */
function single({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [''],
  nonResourceURLs = [],
}: PolicyRule): Partial<Attributes>[] {
  const names = resourceNames.length ? resourceNames : [''];
  return verbs.flatMap((verb) => [
    ...nonResourceURLs.map((path) => ({ verb, path })),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((whole) => {
        const [resource = '', subresource = ''] = whole.split('/');
        return names.map((name) => ({ verb, group, resource, subresource, name }));
      }),
    ),
  ]);
}

function describe(rule: PolicyRule): string {
  const list = (items: readonly string[]) => `[${items.map((item) => JSON.stringify(item)).join(' ')}]`;
  const parts = [
    rule.apiGroups?.length ? `APIGroups:${list(rule.apiGroups)}` : '',
    rule.resources?.length ? `Resources:${list(rule.resources)}` : '',
    rule.resourceNames?.length ? `ResourceNames:${list(rule.resourceNames)}` : '',
    rule.nonResourceURLs?.length ? `NonResourceURLs:${list(rule.nonResourceURLs)}` : '',
    `Verbs:${list(rule.verbs)}`,
  ];
  return `{${parts.filter(Boolean).join(', ')}}`;
}
