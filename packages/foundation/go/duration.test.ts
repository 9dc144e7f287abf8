import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, goDuration, goDurationOrSeconds, goDurationText, readDuration } from './index.ts';

const durations: readonly [text: string, nanoseconds: bigint][] = [
  ['0', 0n],
  ['-0', 0n],
  ['+5s', 5_000_000_000n],
  ['1h15m30.918273645s', 4_530_918_273_645n],
  ['.5m', 30_000_000_000n],
  ['1.s', 1_000_000_000n],
  ['12µs', 12_000n],
  ['12μs', 12_000n],
  ['-2m3.4s', -123_400_000_000n],
  ['9223372036854775807ns', 9_223_372_036_854_775_807n],
  ['0.3333333333333333333h', 1_200_000_000_000n],
];

for (const [text, nanoseconds] of durations)
  test(`the duration ${text}`, () => {
    assert.equal(readDuration(text), nanoseconds);
    assert.equal(goDuration(text), Number(nanoseconds) / 1e6);
  });

const refused: readonly [text: string, words: string][] = [
  ['', 'time: invalid duration ""'],
  ['3', 'time: missing unit in duration "3"'],
  ['-', 'time: invalid duration "-"'],
  ['.s', 'time: invalid duration ".s"'],
  ['1d', 'time: unknown unit "d" in duration "1d"'],
  ['1 m', 'time: unknown unit " m" in duration "1 m"'],
  ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
];

for (const [text, words] of refused)
  test(`no duration: ${JSON.stringify(text)}`, () => {
    assert.equal(readDuration(text), words);
    assert.equal(goDuration(text), undefined);
  });

test('a bare number is seconds only where that is asked for', () => {
  assert.equal(goDurationOrSeconds('90'), 90_000);
  assert.equal(goDurationOrSeconds('-1'), -1000);
  assert.equal(goDurationOrSeconds('1.5m'), 90_000);
  assert.equal(goDurationOrSeconds('soon'), undefined);
});

test('durations are written as Go writes them', () => {
  for (const text of ['0s', '1ns', '1.5µs', '20ms', '1m30s', '1h0m0s', '-2m3.4s']) {
    const nanoseconds = readDuration(text);
    assert.ok(typeof nanoseconds === 'bigint');
    assert.equal(formatDuration(nanoseconds), text);
  }
  assert.equal(goDurationText(90_500), '1m30.5s');
});
