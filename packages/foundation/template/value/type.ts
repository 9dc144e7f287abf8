import type { FunctionSpec } from './function-spec.ts';

/** Go's reflect.Kind, as `kindOf` prints it. */
export type Kind =
  | 'invalid'
  | 'bool'
  | 'int'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'uintptr'
  | 'float32'
  | 'float64'
  | 'complex128'
  | 'array'
  | 'func'
  | 'interface'
  | 'map'
  | 'ptr'
  | 'slice'
  | 'string'
  | 'struct';

/** A Go type. Two types are the same type if they are the same object: use the constants and the constructors here. */
export interface GoType {
  /** As `%T` prints it: `map[string]interface {}`, `*semver.Version`. */
  readonly name: string;
  readonly kind: Kind;
  /** Of slices, arrays, maps and pointers. */
  readonly elem?: GoType;
  /** Of maps. */
  readonly key?: GoType;
  /** True for a declared type: it is not identical to its underlying type. */
  readonly named: boolean;
  /** Callable from templates. The first argument that the implementation gets is the receiver. */
  readonly methods?: ReadonlyMap<string, FunctionSpec>;
  /** Of structs: exported and unexported field names in order of declaration; unexported ones start with a small letter. */
  readonly fields?: readonly string[];
}

const basic = (kind: Kind, name: string = kind): GoType => Object.freeze({ name, kind, named: false });

export const anyType = basic('interface', 'interface {}');
export const errorInterface = basic('interface', 'error');
export const boolType = basic('bool');
export const stringType = basic('string');
export const intType = basic('int');
export const int8Type = basic('int8');
export const int16Type = basic('int16');
export const int32Type = basic('int32');
export const int64Type = basic('int64');
export const uintType = basic('uint');
export const uint8Type = basic('uint8');
export const uint16Type = basic('uint16');
export const uint32Type = basic('uint32');
export const uint64Type = basic('uint64');
export const float32Type = basic('float32');
export const float64Type = basic('float64');
export const complexType = basic('complex128');
/** The parameter type of functions that take and return any value without converting it. */
export const reflectValueType: GoType = Object.freeze({ name: 'reflect.Value', kind: 'struct', named: true });

const slices = new Map<GoType, GoType>();
const pointers = new Map<GoType, GoType>();
const maps = new Map<GoType, Map<GoType, GoType>>();

/** `[]elem`. */
export function sliceOf(elem: GoType): GoType {
  let type = slices.get(elem);
  if (!type) {
    type = Object.freeze({ name: `[]${elem.name}`, kind: 'slice', elem, named: false });
    slices.set(elem, type);
  }
  return type;
}

/** `map[key]elem`. */
export function mapOf(key: GoType, elem: GoType): GoType {
  let byElem = maps.get(key);
  if (!byElem) {
    byElem = new Map();
    maps.set(key, byElem);
  }
  let type = byElem.get(elem);
  if (!type) {
    type = Object.freeze({ name: `map[${key.name}]${elem.name}`, kind: 'map', key, elem, named: false });
    byElem.set(elem, type);
  }
  return type;
}

/** `*elem`. Its methods are those of `elem`. */
export function pointerTo(elem: GoType): GoType {
  let type = pointers.get(elem);
  if (!type) {
    type = Object.freeze({
      name: `*${elem.name}`,
      kind: 'ptr',
      elem,
      named: false,
      ...(elem.methods ? { methods: elem.methods } : {}),
    });
    pointers.set(elem, type);
  }
  return type;
}

/** A declared type, such as `chartutil.Values` (a map) or `semver.Version` (a struct). Declare each once, at module level. */
export function namedType(
  name: string,
  underlying: GoType | { readonly kind: 'struct'; readonly fields: readonly string[] },
  methods?: Methods | ((type: GoType) => Methods),
): GoType {
  const shape = 'name' in underlying ? underlying : undefined;
  const methodMap = new Map<string, FunctionSpec>();
  const type: GoType = Object.freeze({
    name,
    kind: underlying.kind,
    named: true,
    ...(shape?.elem ? { elem: shape.elem } : {}),
    ...(shape?.key ? { key: shape.key } : {}),
    ...('fields' in underlying && underlying.fields ? { fields: underlying.fields } : {}),
    ...(methods ? { methods: methodMap } : {}),
  });
  // Methods may take values of the type itself.
  const all = typeof methods === 'function' ? methods(type) : (methods ?? {});
  for (const [method, spec] of Object.entries(all)) methodMap.set(method, spec);
  return type;
}

type Methods = Readonly<Record<string, FunctionSpec>>;

export const sliceOfAny = sliceOf(anyType);
export const sliceOfString = sliceOf(stringType);
export const sliceOfInt = sliceOf(intType);
export const bytesType = sliceOf(uint8Type);
export const mapOfAny = mapOf(stringType, anyType);
export const mapOfString = mapOf(stringType, stringType);
