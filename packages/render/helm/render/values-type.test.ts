import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadChart, memoryFiles, renderChart } from '../index.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function render(template: string): string {
  const files = memoryFiles({
    'Chart.yaml': text('apiVersion: v2\nname: a\nversion: 1.0.0\n'),
    'values.yaml': text('m: {x: one, deep: {z: 1}}\n'),
    'templates/x.yaml': text(template),
  });
  const release = { name: 'rel', namespace: 'default' };
  return renderChart({ chart: loadChart(files), values: new Map(), release })
    .manifests.map((m) => m.content)
    .join('');
}

test('values have the methods of their Go type', () => {
  assert.equal(render('a: {{ dig "m" "q" "none" .Values.AsMap }}'), 'a: none');
  assert.equal(render('a: {{ (.Values.Table "m.deep").z }}'), 'a: 1');
  assert.equal(render('a: {{ .Values.PathValue "m.x" }}'), 'a: one');
  assert.equal(render('{{ .Values.YAML }}'), 'm:\n  deep:\n    z: 1\n  x: one\n');
});

test('paths that lead nowhere fail in the words of Helm', () => {
  assert.throws(() => render('{{ .Values.PathValue "m.q" }}'), /error calling PathValue: "q" is not a value/);
  assert.throws(() => render('{{ .Values.Table "m.q" }}'), /error calling Table: "q" is not a table/);
});

test('dig takes no values, only their map', () => {
  assert.throws(
    () => render('{{ dig "m" "x" "none" .Values }}'),
    /interface conversion: interface \{\} is common\.Values, not map\[string\]interface \{\}/,
  );
});
