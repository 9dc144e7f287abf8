import { type OpenApiSchema, refName } from './openapi-schema.ts';

export type ScalarType = 'string' | 'numeric' | 'boolean' | 'untyped';

/** How a list is merged: as one value, or by items, that are told apart by their keys or, as a set, by themselves. */
export interface ListType {
  relationship: 'atomic' | 'associative';
  /** Fields that identify an item; empty for a set (and for atomic lists). */
  keys: readonly string[];
  readonly element: ObjectType;
}

export interface FieldType {
  readonly type: ObjectType;
  /** Value of an absent field, where the schema has one. */
  default: unknown;
  /** Parts of `x-kubernetes-patch-strategy`. */
  patchStrategies: readonly string[];
  patchMergeKey: string | undefined;
}

/** How an object is merged: as one value, or field by field. */
export interface MapType {
  relationship: 'atomic' | 'separable';
  fields: ReadonlyMap<string, FieldType>;
  /** Type of fields that are not declared; undefined when there may be none. */
  readonly element: ObjectType | undefined;
}

/**
 * What a schema says about merging a value: the atom of structured-merge-diff. One type may allow several forms
 * (untyped ones allow all); the value decides. Compiled when first looked at, since schemas are recursive.
 */
export class ObjectType {
  readonly #schema: OpenApiSchema;
  readonly #models: TypeModels;
  /** Unknown fields are kept and their type is deduced; inherited by the types declared inside of this one. */
  readonly #preserve: boolean;
  readonly #override: 'atomic' | 'separable' | undefined;
  #list: ListType | undefined | null = null;
  #map: MapType | undefined | null = null;

  constructor(schema: OpenApiSchema, models: TypeModels, preserve: boolean, override?: 'atomic' | 'separable') {
    this.#schema = schema;
    this.#models = models;
    this.#preserve = preserve || schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.#override = override;
  }

  /** The schema that this was compiled from, references resolved once. */
  get schema(): OpenApiSchema {
    return this.#schema;
  }

  get scalar(): ScalarType | undefined {
    const { type, format } = this.#schema;
    if (type === 'integer' || type === 'number') return 'numeric';
    if (type === 'boolean') return 'boolean';
    if (type === 'string') return !format || format === 'byte' ? 'string' : 'untyped';
    return type === 'object' || type === 'array' ? undefined : 'untyped';
  }

  get list(): ListType | undefined {
    if (this.#list === null) this.#list = this.#compileList();
    return this.#list;
  }

  get map(): MapType | undefined {
    if (this.#map === null) this.#map = this.#compileMap();
    return this.#map;
  }

  #compileList(): ListType | undefined {
    const { type, items } = this.#schema;
    if (type && type !== 'array') return undefined;
    const { relationship, keys } = listRelationship(this.#schema);
    const models = this.#models;
    const preserve = this.#preserve;
    let element: ObjectType | undefined;
    return {
      relationship,
      keys,
      get element() {
        element ??= items ? models.typeOf(items, preserve) : untypedType;
        return element;
      },
    };
  }

  #compileMap(): MapType | undefined {
    const { type, properties, additionalProperties } = this.#schema;
    if (type && type !== 'object') return undefined;
    const fields = new Map<string, FieldType>();
    for (const [name, schema] of Object.entries(properties ?? {})) fields.set(name, this.#field(schema));
    const mapType = this.#schema['x-kubernetes-map-type'];
    const models = this.#models;
    const preserve = this.#preserve;
    let element: ObjectType | undefined;
    if (additionalProperties === true) element = deducedType;
    else if (additionalProperties === undefined && (preserve || fields.size === 0)) element = deducedType;
    const elementSchema = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    return {
      relationship: this.#override ?? (mapType === 'atomic' ? 'atomic' : 'separable'),
      fields,
      get element() {
        if (elementSchema) element ??= models.typeOf(elementSchema, preserve);
        return element;
      },
    };
  }

  #field(schema: OpenApiSchema): FieldType {
    const models = this.#models;
    const preserve = this.#preserve;
    let type: ObjectType | undefined;
    return {
      get type() {
        type ??= models.typeOf(schema, preserve);
        return type;
      },
      default: schema.default,
      patchStrategies: schema['x-kubernetes-patch-strategy']?.split(',') ?? [],
      patchMergeKey: schema['x-kubernetes-patch-merge-key'],
    };
  }
}

function listRelationship(schema: OpenApiSchema): { relationship: ListType['relationship']; keys: readonly string[] } {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return { relationship: 'associative', keys: [] };
  if (listType === 'map') return { relationship: 'associative', keys: schema['x-kubernetes-list-map-keys'] ?? [] };
  if (listType) return { relationship: 'atomic', keys: [] };
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (strategy !== 'merge' && strategy !== 'merge,retainKeys') return { relationship: 'atomic', keys: [] };
  const key = schema['x-kubernetes-patch-merge-key'];
  return { relationship: 'associative', keys: key ? [key] : [] };
}

const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const rawExtension = 'io.k8s.apimachinery.pkg.runtime.RawExtension';

/** Named schemas and the types compiled from them. */
export class TypeModels {
  readonly #schemas: Readonly<Record<string, OpenApiSchema>>;
  readonly #types = new Map<string, ObjectType>();

  constructor(schemas: Readonly<Record<string, OpenApiSchema>>) {
    this.#schemas = schemas;
  }

  schema(name: string): OpenApiSchema | undefined {
    return this.#schemas[name];
  }

  /** The schema itself, or the one that it refers to; defaults beside the reference stay with the caller. */
  resolve(schema: OpenApiSchema): OpenApiSchema {
    const name = refName(schema);
    return name === undefined ? schema : (this.#schemas[name] ?? {});
  }

  typeOf(schema: OpenApiSchema, preserveUnknown = false): ObjectType {
    const name = refName(schema);
    if (name === undefined) return new ObjectType(schema, this, preserveUnknown);
    const mapType = schema['x-kubernetes-map-type'];
    const override = mapType === 'atomic' ? 'atomic' : mapType === 'granular' ? 'separable' : undefined;
    return this.named(name, override);
  }

  named(name: string, override?: 'atomic' | 'separable'): ObjectType {
    const key = override ? `${name} ${override}` : name;
    let type = this.#types.get(key);
    if (!type) {
      if (name === quantity) type = new ObjectType({ type: 'string', format: 'quantity' }, this, false);
      else if (name === rawExtension) type = untypedType;
      else type = new ObjectType(this.#schemas[name] ?? {}, this, false, override);
      this.#types.set(key, type);
    }
    return type;
  }
}

const freeForm = new TypeModels({});

/** Any value, merged as one. */
export const untypedType: ObjectType = new ObjectType(
  { 'x-kubernetes-map-type': 'atomic', additionalProperties: true },
  freeForm,
  true,
);

/** Any value: objects are merged field by field, lists as one value. What objects without schema get. */
export const deducedType: ObjectType = new ObjectType({}, freeForm, true);
