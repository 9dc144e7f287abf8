import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocuments } from '@tiphys/yaml';
import type { Workflow } from '../model/types.ts';
import { Simulation } from './simulation.ts';

/** Runs a workflow whose step or task `a` fails after two seconds, and goes on. */
function outcome(calls: string): { seconds: number; told: string; phase: string | undefined } {
  const text = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: w, uid: u}
spec:
  entrypoint: main
  templates:
  - name: main
${calls}
  - {name: make, container: {image: a, command: [b]}, outputs: {parameters: [{name: size, valueFrom: {path: /size}}]}}
  - {name: say, inputs: {parameters: [{name: text}]}, container: {image: a, command: [echo]}}
`;
  const workflow = parseDocuments(text, { file: 'w.yaml' }).documents[0]?.value as unknown as Workflow;
  const simulation = new Simulation({ workflow, fate: () => ({ run: 2, exit: 1 }) }).run();
  const { phase, nodes } = simulation.workflow.status ?? {};
  const failed = Object.values(nodes ?? {}).find(({ message }) => message?.includes('resolve'));
  return { seconds: (simulation.now - simulation.start) / 1000, told: failed?.message ?? '', phase };
}

for (const [kind, calls] of [
  [
    'step',
    `    steps:
    - - {name: a, template: make, continueOn: {failed: true}}
    - - {name: b, template: say, arguments: {parameters: [{name: text, value: "{{steps.a.outputs.parameters.size}}"}]}}`,
  ],
  [
    'task',
    `    dag:
      tasks:
      - {name: a, template: make, continueOn: {failed: true}}
      - {name: b, template: say, dependencies: [a], arguments: {parameters: [{name: text, value: "{{tasks.a.outputs.parameters.size}}"}]}}`,
  ],
] as const)
  test(`what a failed ${kind} has not given is an error as soon as its executor has reported`, () => {
    const { seconds, told, phase } = outcome(calls);
    assert.match(told, /failed to resolve \{\{(steps|tasks)\.a\.outputs\.parameters\.size\}\}/);
    assert.notEqual(phase, 'Running');
    assert.ok(seconds < 10, `it waited ${seconds} s of the simulated clock`);
  });
