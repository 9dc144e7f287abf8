import { formatDuration, readDuration } from '@tiphys/go';
import { parseInt64 } from '../text/parse-number.ts';
import type { CallContext } from '../value/call-context.ts';
import { define, defineTyped, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import { stringType } from '../value/type.ts';
import { integerOf, stringOf, type Value } from '../value/value.ts';
import { generated } from './generated.ts';
import { formatTime } from './time/time-layout.ts';
import { parseTime } from './time/time-parse.ts';
import { TimeValue, timeType } from './time/time-value.ts';
import { zoneOf } from './time/time-zone.ts';

function now(context: CallContext): TimeValue {
  const millis = generated(context, [], () => String(context.recorder.now()));
  return new TimeValue(BigInt(millis) * 1_000_000n, 'UTC');
}

function timeOf(value: Value, context: CallContext): TimeValue {
  if (value instanceof TimeValue) return value;
  const seconds = integerOf(value);
  return seconds === undefined ? now(context) : new TimeValue(seconds * 1_000_000_000n, 'UTC');
}

function inZone(layout: string, value: Value, zone: string, context: CallContext): string {
  return formatTime(timeOf(value, context).in(zoneOf(zone)), layout);
}

function modify(text: string, value: Value, must: boolean): Value {
  const time = value as TimeValue;
  const nanos = readDuration(text);
  if (typeof nanos === 'bigint') return new TimeValue(time.nanos + nanos, time.zone);
  if (must) throw new FunctionError(nanos);
  return time;
}

function ago(value: Value, context: CallContext): string {
  const nanos = now(context).nanos - timeOf(value, context).nanos;
  const second = 1_000_000_000n;
  const rest = nanos % second;
  return formatDuration(rest * 2n < second ? nanos - rest : nanos + second - rest);
}

function duration(value: Value): string {
  const text = stringOf(value);
  const seconds = typeof value === 'bigint' ? value : text === undefined ? 0n : parseInt64(text).value;
  return formatDuration(BigInt.asIntN(64, seconds * 1_000_000_000n));
}

const rounds: readonly [bigint, string][] = [
  [365n * 24n * 3600n, 'y'],
  [30n * 24n * 3600n, 'mo'],
  [24n * 3600n, 'd'],
  [3600n, 'h'],
  [60n, 'm'],
  [1n, 's'],
];

function durationRound(value: Value, context: CallContext): string {
  const text = stringOf(value);
  let nanos = 0n;
  const read = text === undefined ? undefined : readDuration(text);
  if (read !== undefined) nanos = typeof read === 'bigint' ? read : 0n;
  else if (typeof value === 'bigint') nanos = value;
  else if (value instanceof TimeValue) nanos = now(context).nanos - value.nanos;
  const magnitude = nanos < 0n ? -nanos : nanos;
  for (const [seconds, unit] of rounds) {
    const size = seconds * 1_000_000_000n;
    if (magnitude > size) return `${magnitude / size}${unit}`;
  }
  return '0s';
}

function toDate(layout: string, text: string, must: boolean): Value {
  const parsed = parseTime(layout, text);
  if (typeof parsed !== 'string') return parsed;
  if (must) throw new FunctionError(parsed);
  return new TimeValue(TimeValue.zero, 'UTC');
}

const time = (signature: string, body: FunctionSpec['call']): FunctionSpec => define(signature, body);

const modifier = (must: boolean): FunctionSpec =>
  defineTyped([stringType, timeType], ([text, value]) => modify(text as string, value as TimeValue, must));

/** Sprig's functions of time. The local time zone is UTC, so that a render does not depend on where it runs. */
export const dateFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['now', time('', (_args, context) => now(context))],
  ['ago', time('any', ([value], context) => ago(value, context))],
  ['date', time('string, any', ([layout, value], context) => inZone(layout as string, value, 'UTC', context))],
  [
    'dateInZone',
    time('string, any, string', ([layout, value, zone], context) =>
      inZone(layout as string, value, zone as string, context),
    ),
  ],
  [
    'date_in_zone',
    time('string, any, string', ([layout, value, zone], context) =>
      inZone(layout as string, value, zone as string, context),
    ),
  ],
  ['htmlDate', time('any', ([value], context) => inZone('2006-01-02', value, 'UTC', context))],
  [
    'htmlDateInZone',
    time('any, string', ([value, zone], context) => inZone('2006-01-02', value, zone as string, context)),
  ],
  ['dateModify', modifier(false)],
  ['date_modify', modifier(false)],
  ['mustDateModify', modifier(true)],
  ['must_date_modify', modifier(true)],
  ['duration', time('any', ([value]) => duration(value))],
  ['durationRound', time('any', ([value], context) => durationRound(value, context))],
  ['toDate', time('string, string', ([layout, text]) => toDate(layout as string, text as string, false))],
  ['mustToDate', time('string, string', ([layout, text]) => toDate(layout as string, text as string, true))],
  ['unixEpoch', defineTyped([timeType], ([value]) => String((value as TimeValue).seconds))],
]);
