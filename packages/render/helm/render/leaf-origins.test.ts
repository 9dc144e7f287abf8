import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Recorder } from '@tiphys/template';
import { parseDocuments } from '@tiphys/yaml';
import {
  assembleValues,
  HelmError,
  leafOrigins,
  loadChart,
  localFiles,
  memoryFiles,
  type RenderedChart,
  renderChart,
} from '../index.ts';

const fixedRecorder: Recorder = {
  generate: (one) => `generated-${one.function}`,
  randomBytes: () => new Uint8Array(),
  now: () => 0,
};

const values = `name: one
same: one
number: 5
config:
  a: {b: deep, c: one}
  list: [x, y]
secret: hidden
text: "{{ .Values.name }}-{{ .Release.Name }}"
lines: |
  first
  second
`;

function render(template: string, more: Record<string, string> = {}) {
  const chart = loadChart(
    memoryFiles({
      'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n',
      'values.yaml': values,
      'templates/_h.tpl':
        '{{ define "labels" }}app: {{ .Values.name }}\nrelease: {{ .Release.Name }}{{ end }}\n{{ define "whole" }}{{ include "labels" . }}\nversion: {{ .Chart.Version | quote }}{{ end }}',
      'templates/a.yaml': template,
      ...more,
    }),
  );
  return renderChart({
    chart,
    values: assembleValues({}).values,
    release: { name: 'r', namespace: 'ns' },
    trace: true,
    recorder: fixedRecorder,
    lookup: ({ name }) => (name === 's' ? { data: { k: 'live' } } : undefined),
  });
}

/** Leaves as `path: [file:line] origins GENERATED`. */
function described(template: string, more: Record<string, string> = {}): string[] {
  const rendered = render(template, more);
  return [...rendered.manifests, ...rendered.hooks].flatMap((manifest) =>
    leafOrigins(manifest, rendered).map((leaf) =>
      [
        `${leaf.path}: ${leaf.template.replace('web/templates/', '')}:${leaf.line}`,
        ...leaf.callers.map(({ template: file, line }) => `<${file.replace('web/templates/', '')}:${line}`),
        ...leaf.origins.map(
          ({ root, path, isKey, isEmpty }) => `${isKey ? '#' : isEmpty ? '~' : ''}${[root, ...path].join('.')}`,
        ),
        ...leaf.via.map((name) => `|${name}`),
        ...leaf.generated.map((name) => `!${name}`),
        ...leaf.keyOrigins.map(({ root, path, isKey }) => `key=${isKey ? '#' : ''}${[root, ...path].join('.')}`),
        ...leaf.keysGenerated.map((name) => `key!${name}`),
      ].join(' '),
    ),
  );
}

const cases: readonly [what: string, template: string, leaves: readonly string[]][] = [
  ['text and values side by side', 'a: 1\nb: {{ .Values.name }}\n', ['a: a.yaml:1', 'b: a.yaml:2 Values.name']],
  [
    'equal values from different places',
    'a: {{ .Values.name }}\nb: {{ .Values.same }}\nc: {{ .Values.config.a.c }}\n',
    ['a: a.yaml:1 Values.name', 'b: a.yaml:2 Values.same', 'c: a.yaml:3 Values.config.a.c'],
  ],
  [
    'two leaves on one line',
    'm: {a: {{ .Values.name }}, b: 1, c: {{ randAlpha 3 }}}\n',
    ['m.a: a.yaml:1 Values.name', 'm.b: a.yaml:1', 'm.c: a.yaml:1 !randAlpha'],
  ],
  [
    'a generated value and what is derived from it, and nothing beside them',
    '{{ $p := randAlphaNum 8 }}a: {{ $p }}\nb: {{ $p | b64enc | quote }}\nc: {{ sha256sum (printf "x%s" $p) }}\nd: {{ .Values.secret | b64enc }}\n',
    [
      'a: a.yaml:1 !randAlphaNum',
      'b: a.yaml:2 |b64enc |quote !randAlphaNum',
      'c: a.yaml:3 |printf |sha256sum !randAlphaNum',
      'd: a.yaml:4 Values.secret |b64enc',
    ],
  ],
  [
    'a generated value inside a text block',
    'a: |\n  user: {{ .Values.name }}\n  password: {{ randAlpha 3 }}\nb: 2\n',
    ['a: a.yaml:2 Values.name !randAlpha', 'b: a.yaml:4'],
  ],
  [
    'an include, indented',
    'labels:\n  {{- include "whole" . | nindent 2 }}\nb: 1\n',
    [
      'labels.app: _h.tpl:1 <_h.tpl:3 <a.yaml:2 Values.name',
      'labels.release: _h.tpl:2 <_h.tpl:3 <a.yaml:2 Release.Name',
      'labels.version: _h.tpl:4 <a.yaml:2 Chart.Version |quote',
      'b: a.yaml:3',
    ],
  ],
  [
    'toYaml of values',
    'config:\n{{ toYaml .Values.config | indent 2 }}\n',
    [
      'config.a.b: a.yaml:2 Values.config.a.b |toYaml key=#Values.config.a key=#Values.config.a.b',
      'config.a.c: a.yaml:2 Values.config.a.c |toYaml key=#Values.config.a key=#Values.config.a.c',
      'config.list[0]: a.yaml:2 Values.config.list.0 |toYaml key=#Values.config.list',
      'config.list[1]: a.yaml:2 Values.config.list.1 |toYaml key=#Values.config.list',
    ],
  ],
  [
    'toYaml of a dict of everything',
    '{{ dict "a" .Values.name "b" (list "c" (randAlpha 3)) "d" (dict "e" .Values.number) | toYaml }}\n',
    [
      'a: a.yaml:1 Values.name |toYaml',
      'b[0]: a.yaml:1',
      'b[1]: a.yaml:1 |toYaml !randAlpha',
      'd.e: a.yaml:1 Values.number |toYaml',
    ],
  ],
  [
    'toYaml with strings in every style',
    '{{ dict "a" (print "x: " .Values.name) "b" (print .Values.lines) "c" (print "1" .Values.none) "d" .Values.secret | toYaml }}\n',
    [
      'a: a.yaml:1 Values.name |toYaml',
      'b: a.yaml:1 Values.lines |toYaml',
      'c: a.yaml:1 Values.none |toYaml',
      'd: a.yaml:1 Values.secret |toYaml',
    ],
  ],
  [
    'fromYaml of an include, merged and printed',
    '{{ $d := mergeOverwrite (fromYaml (include "labels" .)) (dict "app" .Values.same "x" (randAlpha 3)) }}{{ toYaml $d }}\n',
    [
      'app: a.yaml:1 Values.same |toYaml',
      'release: _h.tpl:2 <a.yaml:1 Release.Name |fromYaml |toYaml',
      'x: a.yaml:1 |toYaml !randAlpha',
    ],
  ],
  [
    'toJson',
    'a: {{ dict "p" (randAlpha 3) "n" .Values.name "c" 1 | toJson }}\n',
    ['a.c: a.yaml:1', 'a.n: a.yaml:1 Values.name |toJson', 'a.p: a.yaml:1 |toJson !randAlpha'],
  ],
  ['toToml', 'a: {{ dict "n" .Values.name | toToml | quote }}\n', ['a: a.yaml:1 Values.name |toToml |quote']],
  [
    'toToml, where a text comes back as YAML',
    '{{ dict "a" .Values.number "b" (dict "c" (list .Values.secret (randAlpha 3))) "d" 1 | toToml | replace " = " ": " | replace "[b]" "b:" }}\n',
    [
      'a: a.yaml:1 Values.number |toToml |replace',
      'd: a.yaml:1',
      'b.c[0]: a.yaml:1 Values.secret |toToml |replace',
      'b.c[1]: a.yaml:1 |toToml |replace !randAlpha',
    ],
  ],
  [
    'variables, with, range and their keys',
    '{{ $n := .Values.name }}{{ with .Values.config }}a: {{ .a.b }}\nn: {{ $n }}\n{{ range $k, $v := .a }}k-{{ $k }}: {{ $v }}\n{{ end }}{{ end }}',
    [
      'a: a.yaml:1 Values.config.a.b',
      'n: a.yaml:2 Values.name',
      'k-b: a.yaml:3 Values.config.a.b key=#Values.config.a.b',
      'k-c: a.yaml:3 Values.config.a.c key=#Values.config.a.c',
    ],
  ],
  [
    'keys that templates make',
    '{{ .Values.name }}: 1\n{{ randAlpha 3 }}:\n  a: {{ .Values.number }}\n',
    ['one: a.yaml:1 key=Values.name', 'generated-randAlpha.a: a.yaml:3 Values.number key!randAlpha'],
  ],
  [
    'tpl: what the text says, and the text',
    'a: {{ tpl .Values.text . }}\n',
    ['a: a.yaml:1 Values.name Values.text Release.Name |tpl'],
  ],
  [
    'what was looked up',
    'a: {{ (lookup "v1" "Secret" "ns" "s").data.k }}\n',
    ['a: a.yaml:1 lookup.v1.Secret.ns.s.data.k'],
  ],
  [
    'files',
    'a: {{ .Files.Get "f.txt" | quote }}\nb:\n{{ (.Files.Glob "*.txt").AsConfig | indent 2 }}\n',
    ['a: a.yaml:1 Files.f.txt |quote', 'b["f.txt"]: a.yaml:3 Files.f.txt |AsConfig'],
  ],
  [
    'nothing, and what prints nothing',
    'a:\nb: {{ .Values.none }}\nc: {{ default "" .Values.none }}\nd: []\n',
    ['a: a.yaml:1', 'b: a.yaml:2 Values.none', 'c: a.yaml:3 ~Values.none', 'd: a.yaml:4'],
  ],
  [
    'documents of one template',
    'a: {{ .Values.name }}\n---\n# nothing\n---\n\n  \na: {{ randAlpha 3 }}\n',
    ['a: a.yaml:1 Values.name', 'a: a.yaml:7 !randAlpha'],
  ],
  [
    'aliases and merges',
    'x: &x\n  a: {{ .Values.name }}\n  b: 1\ny:\n  <<: *x\n  b: {{ randAlpha 3 }}\nz: *x\n',
    [
      'x.a: a.yaml:2 Values.name',
      'x.b: a.yaml:3',
      'y.a: a.yaml:2 Values.name',
      'y.b: a.yaml:6 !randAlpha',
      'z.a: a.yaml:2 Values.name',
      'z.b: a.yaml:3',
    ],
  ],
  ['the last of equal keys', 'a: {{ .Values.name }}\na: 2\n', ['a: a.yaml:2']],
  [
    'values that a template changes',
    '{{ $_ := set .Values "name" (randAlpha 3) }}a: {{ .Values.name }}\nb: {{ .Values.same }}\n',
    ['a: a.yaml:1 !randAlpha', 'b: a.yaml:2 Values.same'],
  ],
  [
    'fields of a certificate',
    '{{ $c := dict "Cert" (randAlpha 2) }}a: {{ $c.Cert }}\nb: {{ get $c "Cert" | b64enc }}\nc: {{ $.Values.name }}\n',
    ['a: a.yaml:1 !randAlpha', 'b: a.yaml:2 |b64enc !randAlpha', 'c: a.yaml:3 Values.name'],
  ],
];

for (const [what, template, leaves] of cases)
  test(`leaves know where they come from: ${what}`, () =>
    assert.deepEqual(described(template, { 'f.txt': 'text of f' }), leaves));

test('values that one template changed are what the next one reads', () => {
  const leaves = described('a: {{ .Values.name }}\n', {
    'templates/z.yaml': '{{ $_ := set .Values "name" (randAlpha 3) }}z: 1\n',
  });
  assert.deepEqual(leaves, ['a: a.yaml:1 !randAlpha', 'z: z.yaml:1']);
});

test('values of subcharts have their paths from the root chart on, also when a parent prints them', () => {
  const rendered = render('a: {{ .Subcharts.db.Values.user }}\n', {
    'charts/db/Chart.yaml': 'apiVersion: v2\nname: db\nversion: 0.1.0\n',
    'charts/db/values.yaml': 'user: u\n',
    'charts/db/templates/b.yaml': 'b: {{ .Values.user }}\nc:\n{{ include "labels" . | indent 2 }}\n',
    'charts/db/charts/in/Chart.yaml': 'apiVersion: v2\nname: in\nversion: 0.1.0\n',
    'charts/db/charts/in/templates/d.yaml': 'd: {{ .Values.global.zone }}\n',
  });
  const paths = rendered.manifests.flatMap((manifest) =>
    leafOrigins(manifest, rendered).map(
      ({ path, origins }) => `${path} ${origins.map((one) => one.path.join('.')).join(' ')}`,
    ),
  );
  assert.deepEqual(paths.sort(), ['a db.user', 'b db.user', 'c.app db.name', 'c.release Name', 'd db.in.global.zone']);
});

test('a leaf says under which conditions it was written, the innermost first', () => {
  const rendered = render(
    '{{ if and .Values.name .Values.config.a }}{{ range .Values.config.list }}l-{{ . }}: 1\n{{ else }}x\n{{ end }}{{ end }}',
  );
  const [manifest] = rendered.manifests;
  assert.ok(manifest);
  const [leaf] = leafOrigins(manifest, rendered);
  assert.deepEqual(
    leaf?.because.map(({ kind, expression, line, origins }) => [
      kind,
      expression,
      line,
      origins.map((origin) => (origin.kind === 'data' ? origin.path.join('.') : '')),
    ]),
    [
      ['range', '.Values.config.list', 1, ['Values.config.list']],
      ['if', 'and .Values.name .Values.config.a', 1, ['Values.name', 'Values.config.a']],
    ],
  );
});

test('why a field is there is told apart from why it has this value', () => {
  const rendered = render('{{ if .Values.name }}a: {{ if .Values.secret }}x{{ else }}y{{ end }}{{ end }}\n');
  const [manifest] = rendered.manifests;
  assert.ok(manifest);
  const [leaf] = leafOrigins(manifest, rendered);
  assert.deepEqual(
    [leaf?.because.map(({ expression }) => expression), leaf?.choice.map(({ expression }) => expression)],
    [['.Values.name'], ['.Values.secret']],
  );
});

test('without randomness nothing is generated, and that is known without a trace', () => {
  assert.deepEqual(render('a: {{ .Values.name }}\n').generations, []);
  assert.deepEqual(
    render('a: {{ randAlpha 3 }}{{ uuidv4 }}\n').generations.map((one) => one.function),
    ['randAlpha', 'uuidv4'],
  );
});

test('only the leaves that hold something generated, where only they are asked for', () => {
  const rendered = render(
    'a: {{ .Values.name }}\nb: [1, {{ randAlpha 3 }}]\n{{ randAlpha 4 }}: 1\n---\na: {{ .Values.name }}\n',
  );
  assert.deepEqual(
    rendered.manifests.map((manifest) =>
      leafOrigins(manifest, rendered, { generatedOnly: true }).map(({ path }) => path),
    ),
    [['b[1]', 'generated-randAlpha'], []],
  );
});

test('every chart of the project prints the same with a trace, and each leaf of it is found', () => {
  const folder = join(import.meta.dirname, '../../../../test/charts');
  let charts = 0;
  for (const name of readdirSync(folder)) {
    const render = (trace: boolean): RenderedChart => {
      const chart = loadChart(localFiles(join(folder, name)), {});
      return renderChart({
        chart,
        values: new Map(),
        release: { name: 'r', namespace: 'ns' },
        recorder: fixedRecorder,
        trace,
      });
    };
    let plain: RenderedChart;
    try {
      plain = render(false);
    } catch (error) {
      assert.ok(error instanceof HelmError, name);
      assert.throws(() => render(true), { message: error.message });
      continue;
    }
    const traced = render(true);
    assert.deepEqual([traced.manifests, traced.hooks, traced.notes], [plain.manifests, plain.hooks, plain.notes], name);
    for (const manifest of [...traced.manifests, ...traced.hooks]) {
      const [document] = parseDocuments(manifest.content).documents;
      const leaves = leafOrigins(manifest, traced);
      assert.deepEqual(
        leaves.map(({ path }) => path).sort(),
        document ? leavesOf(document.value).sort() : [],
        manifest.source,
      );
      for (const leaf of leaves) assert.ok(leaf.line > 0, `${manifest.source} ${leaf.path}`);
    }
    charts++;
  }
  assert.ok(charts > 3);
});

function leavesOf(value: unknown, path = ''): string[] {
  const isEmpty = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  if (isEmpty) return [path];
  if (Array.isArray(value)) return value.flatMap((item, i) => leavesOf(item, `${path}[${i}]`));
  return Object.entries(value).flatMap(([key, item]) => {
    if (!/^[A-Za-z0-9_-]+$/.test(key)) return leavesOf(item, `${path}[${JSON.stringify(key)}]`);
    return leavesOf(item, path === '' ? key : `${path}.${key}`);
  });
}
