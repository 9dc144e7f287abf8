import { tmpdir } from 'node:os';
import type { Application } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { program } from '../support/installation.ts';

/** A version of Tiphys as its manifests tell it. */
export interface Release {
  readonly name: string;
  /** Of its metrics, on this machine. */
  readonly port: number;
  /** Commands of a shell before the process begins. */
  readonly before?: string;
  readonly rules?: readonly object[];
  readonly more?: readonly object[];
}

const everything = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

/** The manifests of a release, whose controller runs as a process of this machine. */
export function manifestsOf(release: Release, namespace: string): string {
  const name = 'argocd-application-controller';
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'argocd' };
  const metadata = { name, namespace, labels };
  const rbac = 'rbac.authorization.k8s.io';
  const start = `exec "${process.execPath}" "${program}" up --role=controller --kubeconfig "$KUBECONFIG" --namespace ${namespace} --no-example --metrics-ports ${release.port},0,0 --local-repositories "${tmpdir()}" "$@"`;
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name, labels }, rules: release.rules ?? everything },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name, labels },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata,
      spec: {
        serviceName: name,
        podManagementPolicy: 'Parallel',
        replicas: 1,
        selector: { matchLabels: { 'app.kubernetes.io/name': name } },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: name,
            terminationGracePeriodSeconds: 20,
            containers: [
              {
                name: 'controller',
                image: `tiphys:${release.name}`,
                command: ['/bin/sh', '-c', `${release.before ?? ':'}\n${start}`, 'sh'],
                args: [],
                readinessProbe: { httpGet: { path: '/healthz', port: release.port }, periodSeconds: 1 },
                env: [
                  { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                  { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
                  { name: 'TIPHYS_OUTBOUND', value: 'loopback,private' },
                ],
              },
            ],
          },
        },
      },
    },
    ...(release.more ?? []),
  ];
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

/** An Application of a folder of a repository, delivered by itself. */
export function applicationOf(options: {
  readonly name: string;
  readonly namespace: string;
  readonly repoURL: string;
  readonly path: string;
  readonly destination: string;
  readonly annotations?: Readonly<Record<string, string>>;
}): Application & KubeObject {
  const { name, namespace, repoURL, path, destination, annotations } = options;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace, ...(annotations ? { annotations: { ...annotations } } : {}) },
    spec: {
      project: 'default',
      source: { repoURL, path, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: destination },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['ServerSideApply=true'] },
    },
  } as Application & KubeObject;
}
