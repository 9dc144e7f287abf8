import type { Generation } from '../../recorder/recorder.ts';
import type { Place } from './place.ts';

/** A step of a path below the data. */
export type Step = string | number;

/** Where a value came from: a path below the template's data, or a generation. */
export type Origin = DataOrigin | GeneratedOrigin;

/**
 * What of a place was used: the value there; the name of its last step (the key variable of a `range`, `keys`); or that
 * there was nothing, so that something else stands in for it (`default`).
 */
export type OriginRole = 'value' | 'key' | 'empty';

/** A place below the data of a template. There is one object for each place, so that equal ones are the same. */
export class DataOrigin {
  readonly kind = 'data';
  /** What the caller of the execution called the data; tells the data of subcharts apart. */
  readonly scope: string;
  readonly parent: DataOrigin | undefined;
  readonly step: Step;
  readonly role: OriginRole;
  /** What stands at this place. */
  readonly source: Source;
  #children: Map<Step, DataOrigin> | undefined;
  #roles: Partial<Record<OriginRole, DataOrigin>> | undefined;

  constructor(scope: string, parent?: DataOrigin, step: Step = '', role: OriginRole = 'value') {
    this.scope = scope;
    this.parent = parent;
    this.step = step;
    this.role = role;
    this.source = new Source([this], [], { exact: role === 'value' });
  }

  child(step: Step): DataOrigin {
    this.#children ??= new Map();
    let child = this.#children.get(step);
    if (!child) {
      child = new DataOrigin(this.scope, this, step);
      this.#children.set(step, child);
    }
    return child;
  }

  /** This place in another role. */
  as(role: OriginRole): DataOrigin {
    if (role === this.role) return this;
    this.#roles ??= {};
    this.#roles[role] ??= new DataOrigin(this.scope, this.parent, this.step, role);
    return this.#roles[role];
  }

  /** Keys and indexes from the data on: `['Values', 'image', 'tag']`. */
  get path(): readonly Step[] {
    return this.parent ? [...this.parent.path, this.step] : [];
  }
}

/** A value that was generated, or a field of it. */
export class GeneratedOrigin {
  readonly kind = 'generated';
  readonly generation: Generation;
  /** `Cert` or `Key`; undefined for the whole. */
  readonly field: string | undefined;
  #fields: Map<string, GeneratedOrigin> | undefined;

  constructor(generation: Generation, field?: string) {
    this.generation = generation;
    this.field = field;
  }

  child(field: string): GeneratedOrigin {
    if (this.field !== undefined) return this;
    this.#fields ??= new Map();
    let child = this.#fields.get(field);
    if (!child) {
      child = new GeneratedOrigin(this.generation, field);
      this.#fields.set(field, child);
    }
    return child;
  }
}

/** What a value, or a stretch of a text, is made of. Immutable. */
export class Source {
  readonly origins: readonly Origin[];
  /** Functions that made the value from its origins, innermost first. */
  readonly via: readonly string[];
  /** Where a template wrote it; undefined as long as none has. */
  readonly place: Place | undefined;
  /** The value stands at its one origin: what it contains stands below that. */
  readonly exact: boolean;
  /** Text of the template itself; `place` is where it begins. */
  readonly isText: boolean;
  #through: Map<string, Source> | undefined;
  /** The last that was made. */
  #placed: Source | undefined;

  constructor(
    origins: readonly Origin[],
    via: readonly string[],
    more: { readonly place?: Place | undefined; readonly exact?: boolean; readonly isText?: boolean } = {},
  ) {
    this.origins = origins;
    this.via = via;
    this.place = more.place;
    this.exact = more.exact ?? false;
    this.isText = more.isText ?? false;
  }

  /** What it contains under a key; `isStruct` if it is a struct, of which generated values keep the field apart. */
  child(key: Step, isStruct: boolean): Source {
    const [first] = this.origins;
    if (this.exact && first?.kind === 'data') return first.child(key).source;
    if (!isStruct || !this.origins.some(({ kind }) => kind === 'generated')) return this;
    return new Source(
      this.origins.map((origin) => (origin.kind === 'generated' ? origin.child(String(key)) : origin)),
      this.via,
    );
  }

  /** The same after a function. Text of templates stays what it is. */
  through(name: string): Source {
    if (this.origins.length === 0) return this;
    this.#through ??= new Map();
    let made = this.#through.get(name);
    if (!made) {
      const via = this.via.includes(name) ? this.via : [...this.via, name];
      made = new Source(this.origins, via, { place: this.place });
      this.#through.set(name, made);
    }
    return made;
  }

  /** The same, written at a place; what was written before stays where it was. */
  placed(place: Place): Source {
    if (this.place) return this;
    if (this.#placed?.place !== place) this.#placed = new Source(this.origins, this.via, { place });
    return this.#placed;
  }
}

/** One source for what is made of all of them. */
export function unite(sources: Iterable<Source | undefined>): Source | undefined {
  let first: Source | undefined;
  let origins: Set<Origin> | undefined;
  let via: Set<string> | undefined;
  for (const source of sources) {
    if (!source || source === first || source.origins.length === 0) continue;
    if (!first) {
      first = source;
      continue;
    }
    origins ??= new Set(first.origins);
    via ??= new Set(first.via);
    for (const origin of source.origins) origins.add(origin);
    for (const name of source.via) via.add(name);
  }
  if (origins && via) return new Source([...origins], [...via]);
  return first?.place ? new Source(first.origins, first.via) : first;
}

/** A scalar that stands in for values that were asked for before it and were empty. */
export function standIn(source: Source | undefined, asked: readonly (Source | undefined)[]): Source | undefined {
  const empty = asked.flatMap((one) => {
    const [origin] = one?.origins ?? [];
    return one?.exact && origin?.kind === 'data' ? [origin.as('empty')] : [];
  });
  if (empty.length === 0) return source;
  return new Source([...(source?.origins ?? []), ...empty], source?.via ?? [], { place: source?.place });
}
