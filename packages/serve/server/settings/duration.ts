const units: Record<string, number> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** Seconds of a Go duration such as `1h30m`; undefined if the text is none. */
export function durationSeconds(text: string | undefined): number | undefined {
  if (!text?.trim()) return undefined;
  const trimmed = text.trim();
  if (trimmed === '0') return 0;
  if (!/^[+-]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(trimmed)) return undefined;
  let seconds = 0;
  for (const [, value, unit] of trimmed.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g))
    seconds += Number(value) * (units[unit as string] as number);
  return trimmed.startsWith('-') ? -seconds : seconds;
}
