import type { Diagnosis } from '@tiphys/diagnosis';

const most = 20;

/** What does not work in something that runs, by a name of its part; the last failure of a part stays until the part works again. */
export class Troubles {
  readonly #known = new Map<string, Diagnosis>();
  readonly #changed: () => void;

  /** `changed` is called when there is something else to tell. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  set(part: string, diagnosis: Diagnosis): void {
    const before = this.#known.get(part);
    if (before?.code === diagnosis.code && before.message === diagnosis.message) return;
    if (!before && this.#known.size >= most) return;
    this.#known.set(part, diagnosis);
    this.#changed();
  }

  clear(part: string): void {
    if (this.#known.delete(part)) this.#changed();
  }

  list(): Diagnosis[] {
    return [...this.#known.values()];
  }
}
