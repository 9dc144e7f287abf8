/** A Rollout counts for this long after something of it changed, in milliseconds. */
const memory = 30_000;
/** With no more Rollouts than these, everything is reported as it happens: people and pipelines look at it. */
const few = 50;

/** Whether many Rollouts change at about the same time, so that what is told of each may wait for more. */
export class Crowd {
  /** When each Rollout last changed, the last one at the end. */
  readonly #changed = new Map<string, number>();

  /** Notes that a Rollout changes; true while many do. */
  note(rollout: string, now: number): boolean {
    this.#changed.delete(rollout);
    this.#changed.set(rollout, now);
    for (const [each, at] of this.#changed) {
      if (now - at < memory) break;
      this.#changed.delete(each);
    }
    return this.#changed.size > few;
  }
}
