import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocuments } from '@tiphys/yaml';
import { LockTable } from '../locks/lock-table.ts';
import type { Pod, Workflow } from '../model/types.ts';
import { pendingReason } from '../operation/failed-pod.ts';
import type { Fate } from './fate.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

interface Given extends Partial<SimulationOptions> {
  readonly name?: string;
}

/** A workflow at rest, at the present time. */
function begin(spec: string, { name = 'w', ...options }: Given = {}): Simulation {
  const text = `apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: ${name}, uid: uid-${name}}\nspec:\n  entrypoint: main\n${spec}`;
  const workflow = parseDocuments(text, { file: 'w.yaml' }).documents[0]?.value as unknown as Workflow;
  const simulation = new Simulation({ workflow, ...options });
  settle(simulation);
  return simulation;
}

function settle(simulation: Simulation): void {
  for (let steps = 0; simulation.step(); steps += 1) assert.ok(steps < 100, 'it does not come to rest');
}

/** Phase and message of a node by its display name. */
function told({ workflow: { status } }: Simulation, displayName: string): string {
  const node = Object.values(status?.nodes ?? {}).find((each) => each.displayName === displayName);
  return node ? `${node.phase}: ${node.message ?? ''}` : 'absent';
}

const fates = (table: Record<string, Fate>) => (pod: Pod) => {
  const name = pod.metadata.annotations?.['workflows.argoproj.io/node-name'] ?? '';
  return Object.entries(table).find(([part]) => name.includes(part))?.[1];
};

const say = '  - {name: say, container: {image: a, command: [echo]}}\n';
const one = '  templates:\n  - {name: main, container: {image: a, command: [x]}}\n';
const locked = (synchronization: string) =>
  `  templates:\n  - {name: main, synchronization: ${synchronization}, container: {image: a, command: [echo]}}\n`;

test('a node that waits for a mutex says which and who holds it, and runs when it is free', () => {
  const locks = new LockTable();
  const spec = locked('{mutexes: [{name: db}]}');
  const first = begin(spec, { name: 'first', locks });
  const second = begin(spec, { name: 'second', locks });
  assert.equal(told(second, 'second'), 'Pending: Waiting for default/Mutex/db lock. Lock status: 0/1');
  assert.deepEqual(second.workflow.status?.synchronization, {
    mutex: { waiting: [{ mutex: 'default/Mutex/db', holder: 'default/first/first' }] },
  });
  first.run();
  settle(second);
  assert.equal(told(second, 'second'), 'Running: ');
});

test('a node that waits for a semaphore says which and who holds it', () => {
  const locks = new LockTable();
  const spec = locked('{semaphores: [{configMapKeyRef: {name: limits, key: db}}]}');
  const configMaps = [{ metadata: { name: 'limits' }, data: { db: '1' } }];
  begin(spec, { name: 'first', locks, configMaps });
  const second = begin(spec, { name: 'second', locks, configMaps });
  assert.equal(told(second, 'second'), 'Pending: Waiting for default/ConfigMap/limits/db lock. Lock status: 0/1');
  assert.deepEqual(second.workflow.status?.synchronization, {
    semaphore: { waiting: [{ semaphore: 'default/ConfigMap/limits/db', holders: ['default/first/first'] }] },
  });
});

test('a node that is skipped says its condition with the values, one that is omitted that its dependency went otherwise', () => {
  const dag = begin(`  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: say}
      - {name: b, template: say, when: "1 == 2"}
      - {name: c, template: say, depends: a.Failed}
${say}`).run();
  assert.equal(told(dag, 'b'), "Skipped: when '1 == 2' evaluated false");
  assert.equal(told(dag, 'c'), 'Omitted: omitted: depends condition not met');
  const steps = begin(
    `  templates:
  - name: main
    steps:
    - - {name: flip, template: say}
    - - {name: tails, template: say, when: "{{steps.flip.outputs.result}} == tails"}
${say}`,
    { fate: () => ({ outputs: { result: 'heads' } }) },
  ).run();
  assert.equal(told(steps, 'tails'), "Skipped: when 'heads == tails' evaluated false");
});

test('a pod that cannot start says why, in the words of the scheduler or the kubelet', () => {
  const alone = begin(one, { fate: () => ({ loss: 'never' }) });
  assert.equal(told(alone, 'w'), 'Pending: Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.');
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "nowhere/it:1"' };
  const status = { phase: 'Pending', containerStatuses: [{ name: 'main', state: { waiting } }] };
  assert.equal(pendingReason({ metadata: {}, status } as unknown as Pod), `${waiting.reason}: ${waiting.message}`);
});

const lost: readonly { loss: NonNullable<Fate['loss']>; end: string; policy: string }[] = [
  { loss: 'evicted', end: 'Failed: The node was low on resource: memory.', policy: 'OnFailure' },
  { loss: 'lost', end: 'Error: pod deleted', policy: 'OnError' },
  { loss: 'init', end: 'Error: init: Error (exit code 64)', policy: 'OnError' },
];

for (const { loss, end, policy } of lost)
  test(`a pod that is taken away (${loss}) ends its node with the cause, and a retry of ${policy} goes on`, () => {
    const fate = { start: 1, run: 5, loss };
    const alone = begin(one, { fate: () => fate }).run();
    assert.equal(told(alone, 'w'), end);
    const retried = begin(one.replace('main,', `main, retryStrategy: {limit: 1, retryPolicy: ${policy}},`), {
      fate: fates({ '(0)': fate }),
    }).run();
    assert.deepEqual([told(retried, 'w(0)'), told(retried, 'w(1)')], [end, 'Succeeded: ']);
    assert.equal(retried.workflow.status?.phase, 'Succeeded');
  });

test('a policy that does not hold for how the pod ended makes no second attempt', () => {
  const spec = one.replace('main,', 'main, retryStrategy: {limit: 1, retryPolicy: OnError},');
  const refused = begin(spec, { fate: fates({ '(0)': { loss: 'evicted' } }) }).run();
  assert.equal(told(refused, 'w(1)'), 'absent');
  assert.equal(refused.workflow.status?.phase, 'Failed');
});

const tasks = (names: string) =>
  `    dag:\n      tasks: [${names.split(' ').map((name) => `{name: ${name}, template: say}`)}]\n`;

const heldBy = ({ workflow }: ReturnType<typeof begin>) =>
  workflow.status?.conditions?.find(({ type }) => type === 'ParallelismReached')?.message;

test('what a limit of parallelism holds back says which limit and how many run, until it is over', () => {
  const ofWorkflow = begin(`  parallelism: 2\n  templates:\n  - name: main\n${tasks('a b c')}${say}`);
  assert.equal(told(ofWorkflow, 'w'), 'Running: Held back: parallelism 2 of the workflow, 2 pods run');
  assert.equal(heldBy(ofWorkflow), 'parallelism 2 of the workflow, 2 pods run');
  assert.deepEqual([told(ofWorkflow, 'a'), told(ofWorkflow, 'c')], ['Running: ', 'absent']);
  ofWorkflow.run();
  assert.deepEqual([told(ofWorkflow, 'w'), told(ofWorkflow, 'c')], ['Succeeded: ', 'Succeeded: ']);
  assert.equal(heldBy(ofWorkflow), undefined);
  const ofTemplate = begin(`  templates:\n  - name: main\n    parallelism: 1\n${tasks('a b')}${say}`);
  assert.equal(told(ofTemplate, 'w'), 'Running: Held back: parallelism 1 of template main, 1 pod runs');
  assert.equal(told(ofTemplate.run(), 'w'), 'Succeeded: ');
  const nested = begin(
    `  templates:\n  - {name: main, parallelism: 1, steps: [[{name: a, template: inner}, {name: b, template: inner}]]}\n  - name: inner\n${tasks('x')}${say}`,
  );
  assert.equal(told(nested, 'w'), 'Running: Held back: parallelism 1 of template main, 1 node runs');
  assert.equal(told(nested.run(), 'w'), 'Succeeded: ');
});

test('a template that fails fast says that it waits for what still runs', () => {
  const spec = `  templates:\n  - name: main\n    failFast: true\n${tasks('bad long next')}${say}`;
  const simulation = begin(spec.replace('name: next,', 'name: next, dependencies: [long],'), {
    fate: fates({ bad: { run: 1, exit: 1 }, long: { run: 100 } }),
  });
  simulation.run(10);
  assert.equal(told(simulation, 'w'), 'Running: Held back: template main fails fast, 1 pod runs');
  assert.match(told(simulation.run(), 'w'), /^Failed: template has failed/);
});

const policies: readonly { strategy: string; fate: Fate; end: string }[] = [
  {
    strategy: '{limit: 1, retryPolicy: OnError}',
    fate: { exit: 3 },
    end: 'Failed: main: Error (exit code 3) (not tried again: retryPolicy OnError is for nodes in Error, this one is Failed)',
  },
  {
    strategy: '{limit: 1}',
    fate: { start: 1, run: 5, loss: 'lost' },
    end: 'Error: pod deleted (not tried again: retryPolicy OnFailure, which is the default, is for Failed nodes, this one is in Error)',
  },
  {
    strategy: '{limit: 1, retryPolicy: OnTransientError}',
    fate: { exit: 3 },
    end: 'Failed: main: Error (exit code 3) (not tried again: retryPolicy OnTransientError is for transient errors, this is none; TRANSIENT_ERROR_PATTERN of the controller can name others)',
  },
  {
    strategy: '{limit: 1, expression: "asInt(lastRetry.exitCode) > 3"}',
    fate: { exit: 3 },
    end: 'Failed: retryStrategy.expression evaluated to false: lastRetry.exitCode is "3"',
  },
  { strategy: '{limit: 0}', fate: { exit: 3 }, end: 'Failed: No more retries left' },
];

for (const { strategy, fate, end } of policies)
  test(`a retry that ${strategy} forbids says which rule it was`, () => {
    const ended = begin(one.replace('main,', `main, retryStrategy: ${strategy},`), { fate: () => fate }).run();
    assert.equal(told(ended, 'w'), end);
  });
