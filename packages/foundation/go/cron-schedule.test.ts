import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronSchedule } from './cron-schedule.ts';

/** The times after `from`, on the wall of the time zone. */
function times(text: string, from: string, { zone = 'UTC', count = 3 } = {}): string[] {
  const schedule = cronSchedule(text, zone);
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const found: string[] = [];
  for (let at = schedule.after(Date.parse(from)); at !== undefined && found.length < count; at = schedule.after(at))
    found.push(format.format(at));
  return found;
}

test('fields are numbers, names, ranges and steps; where day and weekday both leave some out, either is enough', () => {
  assert.deepEqual(times('50/5 3 * * *', '2026-01-01T03:50:00Z'), [
    '2026-01-01 03:55',
    '2026-01-02 03:50',
    '2026-01-02 03:55',
  ]);
  assert.deepEqual(times('0 0 13 * FRI', '2026-02-01T00:00:00Z'), [
    '2026-02-06 00:00',
    '2026-02-13 00:00',
    '2026-02-20 00:00',
  ]);
  // a step of one leaves nothing out, a step of two does
  assert.deepEqual(times('0 0 */1 * 1', '2026-02-01T00:00:00Z', { count: 2 }), [
    '2026-02-02 00:00',
    '2026-02-09 00:00',
  ]);
  assert.deepEqual(times('0 0 */2 * 1', '2026-02-01T00:00:00Z'), [
    '2026-02-02 00:00',
    '2026-02-03 00:00',
    '2026-02-05 00:00',
  ]);
  assert.deepEqual(times('@monthly', '2026-01-01T00:00:00Z', { count: 1 }), ['2026-02-01 00:00']);
  assert.deepEqual(times('0 0 29 2 *', '2026-01-01T00:00:00Z', { count: 1 }), ['2028-02-29 00:00']);
  assert.deepEqual(times('0 0 31 2 *', '2026-01-01T00:00:00Z'), []);
});

test('intervals begin at the time that they are asked for, and are a second at least', () => {
  assert.equal(cronSchedule('@every 1m30s').after(1), 90_000);
  assert.equal(cronSchedule('@every 10ms').after(0), 1000);
});

test('what a schedule cannot be is told in the words of robfig/cron', () => {
  for (const [text, problem] of [
    ['', 'empty spec string'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['61 * * * *', 'end of range (61) above maximum (59): 61'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['* * L * *', 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['@often', 'unrecognized descriptor: @often'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ])
    assert.throws(() => cronSchedule(text as string), { message: problem });
  assert.throws(() => cronSchedule('CRON_TZ=Moon/Sea 0 9 * * *'), /unknown time zone Moon\/Sea/);
});

test('times that clocks jump over are left out, those that come twice count twice', () => {
  const berlin = { zone: 'Europe/Berlin' };
  assert.deepEqual(times('30 2 * * *', '2026-03-28T00:00:00Z', berlin), [
    '2026-03-28 02:30',
    '2026-03-30 02:30',
    '2026-03-31 02:30',
  ]);
  assert.deepEqual(times('30 2 * * *', '2026-10-24T12:00:00Z', berlin), [
    '2026-10-25 02:30',
    '2026-10-25 02:30',
    '2026-10-26 02:30',
  ]);
});

test('a day has its times also where clocks jump over midnight, move by half an hour, or pass midnight twice', () => {
  // robfig/cron leaves the first Friday out
  assert.deepEqual(times('0 9 * * 5', '2025-04-22T00:00:00Z', { zone: 'Africa/Cairo', count: 2 }), [
    '2025-04-25 09:00',
    '2025-05-02 09:00',
  ]);
  // robfig/cron runs on Sunday too
  assert.deepEqual(times('10 18 * * 6', '2018-11-03T12:00:00Z', { zone: 'America/Sao_Paulo', count: 2 }), [
    '2018-11-03 18:10',
    '2018-11-10 18:10',
  ]);
  assert.deepEqual(times('12 3 * * 0', '2027-04-03T14:53:00Z', { zone: 'Australia/Lord_Howe', count: 2 }), [
    '2027-04-04 03:12',
    '2027-04-11 03:12',
  ]);
  assert.deepEqual(times('30 0 * * *', '2026-10-31T12:00:00Z', { zone: 'America/Havana' }), [
    '2026-11-01 00:30',
    '2026-11-01 00:30',
    '2026-11-02 00:30',
  ]);
});

test('a search ends where a whole day is left out, or where a day begins twice', () => {
  assert.deepEqual(times('0 12 30 * *', '2011-12-01T00:00:00Z', { zone: 'Pacific/Apia', count: 1 }), [
    '2012-01-30 12:00',
  ]);
  assert.deepEqual(times('3 2 * * 0', '2010-11-04T10:12:00Z', { zone: 'America/St_Johns', count: 2 }), [
    '2010-11-07 02:03',
    '2010-11-14 02:03',
  ]);
});
