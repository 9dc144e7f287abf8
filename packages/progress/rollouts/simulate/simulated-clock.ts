import type { Clock } from '@tiphys/kubernetes';

/** Time that passes only by `advanceTo`. Nobody sleeps in a simulation: anyone who waits says until when. */
export class SimulatedClock implements Clock {
  #now: number;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  async sleep(): Promise<void> {
    throw new Error('nobody may sleep in a simulation');
  }

  advanceTo(time: number): void {
    this.#now = Math.max(this.#now, time);
  }
}
