import table from '../generated/types.json' with { type: 'json' };

/** A type as the table has it; `json` is raw JSON in bytes, `time` what Go's time makes of itself. */
export type GobType =
  | 'bool'
  | 'int'
  | 'uint'
  | 'float'
  | 'string'
  | 'bytes'
  | 'json'
  | 'time'
  | readonly ['struct', string]
  | readonly ['slice', GobType]
  | readonly ['map', GobType, GobType];

/** A field: its name in Go, its name in JSON (empty for one whose fields stand in its place), its type. */
export type GobField = readonly [name: string, json: string, type: GobType];

const { types, roots } = table as unknown as {
  readonly types: Readonly<Record<string, readonly GobField[]>>;
  readonly roots: Readonly<Record<string, GobType>>;
};

/** The fields of a Go struct. */
export function fieldsOf(struct: string): readonly GobField[] {
  const fields = Object.hasOwn(types, struct) ? types[struct] : undefined;
  if (!fields) throw new Error(`no Go type ${struct} is recorded`);
  return fields;
}

/** The type that is registered by a name for calls. */
export function registeredType(name: string): GobType {
  const type = Object.hasOwn(roots, name) ? roots[name] : undefined;
  if (!type) throw new Error(`no Go type is registered as ${name}`);
  return type;
}
