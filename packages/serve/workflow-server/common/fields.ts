import { invalidArgument } from '@tiphys/server';

type Json = Record<string, unknown>;

/** Each of them is compared with every field of what is answered. */
const most = 1_000;

/** What a caller wants of an answer: `a.b,c`, or everything but that with `-` in front. */
export class FieldChoice {
  readonly #fields: ReadonlySet<string>;
  readonly #excludes: boolean;

  /** Throws InvalidArgument for too many. `prefix` stands in front of the fields that clients name, and is not part of what is chosen from. */
  constructor(text: string | undefined, prefix = '') {
    const all = text ?? '';
    this.#excludes = all.startsWith('-');
    const names = (this.#excludes ? all.slice(1) : all).split(',').filter(Boolean);
    if (names.length > most) throw invalidArgument(`fields names more than ${most} fields`);
    this.#fields = new Set(names.map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name)));
  }

  /** True if a field will not be in the answer, so that it need not be read. */
  leavesOut(field: string): boolean {
    if (this.#fields.size === 0) return false;
    const touched = [...this.#fields].some((name) => field.startsWith(name) || name.startsWith(field));
    return touched === this.#excludes;
  }

  /** The chosen part. */
  of<T>(value: T): T {
    return this.#fields.size === 0 ? value : (this.#part(value, '') as T);
  }

  #part(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#part(item, path));
    if (value === null || typeof value !== 'object') return value;
    const kept: Json = {};
    for (const [key, field] of Object.entries(value as Json)) {
      const own = path ? `${path}.${key}` : key;
      const isNamed = this.#fields.has(own);
      const leadsTo = isNamed || [...this.#fields].some((name) => name.startsWith(own));
      if (this.#excludes ? isNamed : !leadsTo) continue;
      kept[key] = isNamed ? field : this.#part(field, own);
    }
    return kept;
  }
}
