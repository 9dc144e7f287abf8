import zoneNames from './generated/zone-names.json' with { type: 'json' };

/** A zone: a name of the IANA database, `Local` (which is UTC here, so that a render does not depend on the machine), or a name (which may be empty) with seconds east of Greenwich. */
export type Zone = string | { readonly name: string; readonly offset: number };

/** Abbreviations by offset, for each zone that has some; the last one that was in use at the offset. */
let abbreviations: Map<string, ReadonlyMap<number, string>> | undefined;

function abbreviationsOf(zone: string): ReadonlyMap<number, string> | undefined {
  if (!abbreviations) {
    abbreviations = new Map();
    for (const [table, zones] of Object.entries(zoneNames as Readonly<Record<string, readonly string[]>>)) {
      const pairs = table.split(' ').map((pair) => pair.split(':') as [string, string]);
      const byOffset = new Map(pairs.map(([name, offset]) => [Number(offset), name]));
      for (const name of zones) abbreviations.set(name, byOffset);
    }
  }
  return abbreviations.get(zone);
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(zone)) {
    try {
      formats.set(zone, new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      formats.set(zone, undefined);
    }
  }
  return formats.get(zone);
}

/** The zone of a name; UTC for names that are not known, and for `Local`. */
export function zoneOf(name: string): Zone {
  if (name === 'Local') return name;
  return name === '' || name === 'UTC' || !formatOf(name) ? 'UTC' : name;
}

/** Offset and abbreviation of a zone at a time in milliseconds since the epoch. */
export function zoneAt(zone: Zone, millis: number): { readonly offset: number; readonly zone: string } {
  if (typeof zone !== 'string') return { offset: zone.offset, zone: zone.name };
  if (zone === 'UTC' || zone === 'Local') return { offset: 0, zone: 'UTC' };
  const long =
    formatOf(zone)
      ?.formatToParts(millis)
      .find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const match = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?/.exec(long);
  const [, sign, hours, minutes, seconds] = match ?? [];
  const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  const offset = sign === '-' ? -size : size;
  return { offset, zone: abbreviationsOf(zone)?.get(offset) ?? offsetName(offset) };
}

/** What the database calls a zone without a name of letters. */
function offsetName(offset: number): string {
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const hours = String(Math.trunc(minutes / 60)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${minutes % 60 ? String(minutes % 60).padStart(2, '0') : ''}`;
}

/** True in the half of the year in which a zone's clocks are ahead. */
export function isSummer(zone: Zone, millis: number): boolean {
  const year = new Date(millis).getUTCFullYear();
  const offsets = [0, 6].map((month) => zoneAt(zone, Date.UTC(year, month, 1)).offset);
  return zoneAt(zone, millis).offset > Math.min(...offsets);
}
