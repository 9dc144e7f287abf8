import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeTicks } from '../plot/axis.ts';
import { currentZone, formatTime, tellIn, zoneOffset, zones } from './zone.ts';

const hour = 3_600_000;

test('times are told in the zone that was chosen, with its summer time', (t) => {
  t.after(() => tellIn(''));
  tellIn('Asia/Tokyo');
  assert.equal(zoneOffset(Date.UTC(2026, 0, 1)), 9 * hour);
  assert.match(
    formatTime(Date.UTC(2026, 0, 1, 20), { dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' }),
    /05:00/,
  );
  tellIn('Europe/Berlin');
  assert.deepEqual([zoneOffset(Date.UTC(2026, 0, 1)), zoneOffset(Date.UTC(2026, 6, 1))], [hour, 2 * hour]);
  assert.equal(formatTime('no time'), '');
});

test('a zone that the browser does not know is its own', (t) => {
  t.after(() => tellIn(''));
  const own = currentZone();
  tellIn('Mars/Olympus');
  assert.equal(currentZone(), own);
  assert.equal(zones()[0], 'UTC');
});

test('ticks are round hours of the zone', (t) => {
  t.after(() => tellIn(''));
  tellIn('Asia/Kolkata');
  const from = Date.UTC(2026, 2, 4, 0, 10);
  assert.deepEqual(
    timeTicks({ from, to: from + 4 * hour, most: 5 }).map(({ text }) => text),
    ['06:00', '07:00', '08:00', '09:00'],
  );
});
