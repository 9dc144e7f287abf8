import { isDeepStrictEqual } from 'node:util';
import { isDnsSubdomain, isPathSegment, type Strategy } from '@tiphys/apimachinery';
import type { KubeObject, rbacV1 } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { listAt, textAt } from '../shared/cell-values.ts';
import { age, name, nameAndCreation } from '../shared/cells.ts';
import { validateSelector } from '../shared/selector-validation.ts';
import { refuseBinding, refuseEscalation } from './rbac-escalation.ts';

export function bindingCells(o: KubeObject, now: number): unknown[] {
  const subjects = listAt<{ kind: string; name: string; namespace?: string }>(o, 'subjects');
  const of = (kind: string) => subjects.filter((subject) => subject.kind === kind);
  return [
    name(o),
    `${textAt(o, 'roleRef.kind')}/${textAt(o, 'roleRef.name')}`,
    age(o, now),
    of('User')
      .map((subject) => subject.name)
      .join(', '),
    of('Group')
      .map((subject) => subject.name)
      .join(', '),
    of('ServiceAccount')
      .map((subject) => `${subject.namespace ?? ''}/${subject.name}`)
      .join(', '),
  ];
}

const RBAC = 'rbac.authorization.k8s.io';

export const role: Strategy = {
  generation: false,
  statusSubresource: false,
  createOnUpdate: true,
  nameRule: isPathSegment,
  permit: refuseEscalation,
  validate(object, errors) {
    ((object.rules ?? []) as rbacV1.PolicyRule[]).forEach((rule, index) => {
      const at = `rules[${index}]`;
      if (!rule.verbs?.length) errors.required(`${at}.verbs`, 'verbs must contain at least one value');
      if (rule.nonResourceURLs?.length) {
        if (object.kind === 'Role')
          errors.invalid(
            `${at}.nonResourceURLs`,
            rule.nonResourceURLs,
            'namespaced rules cannot apply to non-resource URLs',
          );
        if (rule.apiGroups?.length || rule.resources?.length || rule.resourceNames?.length)
          errors.invalid(
            `${at}.nonResourceURLs`,
            rule.nonResourceURLs,
            'rules cannot apply to both regular resources and non-resource URLs',
          );
        return;
      }
      if (!rule.apiGroups?.length)
        errors.required(`${at}.apiGroups`, 'resource rules must supply at least one api group');
      if (!rule.resources?.length)
        errors.required(`${at}.resources`, 'resource rules must supply at least one resource');
    });
    const { aggregationRule } = object as rbacV1.ClusterRole;
    if (!aggregationRule) return;
    const selectors = aggregationRule.clusterRoleSelectors ?? [];
    const at = 'aggregationRule.clusterRoleSelectors';
    if (!selectors.length)
      errors.required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil');
    selectors.forEach((selector, index) => {
      if (!validateSelector(selector, `${at}[${index}]`, errors))
        errors.invalid(`${at}[${index}]`, null, 'invalid label selector.');
    });
  },
};

export const roleBinding: Strategy = {
  generation: false,
  statusSubresource: false,
  createOnUpdate: true,
  nameRule: isPathSegment,
  permit: refuseBinding,
  defaults(object) {
    const { roleRef, subjects } = object as rbacV1.RoleBinding;
    if (roleRef && !roleRef.apiGroup) roleRef.apiGroup = RBAC;
    for (const subject of subjects ?? []) if (subject.kind !== 'ServiceAccount') subject.apiGroup ??= RBAC;
  },
  validate(object, errors) {
    const { roleRef = {}, subjects } = object as rbacV1.RoleBinding;
    if (roleRef.apiGroup !== RBAC) errors.notSupported('roleRef.apiGroup', roleRef.apiGroup, [RBAC]);
    const kinds = object.kind === 'ClusterRoleBinding' ? ['ClusterRole'] : ['Role', 'ClusterRole'];
    if (!kinds.includes(roleRef.kind ?? '')) errors.notSupported('roleRef.kind', roleRef.kind, kinds);
    if (!roleRef.name) errors.required('roleRef.name');
    else for (const text of isPathSegment(roleRef.name)) errors.invalid('roleRef.name', roleRef.name, text);
    (subjects ?? []).forEach((subject, index) => {
      const at = `subjects[${index}]`;
      if (!subject.name) errors.required(`${at}.name`);
      if (subject.kind === 'ServiceAccount') {
        if (subject.name)
          for (const text of isDnsSubdomain(subject.name)) errors.invalid(`${at}.name`, subject.name, text);
        if (subject.apiGroup) errors.notSupported(`${at}.apiGroup`, subject.apiGroup, ['']);
        if (!subject.namespace && object.kind === 'ClusterRoleBinding') errors.required(`${at}.namespace`);
      } else if (subject.kind !== 'User' && subject.kind !== 'Group')
        errors.notSupported(`${at}.kind`, subject.kind, ['ServiceAccount', 'User', 'Group']);
      else if (subject.apiGroup !== RBAC) errors.notSupported(`${at}.apiGroup`, subject.apiGroup, [RBAC]);
    });
  },
  validateUpdate(object, old, errors) {
    if (!isDeepStrictEqual(object.roleRef, old.roleRef)) {
      const { apiGroup, kind, name } = object.roleRef as Record<string, string>;
      errors.invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef');
    }
  },
};

/** RoleBindings and ClusterRoleBindings. */
export const roleBindings: BuiltinKind = {
  strategy: roleBinding,
  cells: bindingCells,
};

/** Roles and ClusterRoles. */
export const roles: BuiltinKind = {
  strategy: role,
  cells: nameAndCreation,
};
