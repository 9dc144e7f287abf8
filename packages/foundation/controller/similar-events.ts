/** What several Events of an object have become, told by one that is written again with each further one. */
export interface CombinedEvent {
  /** How many it tells of, those included that still wait. */
  count: number;
  /** When the first of them was, in milliseconds. */
  readonly since: number;
  /** Name of the Event that was written; undefined while none was. */
  name?: string | undefined;
}

interface Similar {
  readonly messages: Set<string>;
  last: number;
  combined?: CombinedEvent | undefined;
}

/** So many sentences of one reason are told by themselves, less one, as client-go does. */
const most = 10;
/** Sentences that are further apart, in milliseconds, are not of one run. */
const interval = 600_000;
/** Of how many objects and reasons it is remembered; those that were told of the longest ago are forgotten. */
const capacity = 2_000;

/** Finds what is said too often of one object to have an Event each: sentences of one reason of which only the words differ. */
export class SimilarEvents {
  readonly #known = new Map<string, Similar>();

  /** What a sentence is to be told by; undefined for one that has an Event of its own. `key`: object, type and reason. */
  combine(key: string, message: string, now: number): CombinedEvent | undefined {
    const before = this.#known.get(key);
    const similar: Similar =
      before && now - before.last <= interval ? before : { messages: new Set<string>(), last: now };
    similar.last = now;
    this.#known.delete(key);
    this.#known.set(key, similar);
    if (this.#known.size > capacity) this.#known.delete(this.#known.keys().next().value as string);
    if (similar.messages.size < most) similar.messages.add(message);
    if (similar.messages.size < most) return undefined;
    similar.messages.delete(message);
    similar.combined ??= { count: 0, since: now };
    similar.combined.count += 1;
    return similar.combined;
  }
}
