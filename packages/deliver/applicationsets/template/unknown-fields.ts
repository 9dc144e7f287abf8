import { type Application, customResourceDefinitions } from '@tiphys/api';
import { type Diagnosis, diagnose, nearestName } from '@tiphys/diagnosis';
import { type StructuralSchema, unknownField } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { templateFieldUnknown } from '../diagnoses/diagnoses.ts';

let known: StructuralSchema | undefined;

/** The schema of Applications, read when it is first needed. */
function applicationSchema(): StructuralSchema {
  known ??= readSchema();
  return known;
}

function readSchema(): StructuralSchema {
  const file = 'applications.yaml';
  const text = customResourceDefinitions().find((each) => each.file === file)?.text ?? '';
  const definition = parseDocuments(text, { file }).documents[0]?.value as unknown as {
    readonly spec: {
      readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: StructuralSchema } }[];
    };
  };
  return definition.spec.versions[0]?.schema.openAPIV3Schema ?? {};
}

/**
 * A field of an Application that a `templatePatch` sets and that Applications do not have; undefined if there is none. The API server drops it
 * without a word, as the patch is a text to it: what the template itself has wrong, it has said when the set was written.
 */
export function unknownPatchField({ kind, apiVersion, metadata, spec }: Application): Diagnosis | undefined {
  const found = unknownField({ kind, apiVersion, metadata, spec }, applicationSchema());
  if (!found) return undefined;
  const { path, name, known: fields } = found;
  const nearest = nearestName(name, fields);
  const parent = path.slice(0, -name.length);
  return diagnose(templateFieldUnknown, {
    message: `The templatePatch sets ${path}, which Applications do not have: it has no effect on Application ${metadata.name}`,
    place: { field: 'spec.templatePatch' },
    evidence: { 'fields there': fields.length <= 30 ? fields.join(', ') : undefined },
    remedies: [nearest ? `Write ${parent}${nearest}` : `Remove ${path} from the templatePatch`],
  });
}
