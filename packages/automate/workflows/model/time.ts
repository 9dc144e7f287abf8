export { timestamp } from '@tiphys/controller';

/** Milliseconds of a time of Kubernetes; undefined for none. */
export function timeOf(text: string | null | undefined): number | undefined {
  if (!text) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Seconds from start to end; 0 unless both are known. */
export function secondsBetween(start: string | null | undefined, end: string | null | undefined): number {
  const from = timeOf(start);
  const to = timeOf(end);
  return from === undefined || to === undefined ? 0 : (to - from) / 1000;
}
