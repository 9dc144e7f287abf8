import type { Application, AppProject } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { packageChart } from '@tiphys/registry/testing';

const plain = (name: string, value = 'one') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`;
const annotated = (name: string, annotations: object) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations }, data: { value: 'one' } });
const hook = (name: string, phase: string) =>
  annotated(`hook-${name}`, {
    'argocd.argoproj.io/hook': phase,
    'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
  });
const wave = (name: string, number: string) => annotated(name, { 'argocd.argoproj.io/sync-wave': number });

const boats = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.takeover.example' },
  spec: {
    group: 'takeover.example',
    names: { kind: 'Boat', plural: 'boats', singular: 'boat', listKind: 'BoatList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const boat = {
  apiVersion: 'takeover.example/v1',
  kind: 'Boat',
  metadata: { name: 'argo' },
  spec: { oars: 50 },
};

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec: {containers: [{name: main, image: nginx}]}
`;

/** The repository of the installation that is taken over. */
export const installationFiles: Readonly<Record<string, string>> = {
  'plain/cm.yaml': plain('plain'),
  'recurse/a/1.yaml': plain('rec1'),
  'recurse/a/b/2.yaml': plain('rec2'),
  'kustomize/cm.yaml': plain('kust'),
  'kustomize/kustomization.yaml': 'namePrefix: pre-\ncommonLabels: {team: a}\nresources: [cm.yaml]\n',
  'helm/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
  'helm/values.yaml': 'value: default\nreplicas: 1\n',
  'helm/prod.yaml': 'value: prod\n',
  'helm/templates/all.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-cm", labels: {app: x}}
data: {value: {{ .Values.value | quote }}}
---
${deployment}`,
  'values/v.yaml': 'value: of-values\n',
  'hooks/cm.yaml': plain('hooked'),
  'hooks/presync.yaml': hook('presync', 'PreSync'),
  'hooks/postsync.yaml': hook('postsync', 'PostSync'),
  'waves/0.yaml': wave('wave0', '0'),
  'waves/1.yaml': wave('wave1', '1'),
  'waves/2.yaml': wave('wave2', '2'),
  'crd/all.yaml': `${JSON.stringify(boats)}\n---\n${JSON.stringify(boat)}\n`,
  'ssa/cm.yaml': plain('ssa'),
  'replace/cm.yaml': plain('replaced'),
  'ignore/cm.yaml': plain('ignored'),
  'jq/cm.yaml': plain('jq-ignored'),
  'manual/cm.yaml': plain('manual'),
  'prune/cm.yaml': plain('pruned'),
  'prune/kept.yaml': plain('kept'),
  'secret/s.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: hidden}\nstringData: {password: hush}\n',
  'svc/s.yaml':
    'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n',
  'jsonnet/a.jsonnet': '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "jsonnet"}, data: {value: "one"}}',
  'roles/all.yaml':
    'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: reader}\nrules:\n- {apiGroups: [""], resources: [configmaps], verbs: [get, list]}\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: reader}\n',
  'window/cm.yaml': plain('windowed'),
  'generated/cm.yaml': plain('generated'),
  'scoped/cm.yaml': plain('scoped'),
  'elsewhere/cm.yaml': plain('elsewhere'),
};

/** The commit that came after Argo CD synced: it takes `prune/kept.yaml` away. */
export const laterFiles = { 'prune/kept.yaml': undefined };

/** Of the Helm repository, and of the registry. */
export const installationChart = { name: 'boat', version: '1.2.3' };

export function installationPackage(): Buffer {
  return packageChart(installationChart.name, installationChart.version);
}

export interface Installation {
  /** URL of the Git repository. */
  readonly repository: string;
  /** URL of the Helm repository. */
  readonly charts: string;
  /** `host:port/folder` of the registry. */
  readonly registry: string;
  /** Namespace of the control plane. */
  readonly control: string;
  /** Another namespace that holds Applications. */
  readonly tenants: string;
  /** Where the applications deliver to. */
  readonly target: string;
  /** The one namespace of the cluster `scoped`. */
  readonly scope: string;
  /** URL under which the cluster is registered a second time, for that namespace only. */
  readonly scopedServer: string;
}

const automated = { automated: { prune: true, selfHeal: true } };

/** The projects of the installation. */
export function installationProjects({ control, target, tenants, scope }: Installation): AppProject[] {
  const project = (name: string, spec: Partial<AppProject['spec']>): AppProject =>
    ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name, namespace: control, finalizers: ['resources-finalizer.argocd.argoproj.io'] },
      spec: {
        sourceRepos: ['*'],
        destinations: [
          { server: '*', namespace: target },
          { server: '*', namespace: scope },
        ],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
        ...spec,
      },
    }) as AppProject;
  return [
    project('team', {
      orphanedResources: { warn: false },
      roles: [{ name: 'dev', policies: ['p, proj:team:dev, applications, get, team/*, allow'] }],
      sourceNamespaces: [tenants],
    } as Partial<AppProject['spec']>),
    project('frozen', {
      syncWindows: [{ kind: 'deny', schedule: '* * * * *', duration: '24h', applications: ['*'], manualSync: true }],
    } as Partial<AppProject['spec']>),
  ];
}

/** One application of each kind. */
export function installationApplications(of: Installation): Application[] {
  const application = (
    name: string,
    path: string,
    spec: Record<string, unknown> = {},
    metadata: Record<string, unknown> = {},
  ): Application => {
    const { source, ...rest } = spec as { source?: object };
    return {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: of.control, ...metadata },
      spec: {
        project: 'default',
        destination: { server: 'https://kubernetes.default.svc', namespace: of.target },
        syncPolicy: automated,
        ...('sources' in rest
          ? {}
          : { source: { repoURL: of.repository, path, targetRevision: 'HEAD', ...(source ?? {}) } }),
        ...rest,
      },
    } as unknown as Application;
  };
  const withOptions = (...syncOptions: string[]) => ({ syncPolicy: { ...automated, syncOptions } });
  return [
    application('plain', 'plain', {}, { finalizers: ['resources-finalizer.argocd.argoproj.io'] }),
    application('recurse', 'recurse', { source: { directory: { recurse: true } } }),
    application('kustomize', 'kustomize', {
      source: { kustomize: { nameSuffix: '-suf', commonAnnotations: { a: 'b' } } },
    }),
    application('helm', 'helm'),
    application('helm-values', 'helm', {
      source: {
        helm: { releaseName: 'rel', valueFiles: ['prod.yaml'], parameters: [{ name: 'replicas', value: '2' }] },
      },
    }),
    application('chart', '', {
      source: {
        path: undefined,
        repoURL: of.charts,
        chart: installationChart.name,
        targetRevision: '1.x',
      },
    }),
    application('oci-chart', '', {
      source: {
        path: undefined,
        repoURL: of.registry,
        chart: installationChart.name,
        targetRevision: installationChart.version,
        helm: { releaseName: 'oci' },
      },
    }),
    application('hooks', 'hooks'),
    application('waves', 'waves'),
    application('crd', 'crd', withOptions('SkipDryRunOnMissingResource=true')),
    application('ssa', 'ssa', withOptions('ServerSideApply=true')),
    application('replace', 'replace', withOptions('Replace=true')),
    application('ignore', 'ignore', { ignoreDifferences: [{ kind: 'ConfigMap', jsonPointers: ['/data/value'] }] }),
    application('jq', 'jq', {
      ...withOptions('RespectIgnoreDifferences=true'),
      ignoreDifferences: [{ kind: 'ConfigMap', jqPathExpressions: ['.data.value'] }],
    }),
    application('manual', 'manual', { syncPolicy: undefined }),
    application('prune', 'prune', { syncPolicy: { automated: {} } }),
    application('secret', 'secret'),
    application(
      'service',
      'svc',
      {},
      {
        labels: { team: 'a' },
        annotations: { 'argocd.argoproj.io/manifest-generate-paths': '.' },
      },
    ),
    application('roles', 'roles', { project: 'team' }),
    application('jsonnet', 'jsonnet'),
    application('multi', '', {
      sources: [
        {
          repoURL: of.repository,
          path: 'helm',
          targetRevision: 'HEAD',
          helm: { releaseName: 'multi', valueFiles: ['$v/values/v.yaml'] },
        },
        { repoURL: of.repository, targetRevision: 'HEAD', ref: 'v' },
      ],
    }),
    application('windowed', 'window', { project: 'frozen', syncPolicy: undefined }),
    application('scoped', 'scoped', { destination: { server: of.scopedServer, namespace: of.scope } }),
    application('elsewhere', 'elsewhere', { project: 'team' }, { namespace: of.tenants }),
  ];
}

/** Makes the application `generated`. */
export function installationSet({ repository, control, target }: Installation): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'generator', namespace: control },
    spec: {
      generators: [{ list: { elements: [{ name: 'generated' }] } }],
      template: {
        metadata: { name: '{{name}}' },
        spec: {
          project: 'default',
          destination: { server: 'https://kubernetes.default.svc', namespace: target },
          source: { repoURL: repository, path: '{{name}}', targetRevision: 'HEAD' },
          syncPolicy: automated,
        },
      },
    },
  };
}
