import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocuments } from '@tiphys/yaml';
import { pendingReason } from '../machine/failed-pod.ts';
import { LockTable } from '../machine/lock-table.ts';
import type { Pod, Workflow } from '../model/types.ts';
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
