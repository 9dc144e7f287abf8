/**
 * One step of a path into an object, in the form of fieldsV1: `f:name` a field, `k:{"name":"web"}` a list item by its
 * keys, `v:"x"` an item of a set, `i:0` an index. Two elements are the same step if and only if their texts are the same.
 */
export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The item with these keys; `keys` has the fields in the order of their names. */
export function keyElement(keys: Record<string, unknown>): PathElement {
  return `k:${encode(keys)}`;
}

export function valueElement(value: unknown): PathElement {
  return `v:${encode(value)}`;
}

/** JSON as Go writes it: `<`, `>`, `&` and line separators escaped, so that texts agree with those of other writers. */
function encode(value: unknown): string {
  const text = JSON.stringify(value);
  return /[<>&\u2028\u2029]/.test(text)
    ? text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text;
}

const canonical = new Map<string, string>();

/** The one text of an element that others may have written in another way. Throws for what is no element. */
export function canonicalElement(element: string): PathElement {
  const kind = element.slice(0, 2);
  if (kind === 'f:' || kind === 'i:') return element;
  const known = canonical.get(element);
  if (known) return known;
  let result: string;
  if (kind === 'k:') result = keyElement(sortedFields(JSON.parse(element.slice(2)) as Record<string, unknown>));
  else if (kind === 'v:') result = valueElement(JSON.parse(element.slice(2)));
  else throw new Error(`unknown path element type in ${JSON.stringify(element)}`);
  if (canonical.size >= 20_000) canonical.clear();
  canonical.set(element, result);
  return result;
}

export function sortedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** The fields and values of a `k:` element. */
export function elementKeys(element: PathElement): Record<string, unknown> {
  return JSON.parse(element.slice(2)) as Record<string, unknown>;
}

/** As messages of Kubernetes show it: `.spec`, `[name="web"]`, `[="x"]`, `[0]`. */
export function describeElement(element: PathElement): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('v:')) return `[=${rest}]`;
  if (element.startsWith('i:')) return `[${rest}]`;
  const keys = Object.entries(elementKeys(element)).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${keys.join(',')}]`;
}

const order = 'fkvi';

/** Order of elements in fieldsV1: fields, keys, values, indices. */
export function compareElements(a: PathElement, b: PathElement): number {
  const kinds = order.indexOf(a.charAt(0)) - order.indexOf(b.charAt(0));
  if (kinds !== 0) return kinds;
  if (a.startsWith('f:')) return a < b ? -1 : a > b ? 1 : 0;
  return compareValues(JSON.parse(a.slice(2)), JSON.parse(b.slice(2)));
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (isObject(a) && isObject(b)) return compareFields(a, b);
  return rank(a) - rank(b) || Number(a === true) - Number(b === true);
}

function compareFields(a: Record<string, unknown>, b: Record<string, unknown>): number {
  const left = Object.entries(a);
  const right = Object.entries(b);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [nameA, valueA] = left[i] as [string, unknown];
    const [nameB, valueB] = right[i] as [string, unknown];
    if (nameA !== nameB) return nameA < nameB ? -1 : 1;
    const values = compareValues(valueA, valueB);
    if (values !== 0) return values;
  }
  return left.length - right.length;
}

/** Numbers before strings before booleans before null, as structured-merge-diff orders values of different types. */
function rank(value: unknown): number {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return 1;
  return typeof value === 'boolean' ? 2 : 3;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
