const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of `12h` or `90d`; NaN for what is no duration. */
export function durationSeconds(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text.trim()) ?? [];
  return number === '' ? Number.NaN : Number(number) * (units[unit] ?? Number.NaN);
}

export function durationProblem(text: string): string | undefined {
  return Number.isNaN(durationSeconds(text)) ? 'A number with s, m, h or d, such as 12h' : undefined;
}
