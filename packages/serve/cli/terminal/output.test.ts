import assert from 'node:assert/strict';
import { it } from 'node:test';
import { terminalOutput } from './output.ts';

function printed(text: string, isTTY: boolean): string {
  const written: string[] = [];
  const stream = { isTTY, write: (chunk: string | Uint8Array) => written.push(String(chunk)) > 0 };
  terminalOutput(stream, stream, {}).out(text);
  return written.join('');
}

const hostile: readonly (readonly [what: string, text: string, shown: string])[] = [
  ['names the window', 'a\u001b]0;owned\u0007b', 'a^[]0;owned^Gb'],
  ['goes up and overwrites a line', 'OutOfSync\u001b[1A\u001b[2KSynced', 'OutOfSync^[[1A^[[2KSynced'],
  ['goes back to the beginning of the line', 'Degraded\rHealthy ', 'Degraded^MHealthy '],
  ['hides what follows', '\u001b[8mrm -rf\u001b[1;08;31m', '^[[8mrm -rf^[[1;08;31m'],
  ['has control characters of eight bits', '\u009b2J\u007f', 'M-^[2J^?'],
  ['deletes what was printed', 'Degraded\b\b\b', 'Degraded^H^H^H'],
];
for (const [what, text, shown] of hostile)
  it(`shows a terminal a text that ${what}, and does not let it (CVE-2021-25743)`, () => {
    assert.equal(printed(text, true), `${shown}\n`);
  });

it('keeps colours, tabulators and ends of lines at a terminal, and everything in a pipe', () => {
  const text = '\u001b[31mred\u001b[0m\ta\r\nb \u001b[38;5;208morange\u001b[m';
  assert.equal(printed(text, true), `${text}\n`);
  assert.equal(printed('\u001b]0;x\u0007', false), '\u001b]0;x\u0007\n');
});
