import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadChart, memoryFiles, renderChart } from '../index.ts';
import { logLine, type Warn } from './log.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function logOf(files: Readonly<Record<string, string>>): string {
  let log = '';
  const warn: Warn = (message, details) => {
    log += logLine(message, details);
  };
  const chart = loadChart(memoryFiles(Object.fromEntries(Object.entries(files).map(([k, v]) => [k, text(v)]))), {
    warn,
  });
  renderChart({ chart, values: new Map(), release: { name: 'rel', namespace: 'default' }, warn });
  return log;
}

test('hooks of unknown events are logged and left out', () => {
  const log = logOf({
    'Chart.yaml': 'apiVersion: v2\nname: a\nversion: 1.0.0\n',
    'templates/x.yaml': 'kind: Job\nmetadata: {annotations: {helm.sh/hook: "pre-install,crd-install"}}\n',
  });
  assert.equal(log, 'level=INFO msg="skipping unknown hooks" hookTypes=pre-install,crd-install\n');
});

test('what Helm says by its older logger is information', () => {
  const log = logOf({
    'Chart.yaml': 'apiVersion: v2\nname: a\nversion: 1.0.0\n',
    'requirements.yaml': 'dependencies: []\n',
  });
  assert.match(log, /^level=INFO msg="Warning: Dependencies are handled in Chart.yaml since apiVersion \\"v2\\"/);
});

test('a condition that is no boolean is a warning with its path', () => {
  const log = logOf({
    'Chart.yaml':
      'apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [{name: b, version: 1.0.0, condition: b.enabled}]\n',
    'values.yaml': 'b: {enabled: "yes"}\n',
    'charts/b/Chart.yaml': 'apiVersion: v2\nname: b\nversion: 1.0.0\n',
  });
  assert.equal(log, 'level=WARN msg="returned non-bool value" path=b.enabled chart=b\n');
});
