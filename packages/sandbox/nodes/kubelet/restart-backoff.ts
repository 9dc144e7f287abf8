const first = 10_000;
const longest = 300_000;
/** A container that ran that long starts its back-off anew. */
const healthyRun = 600_000;

/** How long a container that ended waits until it is started again: twice as long each time, up to five minutes. */
export class RestartBackoff {
  #inRow: number;
  /** It was ended by the node itself at least once. */
  #spared = false;

  /** `inRow`: how often it was restarted so far. */
  constructor(inRow = 0) {
    this.#inRow = inRow;
  }

  /**
   * Milliseconds after an end. The first restart follows at once; one that the node itself brings about is not even
   * counted the first time.
   */
  next({ startedAt, endedAt, byNode }: { startedAt: number; endedAt: number; byNode: boolean }): number {
    if (endedAt - startedAt >= healthyRun && startedAt > 0) this.#inRow = 0;
    const row = this.#inRow;
    if (row > 0 || !byNode || this.#spared) this.#inRow += 1;
    this.#spared ||= byNode;
    return row === 0 ? 0 : Math.min(first * 2 ** Math.min(row - 1, 10), longest);
  }
}
