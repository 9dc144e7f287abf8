import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { root } from '../architecture.ts';
import { RunFollower } from './test-reporter.ts';

const entryFile = '/groups/one.mjs';
const suite = { type: 'suite', duration_ms: 1500 };

async function* eventsOf(...events: [type: string, data: object][]): AsyncGenerator<TestEvent> {
  for (const [type, data] of events)
    yield { type, data: { file: entryFile, entryFile, line: 1, ...data } } as TestEvent;
}

test('files that share a process are told apart: those that it did not come to have failed', async () => {
  const printed: string[] = [];
  const follower = new RunFollower({ total: 3, print: (text) => void printed.push(text) });
  const [first, second, third] = ['packages/a/one.test.ts', 'packages/a/two.test.ts', 'packages/a/three.test.ts'];
  const failure = { failureType: 'testCodeFailure', message: 'was 2', cause: new Error('was 2') };
  await follower.follow(
    eventsOf(
      ['test:pass', { name: 'adds', nesting: 1, file: first, details: { type: 'test' } }],
      ['test:pass', { name: 'waits', nesting: 1, skip: 'no network', details: { type: 'test' } }],
      ['test:pass', { name: first, nesting: 0, details: suite }],
      ['test:fail', { name: 'takes', nesting: 1, file: second, details: { type: 'test', error: failure } }],
      ['test:fail', { name: second, nesting: 0, details: { ...suite, error: { failureType: 'subtestsFailed' } } }],
      ['test:pass', { name: 'begins', nesting: 1, details: { type: 'test' } }],
      ['test:fail', { name: entryFile, nesting: 0, details: { type: 'test', error: failure } }],
      ['test:summary', { duration_ms: 2000 }],
    ),
    [first, second, third].map((file) => join(root, file as string)),
  );
  const told = [...follower.result.files].map(([, { passed, failed, skipped, seconds }]) => [
    passed,
    failed,
    skipped,
    seconds,
  ]);
  assert.deepEqual(told, [
    [1, 0, 1, 1.5],
    [0, 1, 0, 1.5],
    [1, 1, 0, 0],
  ]);
  assert.deepEqual([...follower.result.skips], [['no network', 1]]);
  assert.match(printed.join(''), /✗ takes \(packages\/a\/two\.test\.ts:1\)\nError: was 2/);
  assert.match(printed.join(''), /\[3\/3\] packages\/a\/three\.test\.ts: 1 passed, 1 FAILED/);
});
