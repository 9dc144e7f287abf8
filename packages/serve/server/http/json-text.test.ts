import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonText } from './json-text.ts';

test('text that is made in parts is what JSON.stringify makes', async () => {
  const long = Array.from({ length: 250 }, (_, index) =>
    index % 7 === 0 ? undefined : { index, none: undefined, text: '"ü\n' },
  );
  const values = [
    { kind: 'List', items: long, nothing: undefined, null: null, nested: { items: long }, short: [1, 2] },
    { __proto__: null, '"': long, b: long.slice(0, 101), c: long.slice(0, 100) },
    { items: [] },
    {},
    [long],
    'text',
    null,
  ];
  let pauses = 0;
  for (const value of values) assert.equal(await jsonText(value, async () => void pauses++), JSON.stringify(value));
  assert.equal(pauses, 2 + 2 + 1);
});
