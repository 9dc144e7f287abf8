import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const chart = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n';
const template = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\ndata:\n  host: ${value}\n`;
const restore = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

const valuesOf = (repoURL: string, values: string) => ({ repoURL, path: 'app', helm: { values } });
const releaseOf = (repoURL: string, releaseName: string) => ({ repoURL, path: 'app', helm: { releaseName } });

export const renderFaults: readonly Fault[] = [
  {
    id: 'M1',
    title: 'a template reads a value that nobody set',
    files: {
      'app/Chart.yaml': chart,
      'app/values.yaml': 'ingress: {host: example.com}\n',
      'app/templates/a.yaml': template('{{ .Values.ingress.host }}'),
    },
    inject: restore({ 'app/values.yaml': 'other: 1\n' }),
    code: 'HelmRenderFailed',
    contains: [/templates\/a\.yaml/, /host/, /"line":6/],
    mend: restore({ 'app/values.yaml': 'ingress: {host: example.com}\n' }),
  },
  {
    id: 'M2',
    title: 'a value does not meet the schema of its chart',
    files: {
      'app/Chart.yaml': chart,
      'app/values.yaml': 'replicas: 1\nhost: a\n',
      'app/values.schema.json': JSON.stringify({ properties: { replicas: { type: 'integer' } } }),
      'app/templates/a.yaml': template('{{ .Values.host }}'),
    },
    inject: restore({ 'app/values.yaml': 'host: a\nreplicas: "many"\n' }),
    code: 'HelmValuesRefused',
    contains: [/replicas/, /integer/, /values\.yaml/, /"line":2/, /many/],
    mend: restore({ 'app/values.yaml': 'replicas: 1\nhost: a\n' }),
  },
  {
    id: 'M1',
    title: 'a template of a subchart reads a value that nobody set',
    files: {
      'app/Chart.yaml': chart,
      'app/values.yaml': 'db: {user: {name: a}}\n',
      'app/charts/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 1.0.0\n',
      'app/charts/db/templates/a.yaml': template('{{ .Values.user.name }}'),
    },
    inject: restore({ 'app/values.yaml': 'other: 1\n' }),
    code: 'HelmRenderFailed',
    contains: [/charts\/db\/templates\/a\.yaml/, /Set db\.user in the values/],
    mend: restore({ 'app/values.yaml': 'db: {user: {name: a}}\n' }),
  },
  {
    id: 'M1',
    title: 'values of the Application with a quote that is not closed',
    files: { 'app/Chart.yaml': chart, 'app/templates/a.yaml': template('{{ .Values.tag | quote }}') },
    spec: (setting) => Promise.resolve({ source: valuesOf(setting.repository.url, 'replicas: 2\ntag: "1"\n') }),
    inject: (stage) => stage.patch({ source: valuesOf(stage.repository.url, 'replicas: 2\ntag: "1\nname: x\n') }),
    code: 'HelmValuesInvalid',
    contains: [/spec\.source\.helm\.values/, /"line":2/, /the quote that opens there is not closed/],
    mend: (stage) => stage.patch({ source: valuesOf(stage.repository.url, 'replicas: 2\ntag: "1"\n') }),
  },
  {
    id: 'M1',
    title: 'a name that no release can have',
    files: { 'app/Chart.yaml': chart, 'app/templates/a.yaml': template('a') },
    spec: (setting) => Promise.resolve({ source: releaseOf(setting.repository.url, 'shop') }),
    inject: (stage) => stage.patch({ source: releaseOf(stage.repository.url, 'Bad_Name') }),
    code: 'ReleaseNameInvalid',
    contains: [/release name \\"Bad_Name\\"/, /spec\.source\.helm\.releaseName/],
    mend: (stage) => stage.patch({ source: releaseOf(stage.repository.url, 'shop') }),
  },
  {
    id: 'M2',
    title: 'a schema that is no JSON',
    files: {
      'app/Chart.yaml': chart,
      'app/values.schema.json': '{}',
      'app/templates/a.yaml': template('a'),
    },
    inject: restore({ 'app/values.schema.json': '{"type":' }),
    code: 'HelmValuesRefused',
    contains: [/The schema of shop cannot be used/, /"file":"app\/values\.schema\.json"/],
    mend: restore({ 'app/values.schema.json': '{}' }),
  },
  {
    id: 'M1',
    title: 'a text where the values of a subchart are wanted',
    files: {
      'app/Chart.yaml': chart,
      'app/values.yaml': 'db: {}\n',
      'app/charts/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 1.0.0\n',
      'app/charts/db/templates/a.yaml': template('a'),
    },
    inject: restore({ 'app/values.yaml': 'other: 1\ndb: large\n' }),
    code: 'HelmValuesInvalid',
    contains: [/type mismatch on db/, /Give the subchart a table of values under its name/],
    mend: restore({ 'app/values.yaml': 'db: {}\n' }),
  },
  {
    id: 'M3',
    title: 'a dependency of a chart is not there',
    files: {
      'app/Chart.yaml': chart,
      'app/templates/a.yaml': template('a'),
    },
    inject: restore({
      'app/Chart.yaml': `${chart}dependencies:\n- name: redis\n  version: 1.0.0\n  repository: http://127.0.0.1:1/charts\n`,
    }),
    code: 'ChartDependencyMissing',
    contains: [/127\.0\.0\.1:1/, /redis/],
    mend: restore({ 'app/Chart.yaml': chart }),
  },
  {
    id: 'M4',
    title: 'a kustomization names a file that is not there',
    files: { 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'app/a.yaml': configMap('a', 'one') },
    inject: restore({ 'app/kustomization.yaml': 'resources:\n- a.yaml\n- gone.yaml\n' }),
    code: 'KustomizationPathMissing',
    contains: [/gone\.yaml/, /kustomization\.yaml/],
    excludes: [/accumulating resources.*accumulating resources/],
    mend: restore({ 'app/kustomization.yaml': 'resources: [a.yaml]\n' }),
  },
  {
    id: 'M6',
    title: 'a Jsonnet program ends with an error',
    files: { 'app/a.jsonnet': '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "a"}}' },
    inject: restore({ 'app/a.jsonnet': '{apiVersion: "v1", kind: error "no kind today", metadata: {name: "a"}}' }),
    code: 'JsonnetFailed',
    contains: [/no kind today/, /a\.jsonnet/],
    mend: restore({ 'app/a.jsonnet': '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "a"}}' }),
  },
  {
    id: 'M7',
    title: 'a plugin that is not installed',
    inject: (stage) => stage.patch({ source: { plugin: { name: 'nobody-installed' } } }),
    code: 'PluginNotFound',
    contains: [/nobody-installed/],
    mend: (stage) => stage.patch({ source: { plugin: null } }),
  },
  {
    id: 'M9',
    title: 'a tab in YAML',
    inject: restore({ 'app/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n' }),
    code: 'InvalidYaml',
    contains: [/app\/a\.yaml/, /"line":4/],
    mend: restore({ 'app/a.yaml': configMap('a', 'two') }),
  },
  {
    id: 'RepeatedResource',
    title: 'two files hold the same object',
    inject: restore({ 'app/b.yaml': configMap('a', 'two') }),
    code: 'RepeatedResource',
    contains: [/app\/b\.yaml/, /app\/a\.yaml/],
    mend: restore({ 'app/b.yaml': undefined }),
  },
];
