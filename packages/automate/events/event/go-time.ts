/** A moment as Go's `time.String` writes it in a zone: `2006-01-02 15:04:05.123 +0100 CET`. */
export function goTimeString(ms: number, timeZone: string): string {
  const at = new Date(ms);
  const parts = new Map(
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    })
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const offset = (parts.get('timeZoneName') ?? 'GMT').replace('GMT', '').replace(':', '') || '+0000';
  const fraction =
    at.getUTCMilliseconds() === 0
      ? ''
      : `.${String(at.getUTCMilliseconds()).padStart(3, '0')}`.replace(/(?<!0)0+$/, '');
  const day = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
  return `${day} ${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}${fraction} ${offset} ${zoneName(at, timeZone)}`;
}

function zoneName(at: Date, timeZone: string): string {
  const name = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  // where there is no abbreviation Go writes the offset
  const offset = /^GMT([+-])(\d{1,2})(?::(\d{2}))?$/.exec(name ?? '');
  return offset ? `${offset[1]}${String(offset[2]).padStart(2, '0')}${offset[3] ?? ''}` : (name ?? 'UTC');
}

/** Reads the start of what `goTimeString` writes, as milliseconds since the epoch; undefined if it is no such text. */
export function parseGoTime(text: string): number | undefined {
  const [, day, time, fraction = '', offset] =
    /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d{1,9})? ([+-]\d{4})/.exec(text) ?? [];
  if (!day || !time || !offset) return undefined;
  const ms = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${offset.slice(0, 3)}:${offset.slice(3)}`);
  return Number.isNaN(ms) ? undefined : ms;
}
