const RANGES: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
];

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const DAYS = 'sun mon tue wed thu fri sat'.split(' ');

/** What is wrong with a cron expression, in the words of the API server's parser. */
export function cronProblem(schedule: string): string | undefined {
  if (/^TZ=|^CRON_TZ=/.test(schedule)) return 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  if (schedule.startsWith('@'))
    return /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/.test(schedule)
      ? undefined
      : `unrecognized descriptor: ${schedule}`;
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, field] of fields.entries()) {
    const [low, high] = RANGES[index] as readonly [number, number];
    for (const part of field.split(',')) {
      const [range = '', step] = part.split('/');
      if (step !== undefined && !/^[1-9]\d*$/.test(step))
        return `failed to parse int from ${step}: strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`;
      if (range === '*' || range === '?') continue;
      const names = index === 3 ? MONTHS : index === 4 ? DAYS : [];
      const ends = range
        .split('-')
        .map((end) =>
          names.includes(end.toLowerCase()) ? names.indexOf(end.toLowerCase()) + (index === 3 ? 1 : 0) : end,
        );
      for (const end of ends) {
        if (!/^\d+$/.test(String(end)))
          return `failed to parse int from ${end}: strconv.Atoi: parsing ${JSON.stringify(end)}: invalid syntax`;
        if (Number(end) > high) return `end of range (${end}) above maximum (${high}): ${part}`;
        if (Number(end) < low) return `beginning of range (${end}) below minimum (${low}): ${part}`;
      }
    }
  }
  return undefined;
}

export function isTimeZone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Names of zones are names of files: their case counts.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
