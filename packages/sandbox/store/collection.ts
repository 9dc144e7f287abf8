import type { KubeObject } from '@tiphys/kubernetes';
import type { WarmItems } from './warm-items.ts';

const APIVERSION = /^\{(?:"kind":"[^"]*",)?"apiVersion":"([^"\\]*)"/;

/** One object as it is at a revision. Items are never changed: a write makes a new one. */
export class Item {
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  readonly revision: number;
  readonly #warm: WarmItems;
  /** The object's text. */
  readonly json: string;
  #object: KubeObject | undefined;
  #apiVersion: string | undefined;
  #used = false;

  /** An item is made of its object, or of its text. */
  constructor(key: string, revision: number, content: KubeObject | string, warm: WarmItems) {
    this.key = key;
    this.revision = revision;
    this.#warm = warm;
    if (typeof content === 'string') {
      this.json = content;
      return;
    }
    this.json = JSON.stringify(content);
    this.#object = content;
    warm.add(this);
  }

  /** Not to be changed, and not always the same one: compare items instead. */
  get object(): KubeObject {
    this.#used = this.#object !== undefined;
    if (this.#object) return this.#object;
    this.#object = JSON.parse(this.json) as KubeObject;
    this.#warm.add(this);
    return this.#object;
  }

  /** The version that the object is stored in; known without reading the object. */
  get apiVersion(): string {
    this.#apiVersion ??= this.#object?.apiVersion ?? APIVERSION.exec(this.json)?.[1] ?? this.object.apiVersion;
    return this.#apiVersion;
  }

  /** Whether the object was used since this was asked last. */
  isUsed(): boolean {
    const used = this.#used;
    this.#used = false;
    return used;
  }

  /** Keeps the text alone. */
  pack(): void {
    this.#object = undefined;
    this.#used = false;
  }
}

/** One change: `item` is the state after it (the last state, for a deletion), `previous` the one before. */
export interface StoreEvent {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly item: Item;
  readonly previous: Item | undefined;
  /** Encoded watch frames by variant: an event is encoded once, however many watch. */
  frames?: Map<string, Buffer> | undefined;
}

/** How many of the last changes keep their encoded forms. */
const ENCODED = 500;

/** As many of the last changes stay, however long they are: who watches learns of each. */
const ALWAYS_KEPT = 64;

/**
 * All objects of one resource and the log of their changes. Reading at an older revision undoes the log backwards,
 * so that paged lists are consistent; what the log no longer holds is answered with `undefined`.
 */
export class Collection {
  readonly name: string;
  /** Revisions at or below this one can't be read or watched from. */
  compacted: number;
  readonly #items = new Map<string, Item>();
  #sorted: string[] | undefined = [];
  #events: StoreEvent[] = [];
  #weight = 0;
  #wake = new Set<() => void>();

  constructor(name: string, compacted: number) {
    this.name = name;
    this.compacted = compacted;
  }

  get size(): number {
    return this.#items.size;
  }

  get(key: string): Item | undefined {
    return this.#items.get(key);
  }

  /** Keys in byte order, as etcd has them. The array must not be changed. */
  keys(): readonly string[] {
    this.#sorted ??= [...this.#items.keys()].sort(compareKeys);
    return this.#sorted;
  }

  /** The object of one of `keys()`. */
  objectOf(key: string): KubeObject {
    return (this.#items.get(key) as Item).object;
  }

  /** Takes over items and the last changes that led to them, oldest first, from an earlier process. */
  load(items: Iterable<[string, Item]>, events: readonly StoreEvent[]): void {
    for (const [key, item] of items) this.#items.set(key, item);
    this.#sorted = undefined;
    this.#events = [...events];
    this.#weight = this.#events.reduce((sum, event) => sum + weightOf(event), 0);
  }

  record(event: StoreEvent): void {
    const { key } = event.item;
    if (event.type === 'DELETED') {
      this.#items.delete(key);
      const place = this.#place(key);
      if (this.#sorted?.[place] === key) this.#sorted.splice(place, 1);
    } else {
      if (!this.#items.has(key)) this.#insert(key);
      this.#items.set(key, event.item);
    }
    this.#events.push(event);
    this.#weight += weightOf(event);
    this.#forgetEncoded();
    const waiting = this.#wake;
    this.#wake = new Set();
    for (const wake of waiting) wake();
  }

  /** Items as they were at the revision, in key order; undefined when that is compacted. */
  at(revision: number): readonly Item[] | undefined {
    if (revision < this.compacted) return undefined;
    const first = this.#firstAfter(revision);
    if (first === this.#events.length) return this.keys().map((key) => this.#items.get(key) as Item);
    const then = new Map(this.#items);
    for (let index = this.#events.length - 1; index >= first; index--) {
      const { item, previous } = this.#events[index] as StoreEvent;
      if (previous) then.set(item.key, previous);
      else then.delete(item.key);
    }
    return [...then.values()].sort((a, b) => compareKeys(a.key, b.key));
  }

  /** Changes after the revision, oldest first, at most `limit`; undefined when some of them are compacted. */
  since(revision: number, limit = 1000): readonly StoreEvent[] | undefined {
    if (revision < this.compacted) return undefined;
    const first = this.#firstAfter(revision);
    return this.#events.slice(first, first + limit);
  }

  /** Calls back once at the next change; the result cancels. */
  onNextChange(wake: () => void): () => void {
    this.#wake.add(wake);
    return () => {
      this.#wake.delete(wake);
    };
  }

  /** Forgets the oldest changes beyond `keep`, and those before the last ones that weigh `weight` together. */
  compact(keep: number, weight = Number.POSITIVE_INFINITY): void {
    const events = this.#events;
    let first = events.length;
    let kept = 0;
    for (; first > 0 && events.length - first < keep; first--) {
      const more = kept + weightOf(events[first - 1] as StoreEvent);
      if (more > weight && events.length - first >= ALWAYS_KEPT) break;
      kept = more;
    }
    if (first === 0) return;
    this.compacted = (events[first - 1] as StoreEvent).revision;
    this.#events = events.slice(first);
    this.#weight = kept;
  }

  /** Characters of the texts that nothing but the log of changes holds. */
  get weight(): number {
    return this.#weight;
  }

  get logged(): number {
    return this.#events.length;
  }

  /** Watchers are seldom far behind: what is older is encoded, and read, again when it is wanted. */
  #forgetEncoded(): void {
    const old = this.#events[this.#events.length - 1 - ENCODED];
    if (!old) return;
    old.frames = undefined;
    old.previous?.pack();
    if (old.type === 'DELETED') old.item.pack();
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as StoreEvent).revision > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #insert(key: string): void {
    this.#sorted?.splice(this.#place(key), 0, key);
  }

  /** Where the key is among the sorted ones, or belongs. */
  #place(key: string): number {
    const sorted = this.#sorted ?? [];
    const last = sorted[sorted.length - 1];
    if (last === undefined || compareKeys(last, key) < 0) return sorted.length;
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(sorted[middle] as string, key) >= 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** What an event holds that is no part of the present state. */
function weightOf({ type, item, previous }: StoreEvent): number {
  return (previous?.json.length ?? 0) + (type === 'DELETED' ? item.json.length : 0);
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
