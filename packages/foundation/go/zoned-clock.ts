/** What a clock on the wall shows, to the minute. */
export interface WallTime {
  readonly year: number;
  /** From 1 on. */
  readonly month: number;
  readonly day: number;
  /** From 0, which is Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

const secondsOfDay = 86_400;
const mostDays = 4096;

/** The wall clock of a time zone of IANA. Times are seconds since the epoch. */
export class ZonedClock {
  readonly #format: Intl.DateTimeFormat | undefined;
  /** What the zone is ahead of UTC on days on which that does not change: to ask for it costs as much as a hundred steps. */
  readonly #days = new Map<number, number | undefined>();

  /** Throws a RangeError for a zone that the runtime does not know. */
  constructor(timeZone: string) {
    if (timeZone === 'UTC') return;
    this.#format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  }

  at(time: number): WallTime {
    const shown = new Date((time + this.#offset(time)) * 1000);
    return {
      year: shown.getUTCFullYear(),
      month: shown.getUTCMonth() + 1,
      day: shown.getUTCDate(),
      weekday: shown.getUTCDay(),
      hour: shown.getUTCHours(),
      minute: shown.getUTCMinutes(),
    };
  }

  /**
   * The first moment of a day that comes after a time. It need not be midnight: clocks may jump over it, or over the whole day, and it
   * may come twice. Months and days beyond the last go on in the next.
   */
  startOf({ year, month, day }: Pick<WallTime, 'year' | 'month' | 'day'>, after: number): number {
    const shown = Date.UTC(year, month - 1, day) / 1000;
    const early = shown - this.#offset(shown - secondsOfDay);
    const late = shown - this.#offset(shown + secondsOfDay);
    const midnights = [early, late].filter((time) => time > after && time + this.#offset(time) === shown);
    return midnights.length > 0 ? Math.min(...midnights) : Math.max(early, after + 60);
  }

  #offset(time: number): number {
    if (!this.#format) return 0;
    const of = Math.floor(time / secondsOfDay);
    if (!this.#days.has(of)) {
      if (this.#days.size >= mostDays) this.#days.clear();
      const first = offsetBy(this.#format, of * secondsOfDay);
      this.#days.set(of, first === offsetBy(this.#format, (of + 1) * secondsOfDay) ? first : undefined);
    }
    return this.#days.get(of) ?? offsetBy(this.#format, time);
  }
}

function offsetBy(format: Intl.DateTimeFormat, time: number): number {
  return Date.parse(`${format.format(time * 1000).replace(' ', 'T')}Z`) / 1000 - time;
}
