import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HelmError, loadChart, memoryFiles, renderChart } from '../index.ts';

const release = { name: 'rel', namespace: 'default' };

function render(name: string, template: string): string {
  const chart = loadChart(
    memoryFiles({ 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`, 'templates/x.yaml': template }),
  );
  return renderChart({ chart, values: new Map(), release })
    .manifests.map((manifest) => manifest.content)
    .join('');
}

test('charts with the same file have it under their own names', () => {
  const text = '{{ define "n" }}{{ .Template.Name }}{{ end }}a: {{ include "n" . }}';
  assert.equal(render('one', text), 'a: one/templates/x.yaml');
  assert.equal(render('two', text), 'a: two/templates/x.yaml');
  assert.equal(render('one', text), 'a: one/templates/x.yaml');
});

test('errors name the file of the chart that was rendered', () => {
  const text = '{{ define "d" }}{{ .Values.x.y }}{{ end }}{{ include "d" . }}';
  for (const name of ['one', 'two', 'one'])
    assert.throws(
      () => render(name, text),
      (error: unknown) =>
        error instanceof HelmError &&
        error.helmMessage.includes(`${name}/templates/x.yaml:1:26`) &&
        error.diagnosis.place?.file === `${name}/templates/x.yaml`,
    );
});

test('a text that defines a template under its own file name is not shared', () => {
  const text = '{{ define "two/templates/x.yaml" }}a: defined{{ end }}';
  assert.equal(render('one', text), '');
  assert.equal(render('two', text), 'a: defined');
});

test('what `tpl` defines is gone after it', () => {
  const text = `{{ define "n" }}outer{{ end }}a: {{ tpl "{{ define \\"n\\" }}inner{{ end }}{{ include \\"n\\" . }}" . }} {{ include "n" . }}`;
  assert.equal(render('one', text), 'a: inner outer');
});
