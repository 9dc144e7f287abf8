import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldOrigin, ValueGiver, WantedObject } from './request/field-origins.ts';
import { SourceWorld } from './testing/source-world.ts';

const world = new SourceWorld();
const wanted: WantedObject = { group: '', kind: 'ConfigMap', namespace: 'prod', name: 'shop' };

/** Of the values of a field, as `name: who gave it`. */
const given = (field: FieldOrigin | undefined) =>
  (field?.values ?? []).map(({ name, givenBy = [] }) => `${name}: ${givenBy.map(giverText).join(', ')}`);
const giverText = (giver: ValueGiver) =>
  'parameter' in giver
    ? `parameter ${giver.parameter}`
    : 'field' in giver
      ? `${giver.field}:${giver.line}`
      : `${giver.ref ? `$${giver.ref}/` : ''}${giver.file}:${giver.line}`;

const repository = world.repositoryOf({
  'deploy/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'deploy/web/values.yaml': 'a: 1\nb: 1\nc: 1\nd: hush\nusers:\n- ada\n- ben\n',
  'deploy/web/templates/_names.tpl': '{{- define "web.label" -}}\nteam-{{ .Values.a }}\n{{- end }}\n',
  'deploy/web/templates/cm.yaml': [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    '  name: {{ .Release.Name }}',
    '  labels:',
    '    team: {{ include "web.label" . }}',
    'data:',
    '  b: {{ .Values.b | quote }}',
    '  c: {{ .Values.c | quote }}',
    '  d: {{ .Values.d }}',
    '{{- range $index, $user := .Values.users }}',
    '  user-{{ $index }}: {{ $user }}',
    '{{- end }}',
    '',
  ].join('\n'),
  'web/values.yaml': 'b: 2\n',
});

test('explain tells of each field of an object the template lines and who gave its values, by paths of the repository', async () => {
  const source = {
    path: 'deploy/web',
    helm: {
      valueFiles: ['/web/values.yaml'],
      values: 'c: 3\n',
      parameters: [{ name: 'd', value: 'very secret' }],
    },
  };
  const plain = await world.render(repository, source);
  assert.equal(plain.fields, undefined);
  const { fields = [], objects } = await world.render(repository, source, { explain: wanted });
  assert.deepEqual(objects, plain.objects);
  const of = (...path: (string | number)[]) => fields.find((field) => field.path.join('.') === path.join('.'));
  assert.deepEqual(of('metadata', 'name')?.place, { file: 'deploy/web/templates/cm.yaml', line: 4 });
  const label = of('metadata', 'labels', 'team');
  assert.deepEqual(label?.place, { file: 'deploy/web/templates/_names.tpl', line: 2 });
  assert.deepEqual(label?.includedAt, [{ file: 'deploy/web/templates/cm.yaml', line: 6 }]);
  assert.deepEqual(given(label), ['Values.a: deploy/web/values.yaml:1']);
  // a file that is called as the defaults of the chart would be is not taken for them
  assert.deepEqual(given(of('data', 'b')), ['Values.b: web/values.yaml:1']);
  assert.deepEqual(of('data', 'b')?.functions, ['quote']);
  assert.deepEqual(given(of('data', 'c')), ['Values.c: spec.source.helm.values:1']);
  assert.deepEqual(given(of('data', 'd')), ['Values.d: parameter d']);
  assert.doesNotMatch(JSON.stringify(fields.map(({ value: _, ...rest }) => rest)), /very secret/);
  const second = of('data', 'user-1');
  assert.deepEqual(second?.place, { file: 'deploy/web/templates/cm.yaml', line: 12 });
  assert.deepEqual(given(second), ['Values.users.1: deploy/web/values.yaml:7']);
  assert.match(second?.conditions[0]?.condition ?? '', /^range /);
});

test('explain tells nothing of what a chart does not make, and finds items of a List', async () => {
  const other = await world.render(repository, { path: 'deploy/web' }, { explain: { ...wanted, name: 'none' } });
  assert.equal(other.fields, undefined);
  const listed = world.repositoryOf({
    'app/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'app/templates/list.yaml':
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: first}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: shop}\n  data: {a: "{{ .Release.Name }}"}\n',
  });
  const { fields = [] } = await world.render(listed, {}, { explain: wanted });
  assert.deepEqual(
    fields.map(({ path, place }) => `${path.join('.')} ${place.line}`),
    ['apiVersion 7', 'kind 8', 'metadata.name 9', 'data.a 10'],
  );
});
