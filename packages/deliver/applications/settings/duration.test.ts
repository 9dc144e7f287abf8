import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from './duration.ts';

test('durations are read as Go writes them, and bare numbers as seconds', () => {
  const table: [string, number | undefined][] = [
    ['180s', 180_000],
    ['1m30s', 90_000],
    ['1h2m3s4ms', 3_723_004],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['-1m', -60_000],
    ['0', 0],
    ['300', 300_000],
    [' 5s ', 5_000],
    ['', undefined],
    ['s', undefined],
    ['5 s', undefined],
    ['1d', undefined],
    ['never', undefined],
  ];
  for (const [text, wanted] of table) assert.equal(parseDuration(text), wanted, JSON.stringify(text));
});
