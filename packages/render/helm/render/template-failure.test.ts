import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadChart, memoryFiles, renderChart } from '../index.ts';
import { HelmError } from '../problems/helm-error.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function words(template: string): string {
  const files = memoryFiles({
    'Chart.yaml': text('apiVersion: v2\nname: a\nversion: 1.0.0\n'),
    'templates/x.yaml': text(template),
  });
  try {
    renderChart({ chart: loadChart(files), values: new Map(), release: { name: 'rel', namespace: 'default' } });
  } catch (error) {
    if (error instanceof HelmError) return error.helmMessage;
    throw error;
  }
  return 'no error';
}

test('an error inside include is laid out in steps', () => {
  assert.equal(
    words('{{ define "d" }}{{ .Values.x.y }}{{ end }}{{ include "d" . }}'),
    'a/templates/x.yaml:1:45\n  executing "a/templates/x.yaml" at <include "d" .>:\n    error calling include:\na/templates/x.yaml:1:26\n  executing "d" at <.Values.x.y>:\n    nil pointer evaluating interface {}.y',
  );
});

test('an error inside tpl is told on one line, as the words of tpl come between', () => {
  assert.equal(
    words('{{ tpl "{{ .Values.x.y }}" . }}'),
    'template: a/templates/x.yaml:1:3: executing "a/templates/x.yaml" at <tpl "{{ .Values.x.y }}" .>: error calling tpl: error during tpl function execution for "{{ .Values.x.y }}": template: gotpl:1:10: executing "gotpl" at <.Values.x.y>: nil pointer evaluating interface {}.y',
  );
});
