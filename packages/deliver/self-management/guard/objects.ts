import type { KubeObject } from '@tiphys/kubernetes';
import { rulesOf } from '../prove/rights.ts';
import { own, partLabel, roleVariable, silentCandidate } from '../state/names.ts';

interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string }[];
  readonly args?: readonly string[];
  readonly [field: string]: unknown;
}

/** `spec.template` of a workload. */
export interface PodTemplate {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly serviceAccountName?: string;
    readonly containers: readonly Container[];
    readonly [field: string]: unknown;
  };
}

/** What a candidate or guard is made of. */
export interface BesideOptions {
  readonly role: 'candidate' | 'guard';
  readonly namespace: string;
  /** Of the controller: of the new version for a candidate, of the running one for a guard. */
  readonly template: PodTemplate;
  /** Rights of the account that it runs as, in its namespace and everywhere. */
  readonly rules: readonly object[];
  readonly clusterRules: readonly object[];
  /** A candidate serves no API, since the installation has none. */
  readonly silent?: boolean;
}

/** What a candidate may do: read everything, and tell what it found. */
export const candidateRules = {
  rules: [
    { apiGroups: [''], resources: ['configmaps'], resourceNames: [own.report], verbs: ['get', 'update', 'patch'] },
  ],
  clusterRules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
};

/**
 * A Deployment that runs the controller beside the installation, with an account of its own, so that neither what a new version
 * does to the rights of the installation nor its rollout reaches it. Nothing routes to its pod.
 */
export function objectsBeside(options: BesideOptions): KubeObject[] {
  const { role, namespace, template, rules, clusterRules } = options;
  const name = role === 'candidate' ? own.candidate : own.guard;
  const labels = { 'app.kubernetes.io/name': name, [partLabel]: role };
  const metadata = { name, namespace, labels };
  const everywhere = { name: `${name}-${namespace}`, labels };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const rbac = 'rbac.authorization.k8s.io';
  const apiVersion = `${rbac}/v1`;
  const bound = (kind: string, to: string) => ({ roleRef: { apiGroup: rbac, kind, name: to }, subjects });
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion, kind: 'Role', metadata, rules: [...rules] },
    { apiVersion, kind: 'RoleBinding', metadata, ...bound('Role', name) },
    { apiVersion, kind: 'ClusterRole', metadata: everywhere, rules: [...clusterRules] },
    { apiVersion, kind: 'ClusterRoleBinding', metadata: everywhere, ...bound('ClusterRole', everywhere.name) },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { 'app.kubernetes.io/name': name } },
        template: {
          metadata: {
            labels,
            ...(template.metadata?.annotations ? { annotations: template.metadata.annotations } : {}),
          },
          spec: podOf(template, options.silent ? silentCandidate : role, name),
        },
      },
    },
  ];
}

function podOf({ spec }: PodTemplate, role: string, account: string): Record<string, unknown> {
  const { serviceAccount: _old, affinity: _affinity, ...rest } = spec;
  const [main, ...others] = spec.containers;
  // It reports by itself. What probes would do to it, the guard of the version decides.
  const {
    livenessProbe: _live,
    readinessProbe: _ready,
    startupProbe: _start,
    ports: _ports,
    ...container
  } = main ?? {
    name: account,
  };
  const env = [...(main?.env ?? []).filter(({ name }) => name !== roleVariable), { name: roleVariable, value: role }];
  // ports of its own: on a node's network it would meet the running version
  const args = [...(main?.args ?? []), '--port=0', '--no-metrics'];
  return {
    ...rest,
    serviceAccountName: account,
    containers: [{ ...container, env, args }, ...others],
  };
}

/** The rules that the running controller has by the bindings of these objects: what its guard gets. */
export function guardRules(
  objects: readonly KubeObject[],
  account: { readonly name: string; readonly namespace: string },
): { rules: object[]; clusterRules: object[] } {
  const only = (kinds: readonly string[]) =>
    rulesOf(
      objects.filter(({ kind }) => kinds.includes(kind)),
      account,
    ) ?? [];
  return {
    rules: only(['RoleBinding', 'Role', 'ClusterRole']),
    clusterRules: only(['ClusterRoleBinding', 'ClusterRole']),
  };
}
