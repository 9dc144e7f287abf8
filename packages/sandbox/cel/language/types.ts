/** The type of an expression, as the checker knows it. */
export type Type =
  | { readonly kind: 'simple'; readonly name: string }
  | { readonly kind: 'list'; readonly element: Type }
  | { readonly kind: 'map'; readonly key: Type; readonly value: Type }
  | { readonly kind: 'opaque'; readonly name: string; readonly parameters: readonly Type[] }
  | { readonly kind: 'object'; readonly name: string; readonly fields: ReadonlyMap<string, Type> }
  | { readonly kind: 'parameter'; readonly name: string };

const simple = (name: string): Type => ({ kind: 'simple', name });

export const BOOL = simple('bool');
export const INT = simple('int');
export const UINT = simple('uint');
export const DOUBLE = simple('double');
export const STRING = simple('string');
export const BYTES = simple('bytes');
export const NULL = simple('null');
export const DYN = simple('dyn');
export const TIMESTAMP = simple('timestamp');
export const DURATION = simple('duration');
/** The type of what could not be typed: fits everywhere, so that one mistake is reported once. */
export const ERROR = simple('!error!');

const SIMPLE = new Map(
  [BOOL, INT, UINT, DOUBLE, STRING, BYTES, NULL, DYN, TIMESTAMP, DURATION].map((type) => [
    type.kind === 'simple' ? type.name : '',
    type,
  ]),
);

export const listOf = (element: Type): Type => ({ kind: 'list', element });
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', key, value });
export const opaque = (name: string, ...parameters: Type[]): Type => ({ kind: 'opaque', name, parameters });
/** The type of `type(x)`. */
export const typeOf = (value: Type): Type => opaque('type', value);
export const optionalOf = (value: Type): Type => opaque('optional_type', value);

export function isOptional(type: Type): type is Type & { kind: 'opaque' } {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** Reads a type as signatures write it: `list<A>`, `map<string, dyn>`, `kubernetes.Quantity`. */
export function parseType(text: string): Type {
  const trimmed = text.trim();
  const open = trimmed.indexOf('<');
  if (open < 0) {
    if (/^[A-Z]$/.test(trimmed)) return { kind: 'parameter', name: trimmed };
    return SIMPLE.get(trimmed) ?? opaque(trimmed);
  }
  const name = trimmed.slice(0, open);
  const parameters = splitTypes(trimmed.slice(open + 1, -1)).map(parseType);
  if (name === 'list') return listOf(parameters[0] as Type);
  if (name === 'map') return mapOf(parameters[0] as Type, parameters[1] as Type);
  return opaque(name, ...parameters);
}

/** Splits at commas outside of angle brackets. */
export function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const character = text[index];
    if (character === '<') depth += 1;
    else if (character === '>') depth -= 1;
    else if ((character === ',' && depth === 0) || character === undefined) {
      const part = text.slice(start, index).trim();
      if (part) parts.push(part);
      start = index + 1;
    }
  }
  return parts;
}

/** A type as messages print it. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `list(${formatType(type.element)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case 'opaque':
      return type.parameters.length ? `${type.name}(${type.parameters.map(formatType).join(', ')})` : type.name;
    default:
      return type.name;
  }
}

/** What type parameters stand for in one expression. */
export type Substitution = Map<string, Type>;

/** A type with the parameters that are known put in; unknown ones are dyn when `final`. */
export function substitute(type: Type, known: Substitution, final = false): Type {
  switch (type.kind) {
    case 'parameter': {
      const found = known.get(type.name);
      return found ? substitute(found, known, final) : final ? DYN : type;
    }
    case 'list':
      return listOf(substitute(type.element, known, final));
    case 'map':
      return mapOf(substitute(type.key, known, final), substitute(type.value, known, final));
    case 'opaque':
      return opaque(type.name, ...type.parameters.map((parameter) => substitute(parameter, known, final)));
    default:
      return type;
  }
}

/** Types that fit everywhere. */
export const isAny = (type: Type): boolean => type === DYN || type === ERROR;

/** Whether two types are the same, whatever their type parameters are called. */
export function sameType(a: Type, b: Type): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'list') return sameType(a.element, (b as typeof a).element);
  if (a.kind === 'map') return sameType(a.key, (b as typeof a).key) && sameType(a.value, (b as typeof a).value);
  if (a.kind === 'parameter') return true;
  if (a.name !== (b as typeof a).name) return false;
  if (a.kind !== 'opaque') return true;
  const others = (b as typeof a).parameters;
  return a.parameters.length === others.length && a.parameters.every((one, at) => sameType(one, others[at] as Type));
}

/** The one of two types that fit each other that says less. */
export function moreGeneral(a: Type, b: Type): Type {
  return saysLess(a, b) ? a : b;
}

function saysLess(a: Type, b: Type): boolean {
  if (isAny(a) || a.kind === 'parameter') return true;
  if (isAny(b) || b.kind === 'parameter' || a.kind !== b.kind) return false;
  if (a.kind === 'list') return saysLess(a.element, (b as typeof a).element);
  if (a.kind === 'map') return saysLess(a.key, (b as typeof a).key) && saysLess(a.value, (b as typeof a).value);
  if (a.kind !== 'opaque') return sameType(a, b);
  const others = (b as typeof a).parameters;
  return a.name === (b as typeof a).name && a.parameters.every((one, at) => saysLess(one, others[at] as Type));
}

const NULLABLE = new Set(['timestamp', 'duration', 'null', 'dyn']);

/** Whether a value of type `from` fits where `to` is wanted; learns type parameters in `known`. */
export function assignable(from: Type, to: Type, known: Substitution): boolean {
  const source = substitute(from, known);
  const target = substitute(to, known);
  if (target.kind === 'parameter')
    return source.kind === 'parameter' && source.name === target.name ? true : learn(target.name, source, known);
  if (source.kind === 'parameter') return learn(source.name, target, known);
  if (isAny(source) || isAny(target)) return true;
  if (source === NULL || target === NULL) {
    const other = source === NULL ? target : source;
    return other.kind === 'object' || other.kind === 'opaque' || (other.kind === 'simple' && NULLABLE.has(other.name));
  }
  if (source.kind !== target.kind) return false;
  if (source.kind === 'list' && target.kind === 'list') return assignable(source.element, target.element, known);
  if (source.kind === 'map' && target.kind === 'map')
    return assignable(source.key, target.key, known) && assignable(source.value, target.value, known);
  if (source.kind === 'opaque' && target.kind === 'opaque')
    return source.name === 'type'
      ? target.name === 'type'
      : source.name === target.name &&
          source.parameters.length === target.parameters.length &&
          source.parameters.every((parameter, index) => assignable(parameter, target.parameters[index] as Type, known));
  return (source as { name: string }).name === (target as { name: string }).name;
}

function learn(name: string, type: Type, known: Substitution): boolean {
  if (mentions(type, name, known)) return false;
  known.set(name, type);
  return true;
}

function mentions(type: Type, name: string, known: Substitution): boolean {
  switch (type.kind) {
    case 'parameter': {
      const found = known.get(type.name);
      return type.name === name || (found !== undefined && mentions(found, name, known));
    }
    case 'list':
      return mentions(type.element, name, known);
    case 'map':
      return mentions(type.key, name, known) || mentions(type.value, name, known);
    case 'opaque':
      return type.parameters.some((parameter) => mentions(parameter, name, known));
    default:
      return false;
  }
}
