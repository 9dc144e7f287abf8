import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { RenderedSources } from '../sources/source-renderer.ts';
import { type GoingRenderOptions, goesOn, RenderGoesOn, renderGoing } from './going-render.ts';
import type { Reconciliation } from './reconciliation.ts';

const waitsForTurn = defineDiagnosis('TestRenderWaits', 'For tests');
const rendered = { revisions: ['c0ffee'] } as unknown as RenderedSources;

/** A pass whose clock says at once that the time is over, or never. */
function pass({ late }: { late: boolean }) {
  const looks: string[] = [];
  const sleep = (_: number, signal?: AbortSignal) =>
    late
      ? Promise.resolve()
      : new Promise<void>((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
  const context = { clock: { now: () => 5, sleep }, look: (key: string) => looks.push(key) };
  const work = { key: 'argocd/web', memory: {}, context, signal: new AbortController().signal };
  return { work: work as unknown as Reconciliation, looks };
}

function request(key: string) {
  const { promise, resolve, reject } = Promise.withResolvers<RenderedSources>();
  const asked: { signal: AbortSignal; onWait: (diagnosis: Diagnosis) => void }[] = [];
  const options: GoingRenderOptions = {
    step: 'refresh',
    key,
    render: (more) => {
      asked.push(more);
      return promise;
    },
  };
  return { options, resolve, reject, asked };
}

test('a pass does not wait for a long render, is asked for again when it is done, and then finds it', async () => {
  const { work, looks } = pass({ late: true });
  const { options, resolve, asked } = request('normal a');
  await assert.rejects(renderGoing(work, options), RenderGoesOn);
  await assert.rejects(renderGoing(work, options), RenderGoesOn);
  assert.equal(asked.length, 1, 'the second pass joins it');
  assert.ok(goesOn(work.memory.going?.refresh, 'normal'));
  assert.ok(!goesOn(work.memory.going?.refresh, 'hard'));
  resolve(rendered);
  assert.deepEqual(await renderGoing(work, options), { rendered, since: 5 });
  assert.deepEqual(looks, ['argocd/web']);
  assert.equal(work.memory.going?.refresh, undefined);
});

test('what a render waits for is told by the next pass', async () => {
  const { work, looks } = pass({ late: true });
  const { options, asked } = request('a');
  await assert.rejects(renderGoing(work, options), (error: RenderGoesOn) => error.waits === undefined);
  const diagnosis = diagnose(waitsForTurn, {
    message: 'The render waits for 5 renders of project other',
    remedies: [],
  });
  asked[0]?.onWait(diagnosis);
  await assert.rejects(renderGoing(work, options), (error: RenderGoesOn) => error.waits === diagnosis);
  assert.deepEqual(looks, ['argocd/web']);
});

test('a short render is given at once, a failed one fails the pass and is begun anew, another key ends the old one', async () => {
  const { work } = pass({ late: false });
  const failing = request('a');
  failing.reject(new Error('no such chart'));
  await assert.rejects(renderGoing(work, failing.options), /no such chart/);
  const old = request('b');
  const unwanted = renderGoing(work, old.options).catch(() => undefined);
  const wanted = request('c');
  wanted.resolve(rendered);
  assert.deepEqual(await renderGoing(work, wanted.options), { rendered, since: 5 });
  assert.ok(old.asked[0]?.signal.aborted);
  old.reject(new Error('aborted'));
  await unwanted;
});
