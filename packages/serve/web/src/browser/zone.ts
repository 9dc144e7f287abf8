import { currentLanguage } from '../i18n/texts.ts';

const storageKey = 'tiphys.zone';

let chosen = '';

/** The zone that was chosen; empty for the browser's own. */
export const chosenZone = () => chosen;

/** The zone in which the page tells times. */
export const currentZone = () => chosen || Intl.DateTimeFormat().resolvedOptions().timeZone;

/** All zones, the one first that teams share. */
export const zones = () => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** Tells times in a zone from now on; one that the browser does not know is its own. */
export function tellIn(zone: string): void {
  chosen = isZone(zone) ? zone : '';
  formats.clear();
}

/** The zone that this browser's user chose before. */
export function loadZone(): void {
  tellIn(localStorage.getItem(storageKey) ?? '');
}

/** Remembers a zone; the page is loaded anew with it. */
export function chooseZone(zone: string): void {
  localStorage.setItem(storageKey, zone);
  window.location.reload();
}

function isZone(zone: string): boolean {
  try {
    return zone !== '' && Intl.DateTimeFormat(undefined, { timeZone: zone }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

type Time = number | string | Date;

/** A time in the chosen zone and the page's language, as the browser's country writes it; by default to the minute. Empty for what is no time. */
export function formatTime(
  time: Time,
  options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' },
): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '';
  return formatOf(localeOf(currentLanguage()), options).format(date);
}

/** Date and time to the second. */
export const exactTime = (time: Time) => formatTime(time, { dateStyle: 'medium', timeStyle: 'medium' });

/** The time of the day to the second. */
export const clockTime = (time: Time) => formatTime(time, { timeStyle: 'medium' });

/** Milliseconds by which clocks of the chosen zone are ahead of UTC at a time. */
export function zoneOffset(at: number): number {
  const format = formatOf('en-US', {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const there = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return there - Math.floor(at / 1000) * 1000;
}

function localeOf(language: string): string {
  const own = globalThis.navigator?.languages ?? [];
  return own.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language;
}

function formatOf(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const known =
    formats.get(key) ?? new Intl.DateTimeFormat(language, { ...options, ...(chosen ? { timeZone: chosen } : {}) });
  formats.set(key, known);
  return known;
}
