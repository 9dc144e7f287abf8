import assert from 'node:assert/strict';
import test from 'node:test';
import type { Rollout } from '@tiphys/api';
import { available, revisionOf, wanted } from '../objects/replica-set.ts';
import { Bench, rolloutOf } from '../testing/bench.ts';
import { rulesOf } from './rules.ts';

const strategy = { canary: { steps: [{ setWeight: 34 }] } };

function withRules(rollout: Rollout, rules: string): Rollout {
  const annotations = { ...rollout.metadata.annotations, 'tiphys.dev/remediation': rules };
  return { ...rollout, metadata: { ...rollout.metadata, annotations } };
}

const remedied = (bench: Bench) => bench.events.filter((event) => event.startsWith('RolloutRemedied'));
const codes = ({ status }: Rollout) => ((status?.diagnoses ?? []) as { code: string }[]).map(({ code }) => code);

test('a Rollout that stays Degraded is restarted after the time, as often as the rule says, and no more', async () => {
  const bench = new Bench({ available: () => 0 });
  const rules = `{when: 'rollout.status.phase == "Degraded"', for: 60s, do: restart, atMost: 2}`;
  bench.apply({ ...withRules(rolloutOf(strategy), rules) });
  bench.put({ ...bench.rollout, spec: { ...bench.rollout.spec, progressDeadlineSeconds: 30 } });
  await bench.advance(35_000);
  assert.equal(bench.rollout.status?.phase, 'Degraded');
  await bench.advance(40_000);
  assert.deepEqual(remedied(bench), []);
  await bench.advance(40_000);
  assert.equal(remedied(bench).length, 1);
  assert.match(remedied(bench)[0] ?? '', /Restarted, since .* held for 60 s \(1 of 2\)/);
  assert.ok(bench.rollout.spec.restartAt);
  await bench.advance(600_000);
  assert.equal(remedied(bench).length, 2);
  assert.ok(codes(bench.rollout).includes('RolloutRemediationExhausted'));
});

test('an update that is stuck is rolled back to stable; one that was finished, to the template before', async () => {
  const bench = new Bench({ available: (set) => (revisionOf(set) === 2 ? 0 : wanted(set)) });
  const stuck = `{when: 'rollout.status.phase == "Progressing"', for: 2m, do: rollback, atMost: 1}`;
  bench.apply(withRules(rolloutOf(strategy), stuck));
  await bench.settle();
  bench.apply({ ...bench.rollout, spec: rolloutOf(strategy, 'web:2').spec });
  await bench.advance(150_000);
  assert.equal(bench.rollout.status?.abort, true);
  assert.match(bench.rollout.status?.message ?? '', /Rolled back by a remediation rule/);

  const finished = new Bench();
  finished.apply(rolloutOf(strategy));
  await finished.settle();
  finished.apply({ ...finished.rollout, spec: rolloutOf(strategy, 'web:2').spec });
  await finished.settle();
  const always = `[{when: 'rollout.status.availableReplicas == 3', for: 10s, do: rollback, atMost: 1}]`;
  finished.put(withRules(finished.rollout, always));
  await finished.advance(11_000);
  assert.deepEqual(finished.rollout.spec.template?.spec?.containers, [{ name: 'web', image: 'web:1' }]);
  assert.ok(finished.sets().every((set) => available(set) >= 0));
});

test('what no longer holds is forgotten, and a rule that cannot be read is told and stops nothing', async () => {
  const bench = new Bench();
  bench.apply(withRules(rolloutOf(strategy), `{when: 'rollout.status.phase == "Paused"', for: 1h, do: notify}`));
  await bench.settle();
  assert.doesNotMatch(bench.rollout.metadata.annotations?.['tiphys.dev/remediation-state'] ?? '', /since/);
  bench.put(withRules(bench.rollout, '{when: rollout.status.nothing ==, for: 1h, do: notify}'));
  await bench.settle();
  assert.deepEqual(codes(bench.rollout), ['RolloutRemediationInvalid']);
  assert.equal(bench.rollout.status?.phase, 'Healthy');
});

test('rules are bounded and have no other fields', () => {
  const refused = (rules: string, pattern: RegExp) =>
    assert.throws(() => rulesOf(withRules(rolloutOf(strategy), rules)), pattern);
  refused('{when: "true", for: 1m, do: delete}', /do is one of restart, abort, rollback, notify/);
  refused('{when: "true", for: soon, do: restart}', /for is a duration/);
  refused('{when: "true", for: 1m, do: restart, atMost: 99}', /atMost is a number from 1 to 10/);
  refused('{when: "true", for: 1m, do: restart, times: 2}', /unknown field times/);
  refused('{when: "1", for: 1m, do: restart}', /when: /);
  refused(`[${'{when: "true", for: 1m, do: notify},'.repeat(11)}]`, /more than 10 rules/);
});
