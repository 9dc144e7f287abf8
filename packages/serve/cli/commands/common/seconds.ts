import type { Command } from 'commander';

const units = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Seconds of `90s`, `12h`, `7d`, and sums of them such as `1d12h`; a number alone is seconds. Ends the command for anything else. */
export function secondsOf(own: Command, text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const parts = [...text.slice(0, 100).matchAll(/(\d{1,12})([smhdw])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    return own.error(`error: ${JSON.stringify(text)} is no duration: use a number and s, m, h, d or w, as in 12h`);
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit as keyof typeof units], 0);
}
