/** time.Duration's String: `1h2m3.5s`, `1.5ms`, `0s`. */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const value = nanos < 0n ? -nanos : nanos;
  if (value < 1000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 1000n)}µs`;
  if (value < 1_000_000_000n) return `${sign}${decimal(value, 1_000_000n)}ms`;
  const minutes = value / 60_000_000_000n;
  const seconds = decimal(value % 60_000_000_000n, 1_000_000_000n);
  if (minutes === 0n) return `${sign}${seconds}s`;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}s` : `${sign}${hours}h${minutes % 60n}m${seconds}s`;
}

/** The same for milliseconds, to the nanosecond. */
export function goDurationText(milliseconds: number): string {
  return formatDuration(BigInt(Math.round(milliseconds * 1e6)));
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/(?<!0)0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}
