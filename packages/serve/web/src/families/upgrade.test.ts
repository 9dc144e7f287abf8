import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiUse } from '../api/upgrade.ts';
import { apiName, groupReadiness, groupUses, isRelease, nextRelease, whoUses } from './upgrade.ts';

const use = (part: Partial<ApiUse>): ApiUse => ({
  origin: 'rendered',
  api: { group: 'batch', version: 'v1beta1', kind: 'CronJob' },
  state: 'deprecated',
  ...part,
});

test('the next release is that after the one of the cluster', () => {
  assert.equal(nextRelease('v1.34.4'), '1.35');
  assert.equal(nextRelease('1.9+'), '1.10');
  assert.equal(nextRelease(undefined), '');
  assert.deepEqual(['1.35', 'v1.35', '1', 'soon', ''].map(isRelease), [true, true, false, false, false]);
});

test('applications that lose most come first, and what nobody brings last', () => {
  const groups = groupUses([
    use({}),
    use({ application: 'argocd/mild' }),
    use({ application: 'argocd/worst', state: 'removed' }),
    use({ application: 'argocd/mild' }),
  ]);
  assert.deepEqual(
    groups.map(({ application, removed, uses }) => [application, removed, uses.length]),
    [
      ['argocd/worst', 1, 1],
      ['argocd/mild', 0, 2],
      ['', 0, 1],
    ],
  );
});

test('who uses an API is told by the nearest that is known', () => {
  const caller = { userAgent: 'agent/1', user: 'ann', verbs: ['list'], count: 1, first: '', last: '' };
  assert.equal(whoUses(use({ caller })), 'agent/1');
  assert.equal(whoUses(use({ caller: { ...caller, pod: 'a/p', workload: 'Deployment a/d' } })), 'Deployment a/d');
  assert.equal(whoUses(use({ origin: 'live', manager: 'helm', object: 'CronJob a/b' })), 'helm → CronJob a/b');
  assert.equal(whoUses(use({ object: 'CronJob a/b' })), 'CronJob a/b');
  assert.equal(apiName({ group: '', version: 'v1', kind: 'Endpoints' }), 'v1 Endpoints');
});

test('what stands in the way is grouped by its kind, with remedies told once', () => {
  const of = (message: string, application?: string) => ({
    code: 'UpgradeSingleReplica',
    cause: 'UpgradeSingleReplica',
    message,
    evidence: application ? [{ name: 'application', value: application }] : [],
    remedies: [{ text: 'Run two replicas' }],
  });
  assert.deepEqual(groupReadiness([of('a', 'shop'), of('b')]), [
    {
      code: 'UpgradeSingleReplica',
      found: [
        { message: 'a', application: 'shop' },
        { message: 'b', application: undefined },
      ],
      remedies: ['Run two replicas'],
    },
  ]);
});
