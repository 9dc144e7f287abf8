import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeTicks, valueTicks } from './axis.ts';

const at = (text: string) => new Date(`2026-03-04T${text}`).getTime();

test('timeTicks() gives round times', () => {
  const ticks = timeTicks({ from: at('10:03:00'), to: at('11:04:00'), most: 6 });
  assert.deepEqual(
    ticks.map(({ text }) => text),
    ['10:15', '10:30', '10:45', '11:00'],
  );
  assert.equal(timeTicks({ from: at('10:00:00'), to: at('10:00:03'), most: 6 })[1]?.text, '10:00:00.500');
});

test('timeTicks() never gives more than it may, however long the time', () => {
  for (const span of [1, 1e3, 1e6, 1e9, 1e12, 1e14]) assert.ok(timeTicks({ from: 0, to: span, most: 8 }).length <= 9);
});

test('valueTicks() holds the values between round ones', () => {
  assert.deepEqual(valueTicks({ least: 0.13, greatest: 0.92, about: 4 }), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(valueTicks({ least: 5, greatest: 5, about: 2 }), [0, 5]);
  assert.deepEqual(valueTicks({ least: Number.NaN, greatest: 1, about: 4 }), []);
});
