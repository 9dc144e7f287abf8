const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Milliseconds of a Go duration (`1m30s`, `250ms`, `-1h`) or of a bare number of seconds, as the peers' settings allow.
 * Undefined if the text is neither.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^-?\d+$/.test(trimmed)) return Number(trimmed) * 1000;
  const parts = /^(-?)((?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)$/.exec(trimmed);
  if (!parts) return undefined;
  let total = 0;
  for (const [, amount, unit] of (parts[2] as string).matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * (units[unit as string] as number);
  }
  return parts[1] === '-' ? -total : total;
}
