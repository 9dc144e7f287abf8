import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApplicationSet } from '@tiphys/api';
import { emptyNotices } from '../generators/empty-notices.ts';
import { strategyNotices } from './strategy-notices.ts';

const setWith = (spec: object) => ({ metadata: { name: 'shop' }, spec }) as unknown as ApplicationSet;
const told = (strategy: object | undefined, progressiveSyncs = true) =>
  strategyNotices(setWith({ strategy }), { progressiveSyncs }).map(({ code, message, place }) => [
    code,
    place?.field,
    message,
  ]);
const steps = (...each: object[]) => ({ type: 'RollingSync', rollingSync: { steps: each } });
const all = { matchExpressions: [{ key: 'env', operator: 'In', values: ['dev'] }] };

test('a strategy that is followed, or none, is not told of', () => {
  for (const strategy of [
    undefined,
    {},
    { type: 'AllAtOnce' },
    steps(all, { ...all, maxUpdate: '25%' }, { maxUpdate: 1 }),
  ])
    assert.deepEqual(told(strategy), []);
});

test('what of a strategy is not followed is told with its field', () => {
  const [unknown] = told({ type: 'Rolling' });
  assert.deepEqual(unknown?.slice(0, 2), ['StrategyIgnored', 'spec.strategy.type']);
  assert.match(told({ rollingSync: { steps: [] } })[0]?.[2] ?? '', /rollingSync is ignored/);
  assert.match(told(steps(all), false)[0]?.[2] ?? '', /progressive syncs are switched off/);
});

test('a step that can never sync what it is for is told with its place', () => {
  const odd = { matchExpressions: [{ key: 'env', operator: 'Like', values: ['dev'] }] };
  assert.deepEqual(told(steps(all, odd)), [
    [
      'StrategyStepInvalid',
      'spec.strategy.rollingSync.steps[1].matchExpressions',
      'Step 2 of the RollingSync has the operator "Like", which is none',
    ],
  ]);
  for (const maxUpdate of [0, '0%', 'half'])
    assert.deepEqual(told(steps({ ...all, maxUpdate })), [
      [
        'StrategyStepInvalid',
        'spec.strategy.rollingSync.steps[0].maxUpdate',
        `Step 1 of the RollingSync never syncs anything: maxUpdate is ${JSON.stringify(maxUpdate)}`,
      ],
    ]);
});

test('a path of a Git generator whose bracket never closes is named', () => {
  const remedies = (path: string) =>
    emptyNotices(setWith({ generators: [{ git: { repoURL: '/shop', files: [{ path }] } }] })).flatMap(
      (diagnosis) => diagnosis.remedies,
    );
  assert.match(JSON.stringify(remedies('apps/[ab')), /Close what \\"apps\/\[ab\\" opens/);
  assert.match(JSON.stringify(remedies('apps/[ab]')), /Compare the paths/);
});
