/** What of the schema of a custom resource says which fields there are. */
export interface StructuralSchema {
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

export interface UnknownField {
  /** `spec.syncPolicy.automated.selfHeall` */
  readonly path: string;
  readonly name: string;
  /** Fields that there are in its place. */
  readonly known: readonly string[];
}

/** The first field of a value that its schema does not have; undefined if there is none. */
export const unknownField = (value: unknown, schema: StructuralSchema): UnknownField | undefined =>
  unknownIn(value, schema, '');

/** What a schema says nothing of, such as the fields of `metadata`, is known. */
function unknownIn(value: unknown, schema: StructuralSchema, path: string): UnknownField | undefined {
  const { properties, items, additionalProperties: other, 'x-kubernetes-preserve-unknown-fields': open } = schema;
  if (Array.isArray(value))
    return firstOf(value.map((item, index) => () => items && unknownIn(item, items, `${path}[${index}]`)));
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value);
  if (typeof other === 'object')
    return firstOf(
      entries.map(
        ([name, item]) =>
          () =>
            unknownIn(item, other, joined(path, name)),
      ),
    );
  if (!properties) return undefined;
  return firstOf(
    entries.map(([name, item]) => () => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (known) return unknownIn(item, known, joined(path, name));
      return open ? undefined : { path: joined(path, name), name, known: Object.keys(properties) };
    }),
  );
}

const joined = (path: string, name: string): string => (path ? `${path}.${name}` : name);

function firstOf<T>(looks: readonly (() => T | undefined)[]): T | undefined {
  for (const look of looks) {
    const found = look();
    if (found !== undefined) return found;
  }
  return undefined;
}
