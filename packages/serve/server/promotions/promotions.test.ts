import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editValue } from './edit-value.ts';
import { pinsOf } from './pins.ts';

test('a value is changed at its line, and nothing else is', () => {
  const text = 'a: &x v1.0 # v1.0\nb:\n  - {v: v1.0, w: "1.0"}\n  - *x\n---\nv: \'1.0\'\n';
  const edit = (document: number, path: (string | number)[], value: string) =>
    editValue(text, { document, path }, value);
  assert.equal(edit(0, ['b', 0, 'w'], '1.1'), text.replace('w: "1.0"', 'w: "1.1"'));
  assert.equal(edit(0, ['b', 0, 'v'], '1.10'), text.replace('v: v1.0', 'v: "1.10"'));
  assert.equal(edit(1, ['v'], "it's"), text.replace("'1.0'", "'it''s'"));
  assert.equal(edit(0, ['a'], 'v2'), undefined, 'an alias would change too');
  assert.equal(edit(0, ['b', 1], 'v2'), undefined);
  assert.equal(edit(0, ['none'], 'v2'), undefined);
  assert.equal(editValue('v: >-\n  1.0\n', { document: 0, path: ['v'] }, '1.1'), undefined);
});

test('charts and remote bases are told with their versions, other files are none', () => {
  const told = (file: string, text: string) =>
    pinsOf(file, text).map(({ kind, name, version, text: written }) => [kind, name, version, written('new')]);
  const dependencies =
    'dependencies:\n- {name: a, version: 1.x, repository: "https://charts.example/"}\n- {name: b, version: 1.x, repository: "file://../b"}\n- {name: c, version: 1.0.0}\n';
  assert.deepEqual(told('x/Chart.yaml', dependencies), [['chart', 'https://charts.example/a', '1.x', 'new']]);
  assert.deepEqual(told('x/values.yaml', dependencies), []);
  assert.deepEqual(told('x/Chart.yaml', 'dependencies: {{ .Values.x }}'), []);
  assert.deepEqual(
    told(
      'kustomization.yml',
      'resources: [../base, "https://h.example/r//p?timeout=9&ref=v1&x=y"]\ncomponents:\n- github.com/o/r?version=v1\nhelmCharts:\n- {name: a, repo: "oci://h/charts", version: 2.0.0}\n',
    ),
    [
      ['chart', 'oci://h/charts/a', '2.0.0', 'new'],
      ['base', 'https://h.example/r//p', 'v1', 'https://h.example/r//p?timeout=9&ref=new&x=y'],
      ['base', 'github.com/o/r', 'v1', 'github.com/o/r?version=new'],
    ],
  );
});
