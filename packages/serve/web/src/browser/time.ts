import { t } from '../i18n/texts.ts';
import { formatTime } from './zone.ts';

const steps: readonly [unit: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

/** `3m ago`; empty for no time. */
export function ago(time: string | undefined, now: number): string {
  if (!time) return '';
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 2) return t('just now');
  const [unit, size] = steps.find(([, limit]) => seconds >= limit) ?? ['s', 1];
  return t('{time} ago', { time: `${Math.floor(seconds / size)}${unit}` });
}

/** `1m 4s` between two times. */
export function span(from: string | undefined, to: string | undefined): string {
  if (!from || !to) return '';
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}

/** The date and time of seconds since 1970, in the page's zone. */
export function day(seconds: string | number | undefined): string {
  const value = Number(seconds ?? 0);
  return value > 0 ? formatTime(value * 1000) : '–';
}
