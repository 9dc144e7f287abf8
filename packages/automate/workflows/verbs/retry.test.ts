import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocuments } from '@tiphys/yaml';
import type { Pod, Workflow } from '../model/types.ts';
import { Simulation } from '../simulate/simulation.ts';
import { resubmitted } from './resubmit.ts';
import { retried } from './retry.ts';
import { resumed, withNodesSet } from './set-nodes.ts';
import { submitted } from './submit.ts';

const workflow = (text: string) => parseDocuments(text, { file: 'w.yaml' }).documents[0]?.value as unknown as Workflow;

const failing = (part: string) => (pod: Pod) => (pod.metadata.name?.includes(part) ? { exit: 1 } : {});

const build = workflow(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: w}
spec:
  entrypoint: main
  onExit: good
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: good}
      - {name: b, template: steps, depends: a}
      - {name: c, template: good, depends: b}
  - name: steps
    steps:
    - - {name: one, template: good}
      - {name: two, template: bad}
    - - {name: three, template: good}
  - {name: good, container: {image: x, command: [x]}}
  - {name: bad, retryStrategy: {limit: 1}, container: {image: x, command: [x]}}
`);

const phases = ({ status }: Workflow) =>
  Object.fromEntries(Object.values(status?.nodes ?? {}).map(({ name, phase }) => [name, phase]));

test('a retry runs again what failed and what comes after it, and keeps what succeeded', () => {
  const first = new Simulation({ workflow: build, fate: failing('-bad-') }).run();
  assert.equal(first.workflow.status?.phase, 'Failed');
  const { workflow: again, pods } = retried(first.workflow, { now: first.now });
  assert.deepEqual(phases(again), {
    w: 'Running',
    'w.a': 'Succeeded',
    'w.b': 'Running',
    'w.b[0]': 'Running',
    'w.b[0].one': 'Succeeded',
    'w.b[0].two': 'Running',
  });
  assert.equal(pods.length, 3, 'two attempts and the exit handler');
  const annotations = { 'workflows.argoproj.io/pod-name-format': 'v1' };
  const named = { ...first.workflow, metadata: { ...first.workflow.metadata, annotations } };
  const ids = retried(named, { now: first.now }).pods;
  assert.ok(ids.length === 3 && ids.every((id) => first.workflow.status?.nodes?.[id]?.type === 'Pod'), String(ids));
  const second = new Simulation({ workflow: again, start: first.now });
  for (const [name, pod] of first.pods) if (!pods.includes(name)) second.pods.set(name, pod);
  second.run();
  assert.equal(second.workflow.status?.phase, 'Succeeded', JSON.stringify(phases(second.workflow)));
  assert.equal(phases(second.workflow)['w.b[1].three'], 'Succeeded');
  assert.equal(phases(second.workflow)['w.c'], 'Succeeded');
});

test('a workflow that runs or that succeeded is not retried', () => {
  const { workflow: done } = new Simulation({ workflow: build }).run();
  assert.throws(() => retried(done, { now: 0 }), /restartSuccessful/);
  assert.throws(() => retried(build, { now: 0 }), /Cannot retry a workflow in phase/);
});

test('a resubmitted workflow begins anew and says where it comes from', () => {
  const { workflow: done } = new Simulation({ workflow: build }).run();
  const { metadata, spec, status } = resubmitted({ ...done, spec: { ...done.spec, suspend: true, shutdown: 'Stop' } });
  assert.equal(spec.suspend, true, 'as it was asked for');
  assert.equal(spec.shutdown, undefined);
  assert.equal(metadata.generateName, 'w-');
  assert.equal(status, undefined);
  assert.equal(metadata.labels?.['workflows.argoproj.io/resubmitted-from-workflow'], 'w');
  assert.equal(metadata.labels?.['workflows.argoproj.io/completed'], undefined);
});

const approval = workflow(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: w}
spec:
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: approve, template: approve}
    - - {name: go, template: go, when: "{{steps.approve.outputs.parameters.answer}} == yes_please"}
  - name: approve
    suspend: {}
    outputs: {parameters: [{name: answer, valueFrom: {supplied: {}, default: no_thanks}}]}
  - {name: go, container: {image: x, command: [x]}}
`);

test('a node that waits is answered, or resumed with the default', () => {
  const waiting = new Simulation({ workflow: approval }).run();
  assert.equal(waiting.workflow.status?.phase, 'Running');
  const answer = { outputs: { answer: 'yes_please' }, phase: 'Succeeded', now: waiting.now } as const;
  const answered = new Simulation({ workflow: withNodesSet(waiting.workflow, answer) }).run();
  assert.equal(phases(answered.workflow)['w[1].go'], 'Succeeded');
  const defaulted = new Simulation({ workflow: resumed(waiting.workflow, { now: waiting.now }) }).run();
  assert.equal(phases(defaulted.workflow)['w[1].go'], 'Skipped');
  assert.throws(
    () => withNodesSet(waiting.workflow, { selector: 'displayName=other', now: 0 }),
    /no suspend nodes matching/,
  );
});

test('arguments are overridden at submission', () => {
  const { spec } = submitted(approval, { parameters: ['size=3'], namespace: 'n' });
  assert.deepEqual(spec.arguments?.parameters, [{ name: 'size', value: '3' }]);
  assert.throws(() => submitted(approval, { parameters: ['size'] }), /NAME=VALUE/);
  const chosen = {
    ...approval,
    spec: { ...approval.spec, arguments: { parameters: [{ name: 'size', enum: ['1', '2'] }] } },
  };
  assert.deepEqual(submitted(chosen, { parameters: ['size=3'] }).spec.arguments?.parameters, [
    { name: 'size', value: '3', enum: ['1', '2'] },
  ]);
});
