/** An age as tables show it; `<unknown>` without a time. */
export function ageOf(timestamp: unknown, now: number): string {
  if (typeof timestamp !== 'string' || !timestamp) return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}

/** A duration in at most two units, rounded down as kubectl shows it. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return `${minutes}m${seconds % 60 ? `${seconds % 60}s` : ''}`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return `${hours}h${minutes % 60 ? `${minutes % 60}m` : ''}`;
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return `${days}d${hours % 24 ? `${hours % 24}h` : ''}`;
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (days < 2920) return `${years}y${days % 365 ? `${days % 365}d` : ''}`;
  return `${years}y`;
}
