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
  /** The same as keys and places in lists. */
  readonly at: readonly (string | number)[];
  readonly name: string;
  /** Fields that there are in its place. */
  readonly known: readonly string[];
}

/** The first field of a value that its schema does not have; undefined if there is none. */
export function unknownField(value: unknown, schema: StructuralSchema): UnknownField | undefined {
  for (const first of unknownFields(value, schema)) return first;
  return undefined;
}

/** All of them. What a schema says nothing of, such as the fields of `metadata`, is known. A schema may lead to itself. */
export function* unknownFields(
  value: unknown,
  { properties, items, additionalProperties: other, 'x-kubernetes-preserve-unknown-fields': open }: StructuralSchema,
  at: readonly (string | number)[] = [],
): Generator<UnknownField> {
  if (Array.isArray(value)) {
    if (items) for (const [index, item] of value.entries()) yield* unknownFields(item, items, [...at, index]);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    const place = [...at, name];
    const known = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (typeof other === 'object') yield* unknownFields(item, other, place);
    else if (known) yield* unknownFields(item, known, place);
    else if (properties && !open) yield { path: textOf(place), at: place, name, known: Object.keys(properties) };
  }
}

function textOf(place: readonly (string | number)[]): string {
  return place.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    '',
  );
}
