import { readDuration } from '@tiphys/go';
import {
  durationType,
  GoInt,
  LocationValue,
  parseTime,
  TimeValue,
  type Value,
  type Zone,
  zoneOf,
} from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';
import { asText } from '../values/numbers.ts';
import type { Builtin } from './builtin.ts';

/** The layouts that are tried for a text without one. */
const layouts = [
  '2006-01-02',
  '15:04:05',
  '2006-01-02 15:04:05',
  '2006-01-02T15:04:05Z07:00',
  '02 Jan 06 15:04 MST',
  'Monday, 02-Jan-06 15:04:05 MST',
  'Mon, 02 Jan 2006 15:04:05 MST',
];

function zoneNamed(name: string): Zone {
  const zone = zoneOf(name);
  if (zone === 'UTC' && name !== 'UTC' && name !== '') throw new Panic(`unknown time zone ${name}`);
  return zone;
}

/** A layout whose times say where they are. */
const hasZone = (layout: string): boolean => /MST|Z07|-07/.test(layout);

/** `time.ParseInLocation`: the time or the words of the error. */
function parseIn(layout: string, text: string, zone: Zone | undefined): TimeValue | string {
  const time = parseTime(layout, text);
  if (typeof time === 'string' || hasZone(layout)) return time;
  if (zone === undefined) return time.in('UTC');
  const offset = (at: bigint): bigint => BigInt(new TimeValue(at, zone).parts().offset) * 1_000_000_000n;
  const guess = time.nanos - offset(time.nanos);
  return new TimeValue(time.nanos - offset(guess), zone);
}

const date: Builtin = (given) => {
  const zone = given[0] instanceof LocationValue ? given[0].zone : undefined;
  const args = zone === undefined ? given : given.slice(1);
  const text = asText(args[0]);
  if (args.length === 1) {
    for (const layout of layouts) {
      const time = parseIn(layout, text, zone);
      if (typeof time !== 'string') return time;
    }
    throw new Panic(`invalid date ${text}`);
  }
  const time = parseIn(asText(args[1]), text, args.length === 3 ? zoneNamed(asText(args[2])) : zone);
  if (typeof time === 'string') throw new Panic(time);
  return time;
};

const now: Builtin = ([zone]: readonly Value[], context) =>
  new TimeValue(context.now(), zone instanceof LocationValue ? zone.zone : 'UTC');

export const times: Readonly<Record<string, Builtin>> = {
  now,
  date,
  duration: ([text]) => {
    const nanos = readDuration(asText(text));
    if (typeof nanos === 'string') throw new Panic(nanos);
    return new GoInt(durationType, nanos);
  },
  timezone: ([name]) => new LocationValue(zoneNamed(asText(name))),
};
