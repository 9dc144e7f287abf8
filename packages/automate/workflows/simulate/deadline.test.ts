import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateFile } from './simulate-file.ts';

const simulate = (template: string, fates: string) =>
  simulateFile({
    text: `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: flow, namespace: here}
spec:
  entrypoint: main
  templates:
  - name: main
    ${template}
    container: {image: any, command: [work]}
`,
    file: 'flow.yaml',
    fates,
    seconds: 1000,
  });

test('pods end at their deadline, as the kubelet ends them', () => {
  for (const template of ['activeDeadlineSeconds: 20', 'timeout: 20s']) {
    const { workflow, timeline } = simulate(template, 'flow: {run: 100}');
    assert.equal(workflow.status?.phase, 'Failed', template);
    assert.match(timeline.at(-1) ?? '', /^ {4}20 s {2}Failed {5}workflow/, template);
    assert.equal(simulate(template, 'flow: {run: 19}').workflow.status?.phase, 'Succeeded', template);
  }
});
