import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

const chart = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n';
const template = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\ndata:\n  host: ${value}\n`;
const restore = (files: Readonly<Record<string, string | undefined>>) => (stage: Stage) =>
  Promise.resolve(stage.commit(files));

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
