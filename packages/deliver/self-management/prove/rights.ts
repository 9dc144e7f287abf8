import type { KubeObject } from '@tiphys/kubernetes';

/** What a process must be able to do. */
export interface Need {
  /** `StatefulSet`s and Deployments by the name of what runs: `controller`, `server`. */
  readonly role: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly why: string;
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs?: readonly string[];
}

/** Whether rules of RBAC allow it for all objects of the resource. */
export function allows(rules: readonly Rule[], { group, resource, verb }: Omit<Need, 'role' | 'why'>): boolean {
  const has = (values: readonly string[] | undefined, value: string) =>
    values?.includes('*') === true || values?.includes(value) === true;
  return rules.some(
    ({ apiGroups, resources, resourceNames, verbs }) =>
      !resourceNames?.length && has(apiGroups, group) && has(resources, resource) && has(verbs, verb),
  );
}

/**
 * The rules that a ServiceAccount gets from bindings among these objects, everywhere or in its namespace; undefined if none of them is
 * bound to it, since its rights come from elsewhere then.
 */
export function rulesOf(
  objects: readonly KubeObject[],
  account: { readonly name: string; readonly namespace: string },
): Rule[] | undefined {
  const bindings = objects.filter(
    ({ kind, metadata, subjects }) =>
      (kind === 'ClusterRoleBinding' || (kind === 'RoleBinding' && metadata.namespace === account.namespace)) &&
      ((subjects ?? []) as { kind?: string; name?: string; namespace?: string }[]).some(
        (subject) =>
          subject.kind === 'ServiceAccount' &&
          subject.name === account.name &&
          (subject.namespace ?? metadata.namespace) === account.namespace,
      ),
  );
  if (bindings.length === 0) return undefined;
  return bindings.flatMap(({ roleRef, metadata }) => {
    const { kind, name } = (roleRef ?? {}) as { kind?: string; name?: string };
    const role = objects.find(
      (object) =>
        object.kind === kind &&
        object.metadata.name === name &&
        (kind === 'ClusterRole' || object.metadata.namespace === metadata.namespace),
    );
    return (role?.rules ?? []) as Rule[];
  });
}

/** What of the needs of a process these objects do not give its account; empty where its rights come from elsewhere. */
export function lackingRights(
  objects: readonly KubeObject[],
  account: { readonly name: string; readonly namespace: string },
  needs: readonly Need[],
): Need[] {
  const rules = rulesOf(objects, account);
  return rules ? needs.filter((need) => !allows(rules, need)) : [];
}
