const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration as Go writes it (`1m30s`, `1.5h`, `-3ms`, `0`); undefined if it is none. */
export function goDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0;
  if (!rest) return undefined;
  let sum = 0;
  while (rest) {
    const match = /^(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (!match) return undefined;
    sum += Number(match[1]) * (units[match[2] ?? ''] ?? 0);
    rest = rest.slice(match[0].length);
  }
  return sign * sum;
}

/** Milliseconds of a duration in a workflow: a plain number means seconds, the rest is Go's. Undefined if it is none. */
export function workflowDuration(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? Number(text) * 1000 : goDuration(text);
}

/** A duration as Go's `time.Duration` prints it, such as `1m30s` or `500ms`. */
export function goDurationText(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  const sign = milliseconds < 0 ? '-' : '';
  const size = Math.abs(milliseconds);
  if (size < 1000) return `${sign}${size}ms`;
  const hours = Math.floor(size / 3_600_000);
  const minutes = Math.floor((size % 3_600_000) / 60_000);
  const seconds = (size % 60_000) / 1000;
  if (hours) return `${sign}${hours}h${minutes}m${seconds}s`;
  return minutes ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`;
}

/** A duration for people, as Argo Workflows shows it: `5 seconds`, `2 minutes 10 seconds`, `1 hour 0 minutes`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return counted(seconds, 'second');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${counted(minutes, 'minute')} ${seconds % 60} seconds`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${counted(hours, 'hour')} ${minutes % 60} minutes`;
  return `${counted(Math.floor(hours / 24), 'day')} ${hours % 24} hours`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
