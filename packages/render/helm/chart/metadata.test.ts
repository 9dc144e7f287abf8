import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadChart, memoryFiles, renderChart } from '../index.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const head = 'apiVersion: v2\nname: a\nversion: 1.0.0\n';

test('fields of the wrong type are named by their holder and their path', () => {
  const load = (yaml: string) => (): unknown => loadChart(memoryFiles({ 'Chart.yaml': text(yaml) }));
  assert.throws(
    load(`${head}maintainers: [x]\n`),
    /cannot unmarshal string into Go struct field Metadata\.maintainers of type v2\.Maintainer/,
  );
  assert.throws(
    load(`${head}dependencies: [{name: {a: b}}]\n`),
    /object into Go struct field Dependency\.dependencies\.name of type string/,
  );
  assert.throws(load('[a]'), /array into Go value of type loader\.chartBase/);
});

test('metadata of the wrong type is named as the anonymous struct that it is', () => {
  const render = (manifest: string) => (): unknown => {
    const chart = loadChart(memoryFiles({ 'Chart.yaml': text(head), 'templates/x.yaml': text(manifest) }));
    return renderChart({ chart, values: new Map(), release: { name: 'rel', namespace: 'default' } });
  };
  assert.throws(render('metadata: {name: [x]}'), /array into Go struct field \.metadata\.name of type string/);
  assert.throws(
    render('metadata: 3'),
    /number into Go struct field SimpleHead\.metadata of type struct \{ Name string/,
  );
});

test('a chart of a version that nobody knows is refused', () => {
  const files = memoryFiles({ 'Chart.yaml': text('apiVersion: v9\nname: a\nversion: 1.0.0\n') });
  assert.throws(() => loadChart(files), /unsupported chart version/);
});
