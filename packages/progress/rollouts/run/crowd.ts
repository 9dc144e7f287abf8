/** A Rollout counts for this long after something of it changed, in milliseconds. */
const memory = 30_000;
/** With no more Rollouts than these, everything is reported as it happens: people and pipelines look at it. */
const few = 50;

/** The more Rollouts change, the longer what is told of each may wait: at most so many times as with few. */
const most = 6;

/** How many Rollouts change at about the same time, so that what is told of each may wait for more. */
export class Crowd {
  /** When each Rollout last changed, the last one at the end. */
  readonly #changed = new Map<string, number>();

  /** Notes that a Rollout changes. Gives 0 while few do, else how many times as many do, at most six. */
  note(rollout: string, now: number): number {
    this.#changed.delete(rollout);
    this.#changed.set(rollout, now);
    for (const [each, at] of this.#changed) {
      if (now - at < memory) break;
      this.#changed.delete(each);
    }
    const { size } = this.#changed;
    return size > few ? Math.min(Math.floor(size / few), most) : 0;
  }
}
