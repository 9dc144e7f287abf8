import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DiagnosisError } from '@tiphys/diagnosis';
import {
  assembleValues,
  HelmError,
  helmCommand,
  leafOrigins,
  loadArchive,
  loadChart,
  memoryFiles,
  renderChart,
  renderRecorded,
} from './index.ts';

const chartYaml = 'apiVersion: v2\nname: web\nversion: 0.1.0\n';
const release = { name: 'r', namespace: 'default' };

function render(files: Record<string, string>, more: Partial<Parameters<typeof renderChart>[0]> = {}) {
  const chart = loadChart(memoryFiles({ 'Chart.yaml': chartYaml, ...files }));
  return renderChart({ chart, values: new Map(), release, ...more });
}

function textOf(template: string, values = ''): string {
  const rendered = render({ 'templates/a.yaml': `x: |\n  ${template}\n`, 'values.yaml': values });
  return rendered.manifests[0]?.content.replace(/^x: \|\n {2}/, '').trimEnd() ?? '';
}

function refused(body: () => unknown): HelmError {
  try {
    body();
  } catch (error) {
    assert.ok(error instanceof HelmError, String(error));
    return error;
  }
  assert.fail('nothing was refused');
}

test('--set expressions build what helm builds', () => {
  const set = (...expressions: string[]) => JSON.stringify(plain(assembleValues({ set: expressions }).values));
  assert.equal(set('a.b=1,c={x,y},d[1].e=z'), '{"a":{"b":"1n"},"c":["x","y"],"d":[null,{"e":"z"}]}');
  assert.equal(set('a=null,b=true,c=012,d=1.5,e\\.f=g\\,h'), '{"a":null,"b":true,"c":"012","d":"1.5","e.f":"g,h"}');
  assert.equal(
    refused(() => assembleValues({ set: ['a'] })).helmMessage,
    'failed parsing --set data: key "a" has no value',
  );
  assert.match(
    refused(() => assembleValues({ set: ['a[2147483647]=x'] })).helmMessage,
    /greater than maximum supported index of 65536/,
  );
  assert.match(refused(() => assembleValues({ set: [`${'a.'.repeat(1_000_000)}b=1`] })).helmMessage, /nested level/);
});

function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'bigint' ? `${value}n` : value;
}

test('a value that is not set is named with what reads it and how to set it (M1)', () => {
  const error = refused(() =>
    render({
      'templates/_h.tpl': '{{ define "h" }}{{ .Values.a.b.c }}{{ end }}',
      'templates/a.yaml': '\n{{ include "h" . }}',
    }),
  );
  assert.match(error.helmMessage, /nil pointer evaluating interface \{\}\.b/);
  assert.equal(error.diagnosis.cause, 'M1');
  assert.equal(error.diagnosis.place?.file, 'web/templates/_h.tpl');
  assert.ok(error.diagnosis.evidence.some(({ name, value }) => name === 'included from' && value.includes('a.yaml:2')));
  assert.ok(error.diagnosis.remedies.some(({ text }) => text.includes('Set a')));
});

test('values that the schema refuses are named with what it wants (M2)', () => {
  const schema = JSON.stringify({ type: 'object', properties: { replicas: { type: 'integer' } } });
  const error = refused(() => render({ 'values.yaml': 'replicas: "3"', 'values.schema.json': schema }));
  assert.equal(error.diagnosis.cause, 'M2');
  assert.equal(error.diagnosis.place?.field, 'replicas');
  assert.match(error.helmMessage, /web:\n- at '\/replicas': got string, want integer/);
});

test('a schema can not read files, the network, or recurse for ever', () => {
  for (const reference of ['/dev/zero', 'file:///dev/zero', 'http://127.0.0.1:1/x']) {
    assert.throws(() => render({ 'values.schema.json': JSON.stringify({ $ref: reference }) }), HelmError, reference);
  }
  let deep: unknown = {};
  for (let i = 0; i < 2000; i++) deep = { items: deep };
  assert.throws(() => render({ 'values.schema.json': JSON.stringify(deep) }), HelmError);
  assert.throws(() => render({ 'values.schema.json': '{"items": null, "type": 5}' }), HelmError);
});

test('recorded randomness gives the same bytes again, and only what is new is generated', () => {
  const files = {
    'templates/a.yaml':
      'a: {{ randAlphaNum 12 }}\nb: {{ uuidv4 }}\nc: {{ now | date "2006" | quote }}\nd: {{ randAlphaNum 12 }}\n',
  };
  const one = renderRecorded([], (recorder) => render(files, { recorder }).manifests[0]?.content);
  assert.equal(one.fresh.size, 4);
  const stored = JSON.parse(JSON.stringify(one.used)) as typeof one.used;
  const two = renderRecorded(stored, (recorder) => render(files, { recorder }).manifests[0]?.content);
  assert.equal(two.result, one.result);
  assert.deepEqual([two.used, two.fresh.size], [one.used, 0]);
  assert.notEqual(render(files).manifests[0]?.content, one.result);
});

test('what is read is recorded: files, patterns and lookups; lookup answers from the caller', () => {
  const rendered = render(
    {
      'conf/a.txt': 'x',
      'templates/a.yaml':
        'a: {{ .Files.Get "conf/a.txt" }}\nb: {{ len (.Files.Glob "conf/*") }}\nc: {{ (lookup "v1" "Secret" "ns" "s").data.k }}\n',
    },
    { lookup: ({ name }) => (name === 's' ? { data: { k: 'live' } } : undefined) },
  );
  assert.equal(rendered.manifests[0]?.content, 'a: x\nb: 1\nc: live\n');
  assert.deepEqual(rendered.reads, {
    files: ['conf/a.txt'],
    globs: ['conf/*'],
    lookups: [{ apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's' }],
  });
});

test('the environment, the network and files outside the chart are out of reach', () => {
  assert.match(refused(() => textOf('{{ env "HOME" }}')).helmMessage, /function "env" not defined/);
  assert.equal(textOf('[{{ getHostByName "example.com" }}]'), '[]');
  assert.equal(textOf('[{{ .Files.Get "../../etc/passwd" }}{{ .Files.Get "/etc/passwd" }}]'), '[]');
  assert.equal(textOf('{{ len (.Files.Lines "none") }}'), '0');
});

test('an image, its template line and its values path are known for each leaf', () => {
  const rendered = render(
    {
      'values.yaml': 'image: {tag: "1"}',
      'templates/a.yaml': 'kind: X\nspec:\n  tag: {{ .Values.image.tag | quote }}\n',
    },
    { trace: true },
  );
  const [manifest] = rendered.manifests;
  assert.ok(manifest);
  const leaf = leafOrigins(manifest, rendered).find(({ path }) => path === 'spec.tag');
  assert.equal(leaf?.line, 3);
  assert.ok(leaf?.origins.some(({ root, path }) => root === 'Values' && path.join('.') === 'image.tag'));
});

function tarOf(entries: readonly { name: string; data?: string; type?: string }[]): Uint8Array {
  const blocks: Buffer[] = [];
  for (const { name, data = '', type = '0' } of entries) {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write('0000644\0', 100);
    header.write(data.length.toString(8).padStart(11, '0'), 124);
    header.fill(' ', 148, 156);
    header.write(type, 156);
    header.write('ustar\0', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    blocks.push(header, Buffer.from(data), Buffer.alloc((512 - (data.length % 512)) % 512));
  }
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

test('packages that lead out of the chart, or are bombs, are refused', () => {
  const chart = { name: 'web/Chart.yaml', data: chartYaml };
  assert.equal(loadArchive(tarOf([chart, { name: 'web/templates/a.yaml', data: 'a: 1' }])).templates.length, 1);
  for (const name of ['web/../../x', 'web/a/../../x', 'web//etc/passwd', 'web', 'Chart.yaml/x', 'web/c:/x']) {
    refused(() => loadArchive(tarOf([chart, { name, data: 'x' }])));
  }
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  assert.equal(refused(() => loadArchive(bomb, { limits: { size: 1_000_000 } })).diagnosis.code, 'ChartTooLarge');
  refused(() => loadArchive(Buffer.from('not gzip')));
});

test('hostile metadata is refused or cleaned', () => {
  const load = (text: string) => loadChart(memoryFiles({ 'Chart.yaml': text }));
  for (const name of ['..', '.', '../x', 'a/b']) refused(() => load(`apiVersion: v2\nname: ${name}\nversion: 1.0.0`));
  refused(() => load('apiVersion: v2\nname: x\nversion: "1.0\\e[2J"'));
  refused(() => load('apiVersion: v2\nname: x\nversion: 1.0.0\nmaintainers: [null]'));
  refused(() => load('apiVersion: v2\nname: x\nversion: 1.0.0\ndependencies: [{name: y, alias: "../x"}]'));
  refused(() => load('apiVersion: v2\nname: x\nversion: 1.0.0\ndependencies: [{name: y}, {name: y}]'));
  assert.equal(
    load('apiVersion: v2\nname: x\nversion: 1.0.0\ndescription: "a\\e[2J\\nb"').metadata.description,
    'a[2J b',
  );
});

test('hostile templates end with a diagnosis in bounded time', () => {
  const cases = [
    '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
    '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
    '{{ repeat 1000000000 "x" }}',
    '{{ range until 1000000000 }}x{{ end }}',
    '{{ range 1000000000 }}{{ end }}',
    '{{ $t := "{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t) }}',
    '{{ $x := "x" }}{{ range until 100 }}{{ $x = print $x $x }}{{ end }}',
  ];
  for (const template of cases) {
    assert.throws(
      () =>
        render(
          { 'templates/a.yaml': template },
          { limits: { steps: 2_000_000, output: 10_000_000, string: 10_000_000, time: 20_000 } },
        ),
      (error: unknown) => error instanceof DiagnosisError,
      template,
    );
  }
});

test('the command refuses loudly what it does not do', async () => {
  for (const flag of ['--validate', '--post-renderer=x', '--enable-dns', '--dry-run=server']) {
    let error = '';
    const code = await helmCommand(['template', 'r', '.', flag], {
      out: () => undefined,
      error: (text) => {
        error += text;
      },
      workdir: '/',
      env: {},
    });
    assert.equal(code, 1);
    assert.match(error, /not supported/, flag);
  }
});
