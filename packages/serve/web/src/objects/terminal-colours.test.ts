import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colouredParts, withoutColours } from './terminal-colours.ts';

test('colouredParts() follows the codes of terminals, and leaves out what has no name', () => {
  assert.equal(colouredParts('plain [31m'), undefined);
  assert.equal(colouredParts('\u001b[0mplain\u001b[K'), undefined);
  assert.deepEqual(colouredParts('a \u001b[1;31merror\u001b[0m b \u001b[92mok\u001b[39m.'), [
    { text: 'a ' },
    { text: 'error', colour: 'red', bold: true },
    { text: ' b ' },
    { text: 'ok', colour: 'green' },
    { text: '.' },
  ]);
  assert.deepEqual(
    colouredParts('\u001b[38;5;3mnamed\u001b[38;5;200mother\u001b[38;2;1;31;2mown\u001b[48;5;1m\u001b[36mcyan'),
    [{ text: 'named', colour: 'yellow' }, { text: 'other' }, { text: 'own' }, { text: 'cyan', colour: 'cyan' }],
  );
  assert.equal(withoutColours('\u001b[1;31merror\u001b[0m\u001b[2K b'), 'error b');
});
