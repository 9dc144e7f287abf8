import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { Limits } from '@tiphys/template';
import type { ValueSources } from '../values/assemble-values.ts';

/** A chart by its files (Chart.yaml is there already) or as an archive. */
export interface HostileTask {
  readonly files?: Readonly<Record<string, string>>;
  readonly archive?: Uint8Array;
  readonly values?: Omit<ValueSources, 'readFile'>;
  readonly limits?: Partial<Limits>;
}

export type HostileOutcome = { readonly text: string } | { readonly diagnosis: Diagnosis };

/** What a hostile chart is expected to end with: the code of a diagnosis and its words, or the text that it renders. */
export type Expected = { readonly code: string; readonly words?: RegExp } | { readonly text: RegExp };

/** One row of a table: what it is, the chart, and how it must end. */
export type HostileRow = readonly [name: string, task: HostileTask, expected: Expected];

/** A chart of one template. */
export function template(text: string, files: Readonly<Record<string, string>> = {}): HostileTask {
  return { files: { 'templates/x.yaml': text, ...files } };
}

/**
 * Makes a test of each row. All run in one thread with a small heap and stack, which has to outlive them: whatever takes
 * more memory than that ends it and fails the test.
 */
export function testHostile(rows: readonly HostileRow[]): void {
  const worker = new Worker(new URL('./hostile-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 8 },
  });
  worker.unref();
  after(() => worker.terminate());
  for (const [name, task, expected] of rows) {
    test(name, async () => {
      const outcome = await ask(worker, task);
      if ('text' in expected) {
        assert.ok('text' in outcome, 'diagnosis' in outcome ? outcome.diagnosis.message.slice(0, 500) : '');
        assert.match(outcome.text, expected.text);
        return;
      }
      assert.ok('diagnosis' in outcome, 'it rendered');
      const { diagnosis } = outcome;
      assert.equal(diagnosis.code, expected.code, diagnosis.message.slice(0, 500));
      if (expected.words) assert.match(diagnosis.message.slice(0, 5000), expected.words);
      assert.ok(diagnosis.place ?? diagnosis.evidence.length > 0, 'it does not say where');
      assert.ok(diagnosis.remedies.length > 0, 'it does not say what to do');
      assert.ok(JSON.stringify(diagnosis).length < 20_000, 'it tells too much');
    });
  }
}

function ask(worker: Worker, task: HostileTask): Promise<HostileOutcome> {
  return new Promise((resolve, reject) => {
    worker.ref();
    const settle = (then: () => void): void => {
      worker.off('message', onMessage).off('error', onError);
      worker.unref();
      then();
    };
    const onMessage = (outcome: HostileOutcome): void => settle(() => resolve(outcome));
    const onError = (error: Error): void => settle(() => reject(error));
    worker.on('message', onMessage).on('error', onError);
    worker.postMessage(task);
  });
}
