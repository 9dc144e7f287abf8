import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from './oracle/answer.ts';
import { readRecorded } from './oracle/record.ts';

test('expressions give the values and the errors that the Go module gave', () => {
  const recorded = readRecorded();
  assert.ok(recorded.length > 1500);
  for (const { question, answer: wanted } of recorded)
    assert.deepEqual(answer(question), wanted, `${question.mode}: ${question.text}`);
});
