const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Milliseconds since the epoch of what people write for a time: `10:00` (the last one), a date, RFC 3339, or how long ago (`2h`,
 * `90m`, `3d`). Local time where no zone is given. Undefined if it is none of them.
 */
export function instantOf(text: string, now: number): number | undefined {
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago) return now - Number(ago[1]) * (units[ago[2] as string] as number);
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text);
  if (clock) {
    const [hours, minutes, seconds] = [Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0)];
    if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
    const time = new Date(now);
    time.setHours(hours, minutes, seconds, 0);
    if (time.getTime() > now) time.setDate(time.getDate() - 1);
    return time.getTime();
  }
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return numberOf(new Date(`${text}T00:00:00`).getTime());
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]{5,20}(?:Z|[+-]\d{2}:\d{2})?$/.test(text)) return numberOf(Date.parse(text));
  return undefined;
}

function numberOf(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}
