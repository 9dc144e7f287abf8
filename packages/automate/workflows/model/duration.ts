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
