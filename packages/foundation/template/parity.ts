import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answer } from './oracle/answer.ts';
import { type Answer, askGo, type Question } from './oracle/oracle.ts';
import { callQuestion, formatQuestion, templateQuestion, versionQuestion } from './oracle/random-questions.ts';
import { table } from './oracle/table.ts';

// Go's programs take the zone of the machine; renders here are in UTC.
process.env['TZ'] = 'UTC';

const show = ({ output, error }: Answer): string => error ?? Buffer.from(output, 'base64').toString();

/** Questions of which the answer is a limit here and an address or a deeper limit there. */
function isComparable(go: Answer): boolean {
  return !/exceeded maximum template depth|0x[0-9a-f]{8,}|c0[0-9a-f]{8}/.test(show(go));
}

function compare(questions: readonly Question[]): void {
  const answers = askGo(questions);
  const differences = questions.flatMap((question, i) => {
    const go = answers[i] as Answer;
    const ours = answer(question);
    return show(ours) === show(go) || !isComparable(go) ? [] : [{ question, go: show(go), ours: show(ours) }];
  });
  const shown = differences
    .slice(0, 5)
    .map(({ question, go, ours }) => `${JSON.stringify(question.template)}\n  go:   ${go}\n  here: ${ours}`);
  assert.equal(differences.length, 0, `${differences.length} of ${questions.length} differ:\n${shown.join('\n')}`);
}

test('each function, verb and failure of the table is answered as Go answers it', () => compare(table()));

const rounds = Number(process.env['PARITY_ROUNDS'] ?? 4000);
const seed = Number(process.env['PARITY_SEED'] ?? 20_240_229);

for (const [name, arbitrary] of Object.entries({
  call: callQuestion,
  format: formatQuestion,
  template: templateQuestion,
  version: versionQuestion,
})) {
  test(`random ${name} questions are answered as Go answers them`, () => {
    compare(fc.sample(arbitrary, { numRuns: rounds, seed }));
  });
}
