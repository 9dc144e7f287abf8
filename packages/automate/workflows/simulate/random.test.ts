import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomNumbers } from '../../../../scripts/testing/random-numbers.ts';
import { LockTable } from '../locks/lock-table.ts';
import { operate } from '../machine/index.ts';
import { isFulfilled } from '../model/phases.ts';
import type { Workflow } from '../model/types.ts';
import { randomFates, randomWorkflow } from './random-workflow.ts';
import { Simulation } from './simulation.ts';

const seeds = Array.from({ length: 60 }, (_, seed) => seed + 1);

function simulation(seed: number, locks = new LockTable()): Simulation {
  const workflow = randomWorkflow(randomNumbers(seed));
  return new Simulation({ workflow, fate: randomFates(seed, randomNumbers), locks });
}

/** What must be the same however a workflow got there. */
function outcome({ status }: Workflow): unknown {
  const nodes = Object.values(status?.nodes ?? {})
    .map(({ id, name, type, phase, message, children = [], outboundNodes = [] }) => ({
      id,
      name,
      type,
      phase,
      message,
      children: [...children].sort(),
      outboundNodes: [...outboundNodes].sort(),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return { phase: status?.phase, message: status?.message, nodes };
}

const about = (seed: number, run: Simulation) =>
  `seed ${seed}: ${JSON.stringify(run.workflow.spec)}\n${JSON.stringify(outcome(run.workflow))}`;

test('every workflow ends, and every node of it, whatever becomes of its pods', () => {
  for (const seed of seeds) {
    const run = simulation(seed).run(3600);
    assert.ok(run.isOver, about(seed, run));
    const nodes = Object.values(run.workflow.status?.nodes ?? {});
    assert.deepEqual(
      nodes.filter((node) => !isFulfilled(node)).map(({ name }) => name),
      [],
      about(seed, run),
    );
    for (const { children = [], name } of nodes)
      for (const child of children)
        assert.ok(run.workflow.status?.nodes?.[child], `${name} → ${child}, ${about(seed, run)}`);
    assert.deepEqual(run.locks.counts(), [], about(seed, run));
  }
});

test('attempts of a retry never exceed its limit by more than the first one', () => {
  for (const seed of seeds) {
    const { workflow } = simulation(seed).run(3600);
    for (const node of Object.values(workflow.status?.nodes ?? {})) {
      if (node.type !== 'Retry') continue;
      const limit = Number(
        workflow.spec.templates?.find(({ name }) => name === node.templateName)?.retryStrategy?.limit,
      );
      const attempts = (node.children ?? []).filter((id) => workflow.status?.nodes?.[id]?.nodeFlag?.retried);
      assert.ok(attempts.length <= limit + 1, `seed ${seed}: ${node.name} has ${attempts.length} attempts`);
    }
  }
});

test('a controller that dies after it acted and before it wrote decides the same again', () => {
  for (const seed of seeds) {
    const steady = simulation(seed).run(3600);
    const random = randomNumbers(seed + 7);
    const dying = simulation(seed);
    while (!dying.isOver) {
      do if (random() < 0.3) dying.die();
      while (dying.step() && !dying.isOver);
      const next = dying.nextTime();
      if (next === undefined) break;
      dying.now = next;
    }
    assert.deepEqual(outcome(dying.workflow), outcome(steady.workflow), `seed ${seed}`);
  }
});

test('a decision that leaves something to decide asks for the next one, also after a controller that died', () => {
  // among them the ones that showed an exit handler, a hook and the end of a template that nobody asked for
  for (const seed of seeds.map((each) => each + 260)) {
    const random = randomNumbers(seed + 11);
    let isWoken = false;
    const locks = new LockTable(() => {
      isWoken = true;
    });
    const run = simulation(seed, locks);
    for (let steps = 0; steps < 400 && !run.isOver; steps += 1) {
      if (random() < 0.3) {
        run.die();
        // nobody writes for a while: what was made goes on meanwhile
        run.now = run.nextTime() ?? run.now;
        continue;
      }
      isWoken = false;
      const done = run.actions.length;
      const isChanged = run.step();
      // what the controller writes itself is no news to it; a time that comes by itself is only one if it comes soon
      const asks = isWoken || run.actions.length > done || (run.asksAt ?? Number.POSITIVE_INFINITY) <= run.now + 1000;
      if (isChanged && !asks) {
        const decided = outcome(run.workflow);
        run.step();
        assert.deepEqual(outcome(run.workflow), decided, about(seed, run));
      }
      if (isChanged) continue;
      const next = run.nextTime();
      if (next === undefined) break;
      run.now = next;
    }
  }
});

test('the order in which pods and reports are seen does not matter', () => {
  for (const seed of seeds) {
    const run = simulation(seed);
    for (let steps = 0; steps < 40 && !run.isOver; steps += 1) {
      const facts = run.facts();
      const again = { ...facts, locks: new LockTable() };
      again.locks.restore([run.workflow]);
      const mirrored = {
        ...facts,
        pods: facts.pods.toReversed(),
        taskResults: facts.taskResults.toReversed(),
        locks: new LockTable(),
      };
      mirrored.locks.restore([run.workflow]);
      assert.deepEqual(
        outcome(operate(run.workflow, mirrored).workflow),
        outcome(operate(run.workflow, again).workflow),
        `seed ${seed}`,
      );
      if (!run.step()) {
        const next = run.nextTime();
        if (next === undefined) break;
        run.now = next;
      }
    }
  }
});
