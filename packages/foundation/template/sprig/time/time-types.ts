import { formatDuration } from '@tiphys/go';
import { dayNames, monthNames } from '../../fmt/calendar-names.ts';
import { define, defineTyped, type FunctionSpec } from '../../value/function-spec.ts';
import { type GoType, int64Type, intType, namedType, pointerTo } from '../../value/type.ts';
import { GoInt, GoStruct, integerOf, type Value } from '../../value/value.ts';
import type { Zone } from './time-zone.ts';

const nanosOf = (value: Value): bigint => integerOf(value) ?? 0n;
const largest = (1n << 63n) - 1n;

function absolute(nanos: bigint): bigint {
  return nanos >= 0n ? nanos : nanos === -largest - 1n ? largest : -nanos;
}

/** To the nearest multiple, halves away from zero; what would not fit becomes the largest. */
function rounded(nanos: bigint, size: bigint): bigint {
  if (size <= 0n) return nanos;
  const rest = absolute(nanos % size);
  const down = nanos < 0n ? nanos + rest : nanos - rest;
  if (rest * 2n < size) return down;
  const up = nanos < 0n ? down - size : down + size;
  return up > largest ? largest : up < -largest - 1n ? -largest - 1n : up;
}

/** A float64 of whole units and the fraction that is left. */
const inUnits = (unit: bigint): FunctionSpec =>
  define('', ([receiver]) => {
    const nanos = nanosOf(receiver);
    return Number(nanos / unit) + Number(nanos % unit) / Number(unit);
  });
const wholeUnits = (unit: bigint): FunctionSpec => define('', ([receiver]) => nanosOf(receiver) / unit);

export const durationType: GoType = namedType('time.Duration', int64Type, (type) => {
  const changed = (change: (nanos: bigint, by: bigint) => bigint, params: readonly GoType[]): FunctionSpec =>
    defineTyped(params, ([receiver, by]) => new GoInt(type, change(nanosOf(receiver), nanosOf(by))));
  return {
    Hours: inUnits(3_600_000_000_000n),
    Minutes: inUnits(60_000_000_000n),
    Seconds: inUnits(1_000_000_000n),
    Milliseconds: wholeUnits(1_000_000n),
    Microseconds: wholeUnits(1000n),
    Nanoseconds: wholeUnits(1n),
    String: define('', ([receiver]) => formatDuration(nanosOf(receiver))),
    Abs: changed(absolute, []),
    Round: changed(rounded, [type]),
    Truncate: changed((nanos, size) => (size <= 0n ? nanos : nanos - (nanos % size)), [type]),
  };
});

export const monthType = namedType('time.Month', intType, {
  String: define('', ([receiver]) => monthNames[Number(nanosOf(receiver)) - 1]),
});
export const weekdayType = namedType('time.Weekday', intType, {
  String: define('', ([receiver]) => dayNames[Number(nanosOf(receiver))]),
});

export const locationType = pointerTo(
  namedType(
    'time.Location',
    { kind: 'struct', fields: ['name', 'zone', 'tx', 'extend', 'cacheStart', 'cacheEnd', 'cacheZone'] },
    { String: define('', ([receiver]) => (receiver as LocationValue).toGoString()) },
  ),
);

/** What Go knows of a machine whose zone is UTC. */
const localFields: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['name', 'UTC'],
  ['zone', []],
  ['tx', []],
  ['extend', ''],
  ['cacheStart', 0n],
  ['cacheEnd', 0n],
  ['cacheZone', null],
]);

/** A *time.Location. */
export class LocationValue extends GoStruct {
  readonly zone: Zone;
  constructor(zone: Zone) {
    super(locationType, zone === 'Local' ? localFields : new Map());
    this.zone = zone;
  }
  override toGoString(): string {
    if (typeof this.zone !== 'string') return this.zone.name;
    return this.zone === 'Local' ? 'UTC' : this.zone;
  }
}

const shared = new Map<number, LocationValue>();

/** Go hands out one location for each unnamed zone of whole hours, so that times in it can be equal (time.FixedZone). */
export function locationOf(zone: Zone): LocationValue {
  if (typeof zone === 'string' || zone.name !== '' || zone.offset % 3600 !== 0) return new LocationValue(zone);
  const hour = zone.offset / 3600;
  if (hour < -12 || hour > 14) return new LocationValue(zone);
  let location = shared.get(hour);
  if (!location) {
    location = new LocationValue(zone);
    shared.set(hour, location);
  }
  return location;
}
