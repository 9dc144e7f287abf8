import type { ObjectType } from '../schema/object-type.ts';
import { canonicalElement, compareElements, describeElement, type PathElement } from './path-element.ts';

export type FieldsV1 = { [element: string]: FieldsV1 };

interface Entry {
  /** Whether the field itself belongs to the set; what is below it may belong without it. */
  member: boolean;
  below: FieldSet | undefined;
}

const decoded = new WeakMap<FieldsV1, FieldSet>();
const encoded = new WeakMap<FieldSet, FieldsV1>();

/**
 * A set of paths into an object. Sets that are handed out are never changed: operations give new ones, and give the
 * same one back when nothing changes.
 */
export class FieldSet {
  static readonly empty: FieldSet = new FieldSet();
  readonly #entries = new Map<PathElement, Entry>();

  /** The set that a `fieldsV1` says; the object must not be changed afterwards. Throws for what is no fieldsV1. */
  static decode(fields: FieldsV1): FieldSet {
    let set = decoded.get(fields);
    if (!set) {
      set = new FieldSet();
      set.#read(fields);
      decoded.set(fields, set);
      encoded.set(set, fields);
    }
    return set;
  }

  /** A set of paths given by field names: `of(['status'], ['metadata', 'labels'])`. */
  static of(...paths: string[][]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path.map((name) => `f:${name}`));
    return set;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Adds the path; only for a set that nobody else has seen yet. The empty path is nobody's and is not added. */
  insert(path: readonly PathElement[], length = path.length): void {
    let set: FieldSet = this;
    for (let i = 0; i < length - 1; i++) set = set.#descend(path[i] as PathElement);
    const last = path[length - 1];
    if (length === 0 || last === undefined) return;
    const entry = set.#entries.get(last);
    if (entry) entry.member = true;
    else set.#entries.set(last, { member: true, below: undefined });
  }

  has(path: readonly PathElement[]): boolean {
    let set: FieldSet | undefined = this;
    for (let i = 0; i < path.length - 1; i++) set = set?.below(path[i] as PathElement);
    const last = path.at(-1);
    return last !== undefined && (set?.hasElement(last) ?? false);
  }

  hasElement(element: PathElement): boolean {
    return this.#entries.get(element)?.member ?? false;
  }

  /** The set of what is below the element; undefined if nothing is. */
  below(element: PathElement): FieldSet | undefined {
    return this.#entries.get(element)?.below;
  }

  *elements(): Generator<{ element: PathElement; member: boolean; below: FieldSet | undefined }> {
    for (const [element, { member, below }] of this.#entries) yield { element, member, below };
  }

  union(other: FieldSet): FieldSet {
    if (other === this || other.isEmpty) return this;
    if (this.isEmpty) return other;
    const result = new FieldSet();
    for (const [element, entry] of this.#entries) {
      const theirs = other.#entries.get(element);
      const below = entry.below && theirs?.below ? entry.below.union(theirs.below) : (entry.below ?? theirs?.below);
      result.#put(element, entry.member || (theirs?.member ?? false), below);
    }
    for (const [element, entry] of other.#entries) {
      if (!this.#entries.has(element)) result.#put(element, entry.member, entry.below);
    }
    return result;
  }

  intersection(other: FieldSet): FieldSet {
    if (other === this) return this;
    const [small, large] = this.#entries.size <= other.#entries.size ? [this, other] : [other, this];
    let result: FieldSet | undefined;
    for (const [element, entry] of small.#entries) {
      const theirs = large.#entries.get(element);
      if (!theirs) continue;
      const below = entry.below && theirs.below ? entry.below.intersection(theirs.below) : undefined;
      const member = entry.member && theirs.member;
      if (!member && (!below || below.isEmpty)) continue;
      result ??= new FieldSet();
      result.#put(element, member, below);
    }
    return result ?? FieldSet.empty;
  }

  /** What is in this set and not in the other; a field that is removed leaves what is below it. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, false);
  }

  /** Like `difference`, but a field that is removed takes with it all that is below. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#without(other, true);
  }

  equals(other: FieldSet): boolean {
    if (other === this) return true;
    if (this.#entries.size !== other.#entries.size) return false;
    for (const [element, { member, below }] of this.#entries) {
      const theirs = other.#entries.get(element);
      if (!theirs || theirs.member !== member) return false;
      if (!(below ?? FieldSet.empty).equals(theirs.below ?? FieldSet.empty)) return false;
    }
    return true;
  }

  /**
   * The set with the declared fields above its members added: `a.b.c` gains `a` and `a.b` where these are fields of the
   * schema, but not the keys of maps or items of lists.
   */
  withNamedFields(type: ObjectType | undefined): FieldSet {
    const result = new FieldSet();
    for (const [element, { member, below }] of this.#entries) {
      const isField = element.startsWith('f:');
      const field = isField ? type?.map?.fields.get(element.slice(2)) : undefined;
      let child: ObjectType | undefined;
      if (isField) child = field?.type ?? type?.map?.element;
      else if (element.startsWith('k:')) child = type?.list?.element;
      result.#put(element, member || (below !== undefined && field !== undefined), below?.withNamedFields(child));
    }
    return result;
  }

  /** Every path of the set, a field before what is below it. The array is the caller's. */
  *paths(prefix: readonly PathElement[] = []): Generator<PathElement[]> {
    const entries = this.#sorted();
    for (const [element, { member }] of entries) if (member) yield [...prefix, element];
    for (const [element, { below }] of entries) if (below) yield* below.paths([...prefix, element]);
  }

  /** The `fieldsV1` of the set; shared with others, so treat it as read-only. */
  encode(): FieldsV1 {
    let fields = encoded.get(this);
    if (!fields) {
      fields = this.#write(false);
      encoded.set(this, fields);
      decoded.set(fields, this);
    }
    return fields;
  }

  toString(): string {
    return [...this.paths()].map(describePath).join('\n');
  }

  #read(fields: FieldsV1): void {
    for (const [key, inner] of Object.entries(fields)) {
      if (key === '.') continue;
      const names = Object.keys(inner);
      const below = names.length > 1 || (names.length === 1 && names[0] !== '.') ? new FieldSet() : undefined;
      if (below) below.#read(inner);
      this.#entries.set(canonicalElement(key), { member: below === undefined || '.' in inner, below });
    }
  }

  #write(self: boolean): FieldsV1 {
    const fields: FieldsV1 = self ? { '.': {} } : {};
    for (const [element, { member, below }] of this.#sorted()) fields[element] = below ? below.#write(member) : {};
    return fields;
  }

  #sorted(): [PathElement, Entry][] {
    const entries = [...this.#entries];
    return entries.length > 1 ? entries.sort(([a], [b]) => compareElements(a, b)) : entries;
  }

  #without(other: FieldSet, recursive: boolean): FieldSet {
    if (this.isEmpty || other.isEmpty) return this;
    let changed = false;
    const result = new FieldSet();
    for (const [element, entry] of this.#entries) {
      const theirs = other.#entries.get(element);
      if (!theirs) {
        result.#entries.set(element, entry);
        continue;
      }
      const member = entry.member && !theirs.member;
      let { below } = entry;
      if (recursive && theirs.member) below = undefined;
      else if (below && theirs.below) below = below.#without(theirs.below, recursive);
      if (member === entry.member && below === entry.below) result.#entries.set(element, entry);
      else {
        changed = true;
        result.#put(element, member, below);
      }
    }
    return changed ? result : this;
  }

  #put(element: PathElement, member: boolean, below: FieldSet | undefined): void {
    const kept = below?.isEmpty ? undefined : below;
    if (member || kept) this.#entries.set(element, { member, below: kept });
  }

  #descend(element: PathElement): FieldSet {
    let entry = this.#entries.get(element);
    if (!entry) {
      entry = { member: false, below: undefined };
      this.#entries.set(element, entry);
    }
    entry.below ??= new FieldSet();
    return entry.below;
  }
}

/** `.spec.containers[name="web"].image` */
export function describePath(path: readonly PathElement[]): string {
  return path.map(describeElement).join('');
}
