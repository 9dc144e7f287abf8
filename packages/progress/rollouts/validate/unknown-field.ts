import { rolloutsDefinitions } from '@tiphys/api';
import { type StructuralSchema, type UnknownField, unknownField as unknownIn } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: StructuralSchema } }[];
  };
}

/** Path and name of the first field of an object that its kind, one of Rollouts, does not have; undefined if there is none. */
export function unknownField(object: Readonly<Record<string, unknown>>): UnknownField | undefined {
  const schema = schemaOf(String(object.kind));
  return schema && unknownIn(object, schema);
}

function schemaOf(kind: string): StructuralSchema | undefined {
  for (const { text, file } of rolloutsDefinitions()) {
    const definition = parseDocuments(text, { file }).documents[0]?.value as unknown as Definition | undefined;
    if (definition?.spec.names.kind === kind) return definition.spec.versions[0]?.schema.openAPIV3Schema;
  }
  return undefined;
}
