/**
 * What a generator says of one application: names to values. With Go templates the values are nested as the generator has them;
 * without, all are strings and names are paths (`path.basename`, `metadata.labels.env`).
 */
export type Params = Record<string, unknown>;

/** Which element of which generator the parameters come from. */
export interface Origin {
  /** Path of the generator in the ApplicationSet, such as `spec.generators[0].matrix`. */
  readonly field: string;
  /** Kind of the generator: `list`, `git`, … */
  readonly generator: string;
  /** The element in the generator's own words: an index, a directory, a cluster, a pull request. */
  readonly element: string;
  /** The elements that a matrix or merge combined. */
  readonly parts?: readonly Origin[];
}

export interface Element {
  readonly params: Params;
  readonly origin: Origin;
}

/** Parameters without a prototype, so that a name from outside can be `__proto__`. */
export function newParams(from: Readonly<Params> = {}): Params {
  return Object.assign(Object.create(null), from) as Params;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
