import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from './oracle/answer.ts';
import { readGolden } from './oracle/golden.ts';

const show = ({ output, error }: { output: string; error?: string }): string =>
  error ?? Buffer.from(output, 'base64').toString();

test('templates give what Go recorded for the table of functions, verbs and failures', () => {
  const golden = readGolden();
  assert.ok(golden.length > 5000);
  for (const { question, answer: wanted } of golden)
    assert.equal(show(answer(question)), show(wanted), question.template);
});
