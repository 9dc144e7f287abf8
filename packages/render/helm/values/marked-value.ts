import { GoValue, namedType, type Value, type ValueMap } from '@tiphys/template';

/** Where the value of a path was given: a file with its line, or an expression. */
export interface ValueOrigin {
  /** `values-prod.yaml`, `--set replicas=3`. */
  readonly source: string;
  /** 1-based; 0 for expressions. */
  readonly line: number;
}

const markedType = namedType('marked', { kind: 'struct', fields: [] });

/**
 * A scalar that remembers where it was given. Values of marked scalars go the same way as plain ones through merging,
 * coalescing and imports; what comes out tells which source each of them is from.
 */
export class MarkedValue extends GoValue {
  readonly type = markedType;
  /** Undefined where it only stands for the emptiness of a table or list. */
  readonly value: Value;
  readonly origin: ValueOrigin;

  constructor(value: Value, origin: ValueOrigin) {
    super();
    this.value = value;
    this.origin = origin;
  }
}

type Path = readonly (string | number)[];

/** Marks the scalars of values that are not marked yet. Nulls stay: they delete. */
export function marked(values: ValueMap, originOf: (path: Path) => ValueOrigin): ValueMap {
  return mark(values, [], originOf) as ValueMap;
}

function mark(value: Value, path: Path, originOf: (path: Path) => ValueOrigin): Value {
  if (value instanceof Map) {
    if (value.size === 0) return new Map([['', new MarkedValue(undefined, originOf(path))]]);
    return new Map([...(value as ValueMap)].map(([key, item]) => [key, mark(item, [...path, key], originOf)]));
  }
  if (Array.isArray(value) && value.length === 0) return [new MarkedValue(undefined, originOf(path))];
  if (Array.isArray(value)) return value.map((item, index) => mark(item, [...path, index], originOf));
  if (value === null || value === undefined || value instanceof MarkedValue) return value;
  return new MarkedValue(value, originOf(path));
}

/** A value without its mark. */
export function unmarked(value: Value): Value {
  return value instanceof MarkedValue ? value.value : value;
}
