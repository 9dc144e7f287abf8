import { configMap, deployment } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const commit = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

const json = (apiVersion: string, kind: string, rest: object, name = 'w'): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name }, ...rest });

const workflowTemplate = (name: string, entrypoint: string, calls: readonly object[]): string =>
  json(
    'argoproj.io/v1alpha1',
    'WorkflowTemplate',
    {
      spec: {
        entrypoint,
        templates: [{ name: 'main', suspend: {} }, ...(calls.length > 0 ? [{ name: 'calls', steps: [calls] }] : [])],
      },
    },
    name,
  );

const analysisTemplate = ({ query = 'vector(1)', successCondition = 'result[0] < 0.05' }): string =>
  json(
    'argoproj.io/v1alpha1',
    'AnalysisTemplate',
    {
      spec: {
        args: [{ name: 'service' }],
        metrics: [
          {
            name: 'errors',
            successCondition,
            provider: { prometheus: { address: 'http://prometheus.example', query } },
          },
        ],
      },
    },
    'rate',
  );

type Row = Omit<Fault, 'inject' | 'mend'>;

/** Files come that are accepted and do nothing, and go again. */
const added = (fault: Row, files: Readonly<Record<string, string>>): Fault => ({
  ...fault,
  inject: commit(files),
  mend: commit(Object.fromEntries(Object.keys(files).map((file) => [file, undefined]))),
});

const rbac = 'rbac.authorization.k8s.io';
const binding = (kind: string, roleKind: string, name: string): string =>
  json(
    `${rbac}/v1`,
    kind,
    {
      roleRef: { apiGroup: rbac, kind: roleKind, name: 'gone' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
    },
    name,
  );

const web = { 'app/d.yaml': deployment('web', { replicas: 2 }) };
const service = (spec: object) => ({ ...web, 'app/s.yaml': json('v1', 'Service', { spec }, 'web') });
const ingress = (name: string, port: number): string =>
  json('networking.k8s.io/v1', 'Ingress', {
    spec: {
      rules: [
        {
          http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name, port: { number: port } } } }] },
        },
      ],
    },
  });
const budget = (spec: object) => ({
  ...web,
  'app/b.yaml': json('policy/v1', 'PodDisruptionBudget', {
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  }),
});
const inKustomization = { 'app/kustomization.yaml': 'resources: [d.yaml]\n', 'app/d.yaml': deployment('web') };
const inKustomize = (fault: Omit<Row, 'files'>, entry: string): Fault => ({
  ...fault,
  files: inKustomization,
  inject: commit({ 'app/kustomization.yaml': `resources: [d.yaml]\n${entry}\n` }),
  mend: commit({ 'app/kustomization.yaml': inKustomization['app/kustomization.yaml'] }),
});

const labelled = (name: string, matchLabels: object, labels: object): string =>
  json(
    'apps/v1',
    'Deployment',
    {
      spec: {
        replicas: 1,
        selector: { matchLabels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] } },
      },
    },
    name,
  );

/** What the cluster accepts, no health check reads, and does not work. */
export const noticeFaults: readonly Fault[] = [
  added(
    {
      id: 'C1',
      title: 'a binding to a role that is not there',
      code: 'RoleMissing',
      contains: [/Role gone does not exist in namespace/, /ServiceAccount robot/, /app\/w\.yaml/],
    },
    { 'app/w.yaml': binding('RoleBinding', 'Role', 'w') },
  ),
  {
    id: 'C1',
    title: 'a binding to a role of the whole cluster that is not there',
    slow: true,
    code: 'RoleMissing',
    contains: [/ClusterRole gone does not exist/, /grants nothing/],
    inject: async (stage) => stage.commit({ 'app/w.yaml': binding('ClusterRoleBinding', 'ClusterRole', stage.name) }),
    mend: commit({ 'app/w.yaml': undefined }),
  },
  {
    id: 'PolicyMissing',
    title: 'a binding to an admission policy that is not there',
    slow: true,
    code: 'PolicyMissing',
    contains: [/ValidatingAdmissionPolicy gone does not exist/, /lets everything pass/],
    inject: async (stage) =>
      stage.commit({
        'app/w.yaml': json(
          'admissionregistration.k8s.io/v1',
          'ValidatingAdmissionPolicyBinding',
          { spec: { policyName: 'gone', validationActions: ['Deny'] } },
          stage.name,
        ),
      }),
    mend: commit({ 'app/w.yaml': undefined }),
  },
  added(
    {
      id: 'ServiceSelectsNothing',
      title: 'a Service that selects labels which no pod has',
      code: 'ServiceSelectsNothing',
      contains: [/app=wbe/, /pods of Deployment web/, /app=web/, /app\/s\.yaml/],
    },
    service({ selector: { app: 'wbe' }, ports: [{ port: 80 }] }),
  ),
  added(
    {
      id: 'ServicePortUnknown',
      title: 'a Service that names a port which no container has',
      slow: true,
      code: 'ServicePortUnknown',
      contains: [/port admin/, /spec\.ports\[0\]\.targetPort/],
    },
    service({ selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'admin' }] }),
  ),
  added(
    {
      id: 'S20',
      title: 'an Ingress to a Service that is not there',
      code: 'IngressBackendMissing',
      contains: [
        /Ingress w leads to Service gone, which does not exist/,
        /rules\[0\]\.http\.paths\[0\]/,
        /app\/i\.yaml/,
      ],
      recovers: false,
    },
    { 'app/i.yaml': ingress('gone', 80) },
  ),
  added(
    {
      id: 'S20',
      title: 'an Ingress to a port that the Service does not have',
      slow: true,
      code: 'IngressBackendMissing',
      contains: [/port 8080 of Service web, which has 80/],
      recovers: false,
    },
    { ...service({ selector: { app: 'web' }, ports: [{ port: 80 }] }), 'app/i.yaml': ingress('web', 8080) },
  ),
  added(
    {
      id: 'GoverningServiceMissing',
      title: 'a StatefulSet whose Service is not there',
      code: 'GoverningServiceMissing',
      contains: [/Service db of StatefulSet w does not exist/, /clusterIP: None/],
    },
    {
      'app/s.yaml': json('apps/v1', 'StatefulSet', {
        spec: {
          serviceName: 'db',
          selector: { matchLabels: { app: 'db' } },
          template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'db', image: 'a:1' }] } },
        },
      }),
    },
  ),
  added(
    {
      id: 'S10',
      title: 'a Secret for pulling images that is not there',
      code: 'PullSecretMissing',
      contains: [/Secret gone for the images of Deployment w does not exist/, /dockerconfigjson/],
    },
    {
      'app/p.yaml': json('apps/v1', 'Deployment', {
        spec: {
          selector: { matchLabels: { app: 'p' } },
          template: {
            metadata: { labels: { app: 'p' } },
            spec: { imagePullSecrets: [{ name: 'gone' }], containers: [{ name: 'c', image: 'a:1' }] },
          },
        },
      }),
    },
  ),
  added(
    {
      id: 'S16',
      title: 'a budget that never lets a pod go',
      code: 'EvictionsBlocked',
      contains: [/minAvailable 2 of 2/, /Deployment web/],
    },
    budget({ minAvailable: 2 }),
  ),
  added(
    {
      id: 'S16',
      title: 'a budget of no unavailable pods at all',
      slow: true,
      code: 'EvictionsBlocked',
      contains: [/maxUnavailable 0% of 2/],
    },
    budget({ maxUnavailable: '0%' }),
  ),
  inKustomize(
    {
      id: 'M4',
      title: 'a patch whose target no object meets',
      code: 'KustomizationEntryIdle',
      contains: [
        /patches\[0\] fits nothing/,
        /kind Deployment, name wbe/,
        /Deployment web/,
        /app\/kustomization\.yaml/,
      ],
    },
    'patches: [{target: {kind: Deployment, name: wbe}, patch: "- {op: remove, path: /spec/paused}"}]',
  ),
  inKustomize(
    {
      id: 'M4',
      title: 'a tag for an image that no container has',
      slow: true,
      code: 'KustomizationEntryIdle',
      contains: [/no container has the image ngnix/],
    },
    'images: [{name: ngnix, newTag: "2"}]',
  ),
  {
    id: 'SourceEmpty',
    title: 'a folder that holds no manifest',
    files: { 'app/README.md': 'nothing yet\n', 'app/base/a.yaml': configMap('a', 'one') },
    fromStart: true,
    code: 'SourceEmpty',
    contains: [/app holds no manifest/, /app\/base\/a\.yaml/, /directory\.recurse: true/],
    mend: commit({ 'app/a.yaml': configMap('b', 'one') }),
  },
  {
    id: 'ControllerSilent',
    title: 'an object whose controller nobody installed',
    slow: true,
    inject: async (stage) => {
      await stage.create({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'certificates.cert-manager.io' },
        spec: {
          group: 'cert-manager.io',
          scope: 'Namespaced',
          names: { plural: 'certificates', singular: 'certificate', kind: 'Certificate', listKind: 'CertificateList' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      });
      stage.commit({ 'app/w.yaml': json('cert-manager.io/v1', 'Certificate', { spec: { secretName: 'tls' } }) });
    },
    code: 'ControllerSilent',
    contains: [/Certificate w has no status/, /Install the controller of cert-manager\.io/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  {
    id: 'M11',
    title: 'a definition that is removed while its objects are in use',
    slow: true,
    inject: async (stage) => {
      const group = `${stage.name}.removed.example`;
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `jars.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'jars', singular: 'jar', kind: 'Jar', listKind: 'JarList' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      };
      await stage.world.client.create(definition);
      stage.commit({ 'app/w.yaml': json(`${group}/v1`, 'Jar', {}) });
      // a sync that heals itself tells what it lacks in words of its own
      await stage.patch({ syncPolicy: { automated: { selfHeal: false } } });
      await stage.until(
        'the jar',
        ({ status }) =>
          (status?.resources ?? []).some(({ kind, status: code }) => kind === 'Jar' && code === 'Synced') &&
          status?.operationState?.phase === 'Succeeded',
      );
      const {
        apiVersion,
        kind,
        metadata: { name },
      } = definition;
      await stage.world.client.delete({ apiVersion, kind, name });
    },
    code: 'KindRemoved',
    contains: [/no longer serves Jar/, /app\/w\.yaml/, /remove its objects from Git/],
    mend: commit({ 'app/w.yaml': undefined }),
  },
  added(
    {
      id: 'SelectorsOverlap',
      title: 'two Deployments that select the same pods',
      files: web,
      code: 'SelectorsOverlap',
      contains: [
        /Deployment other and Deployment web of namespace target-\w+ select the same pods/,
        /apps\/Deployment target-\w+\/web/,
        /selects app=web; its pods have app=web,tier=back/,
        /label of its own/,
      ],
      excludes: [/Deployment far\b/, /Deployment near\b/],
    },
    {
      'app/o.yaml': labelled('other', { app: 'web' }, { app: 'web', tier: 'back' }),
      // alike in one label, and not in the other
      'app/f.yaml': labelled('far', { app: 'shop', track: 'a' }, { app: 'shop', track: 'a' }),
      'app/n.yaml': labelled('near', { app: 'shop', track: 'b' }, { app: 'shop', track: 'b' }),
    },
  ),
  added(
    {
      id: 'WorkflowMistaken',
      title: 'a WorkflowTemplate whose entrypoint is none of its templates',
      code: 'WorkflowMistaken',
      contains: [
        /WorkflowTemplate build cannot run as it is written: there is no template mian/,
        /"field":"spec\.entrypoint"/,
        /app\/w\.yaml/,
        /correct the name/,
      ],
    },
    { 'app/w.yaml': workflowTemplate('build', 'mian', []) },
  ),
  added(
    {
      id: 'WorkflowMistaken',
      title: 'a call of a template of another WorkflowTemplate that is delivered with it, and has none of that name',
      code: 'WorkflowMistaken',
      contains: [
        /there is no template bake/,
        /"field":"spec\.templates\[1\]\.steps\[0\]\[0\]\.templateRef/,
        /app\/w\.yaml/,
      ],
      excludes: [/elsewhere/],
    },
    {
      'app/w.yaml': workflowTemplate('build', 'main', [
        { name: 'one', templateRef: { name: 'kitchen', template: 'bake' } },
        { name: 'two', templateRef: { name: 'elsewhere', template: 'bake' } },
      ]),
      'app/k.yaml': workflowTemplate('kitchen', 'main', []),
    },
  ),
  added(
    {
      id: 'AnalysisMistaken',
      title: 'a query of an AnalysisTemplate with a bracket that is never closed',
      code: 'AnalysisMistaken',
      contains: [
        /AnalysisTemplate rate can judge nothing by its metric errors: in its query \( in its column 4 is never closed/,
        /"field":"spec\.metrics\[0\]\.provider\.prometheus\.query"/,
        /app\/t\.yaml/,
      ],
    },
    { 'app/t.yaml': analysisTemplate({ query: 'sum(rate(errors{service="{{args.service}}"}[5m])' }) },
  ),
  added(
    {
      id: 'AnalysisMistaken',
      title: 'a condition of an AnalysisTemplate that is no expression',
      code: 'AnalysisMistaken',
      contains: [
        /result\[0\] <== 0\.05/,
        /cannot be read: unexpected token/,
        /"field":"spec\.metrics\[0\]\.successCondition"/,
      ],
    },
    { 'app/t.yaml': analysisTemplate({ successCondition: 'result[0] <== 0.05' }) },
  ),
  added(
    {
      id: 'ProbePortUnknown',
      title: 'a probe of a port that the container does not have',
      code: 'ProbePortUnknown',
      contains: [
        /The readinessProbe of container main of Deployment probed asks port web, which the container does not have/,
        /"field":"spec\.template\.spec\.containers\[0\]\.readinessProbe\.httpGet\.port"/,
        /"value":"http"/,
        /app\/p\.yaml/,
      ],
    },
    {
      'app/p.yaml': json(
        'apps/v1',
        'Deployment',
        {
          spec: {
            selector: { matchLabels: { app: 'probed' } },
            template: {
              metadata: { labels: { app: 'probed' } },
              spec: {
                containers: [
                  {
                    name: 'main',
                    image: 'registry.example/app:1',
                    ports: [{ name: 'http', containerPort: 80 }],
                    livenessProbe: { tcpSocket: { port: 'http' } },
                    readinessProbe: { httpGet: { path: '/', port: 'web' } },
                  },
                ],
              },
            },
          },
        },
        'probed',
      ),
    },
  ),
];
