import { rolloutsDefinitions } from '@tiphys/api';
import { parseDocuments } from '@tiphys/yaml';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** Path and name of the first field of an object that its kind, one of Rollouts, does not have; undefined if there is none. */
export function unknownField(object: Readonly<Record<string, unknown>>): { path: string; name: string } | undefined {
  const schema = schemaOf(String(object.kind));
  return schema && unknownIn(object, schema, '');
}

function schemaOf(kind: string): Schema | undefined {
  for (const { text, file } of rolloutsDefinitions()) {
    const definition = parseDocuments(text, { file }).documents[0]?.value as unknown as Definition | undefined;
    if (definition?.spec.names.kind === kind) return definition.spec.versions[0]?.schema.openAPIV3Schema;
  }
  return undefined;
}

/** What a schema says nothing of, such as the fields of `metadata`, is known. */
function unknownIn(value: unknown, schema: Schema, path: string): { path: string; name: string } | undefined {
  const { properties, items, additionalProperties: other } = schema;
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
      return known ? unknownIn(item, known, joined(path, name)) : { path: joined(path, name), name };
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
