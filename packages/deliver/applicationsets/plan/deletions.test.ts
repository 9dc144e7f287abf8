import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  confirmedDeletionsAnnotation,
  type DeletionRequest,
  decideDeletions,
  digestOf,
  limitProblem,
  pendingDeletionsAnnotation,
} from './deletions.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `app-${index}`);

function decide(request: Partial<DeletionRequest>) {
  return decideDeletions({
    names: names(5),
    size: 10,
    complete: true,
    limit: { count: 3, percent: 25 },
    annotations: {},
    now: 1_000_000,
    ...request,
  });
}

test('few deletions, or few of many, are made at once; nothing is held without a limit', () => {
  assert.equal(decide({ names: [] }).kind, 'none');
  assert.equal(decide({ names: names(3), size: 3 }).kind, 'delete');
  assert.equal(decide({ names: names(25), size: 100 }).kind, 'delete');
  assert.equal(decide({ names: names(26), size: 100 }).kind, 'held');
  assert.equal(decide({ limit: { count: 0, percent: 0 } }).kind, 'delete');
  assert.equal(decide({ annotations: { 'tiphys.dev/deletion-limit': '0' } }).kind, 'delete');
  assert.equal(decide({ annotations: { 'tiphys.dev/deletion-limit': '4,90%' } }).kind, 'delete');
  assert.equal(decide({ annotations: { 'tiphys.dev/deletion-limit': 'odd' } }).kind, 'held');
});

test('a limit that cannot be read is reported, and those of the settings hold', () => {
  const problem = (text: string) => limitProblem({ 'tiphys.dev/deletion-limit': text })?.message;
  assert.equal(limitProblem({}), undefined);
  for (const text of ['0', '2', '50%', '10,50%']) assert.equal(problem(text), undefined, text);
  for (const text of ['odd', '-1', '10;50%', '']) assert.match(problem(text) ?? '', /cannot be read/, text);
});

test('an evaluation that may lack elements deletes nothing, however few', () => {
  assert.equal(decide({ names: names(1), complete: false }).kind, 'incomplete');
});

test('many deletions wait until a later evaluation wants the very same', () => {
  const first = decide({});
  assert.ok(first.kind === 'held' && first.fresh);
  const waiting = { [pendingDeletionsAnnotation]: first.pending };
  const early = decide({ annotations: waiting, now: 1_030_000 });
  assert.ok(early.kind === 'held' && !early.fresh && early.again === 30_000);
  assert.equal(decide({ annotations: waiting, now: 1_060_000 }).kind, 'delete');
  assert.equal(decide({ annotations: waiting, now: 1_010_000, edited: true }).kind, 'delete');
  const others = decide({ names: names(6), annotations: waiting, now: 1_060_000 });
  assert.ok(others.kind === 'held' && others.fresh && others.again === 60_000);
});

test('a confirmation is for the deletions that were seen, and no others', () => {
  const confirmed = { [confirmedDeletionsAnnotation]: digestOf(names(5)) };
  assert.equal(decide({ annotations: confirmed }).kind, 'delete');
  assert.equal(decide({ names: names(6), annotations: confirmed }).kind, 'held');
  const [a = '', b = ''] = [digestOf(['x', 'y']), digestOf(['y', 'x'])];
  assert.equal(a, b);
});

test('an annotation that cannot be read begins the wait anew', () => {
  for (const text of ['', '{', '{"digest":1}', '{"digest":"x","since":"never"}']) {
    const decision = decide({ annotations: { [pendingDeletionsAnnotation]: text } });
    assert.ok(decision.kind === 'held' && decision.fresh, text);
  }
});
