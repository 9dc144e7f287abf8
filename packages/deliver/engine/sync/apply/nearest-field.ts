import { type Diagnosis, nearestName } from '@tiphys/diagnosis';
import { type KubeObject, parseApiVersion } from '@tiphys/kubernetes';
import { isObject, type JsonObject } from '../../model/fields.ts';
import type { StepRequest } from '../step-request.ts';
import { schemaProblems } from './schema-check.ts';

type Asked = Pick<StepRequest, 'client' | 'signal'>;

/** Of fields that the API server does not know, each with its place in the words of a diagnosis. */
const unknown = /unknown field "?([A-Za-z0-9_.[\]-]{1,500}[A-Za-z0-9_\]-])/gi;

/**
 * A diagnosis about fields that the API server does not know, with those of the schema that are written nearly so: of built-in kinds by our own schemas,
 * of custom resources by their definition. Unchanged if it is about something else, or if nothing is near.
 */
export async function withNearestField<T extends Diagnosis>(
  diagnosis: T,
  desired: KubeObject | undefined,
  asked: Asked,
): Promise<T> {
  if (!desired || !(diagnosis.code === 'FieldUnknown' || diagnosis.code === 'ManifestFieldDropped')) return diagnosis;
  const fields = [...diagnosis.message.matchAll(unknown)].flatMap(([, field]) => field ?? []);
  if (fields.length === 0 || diagnosis.remedies.some(({ text }) => text.includes(' in place of '))) return diagnosis;
  const known = schemaProblems(desired, 0);
  const schema = known.length > 0 ? undefined : await definedSchema(desired, asked);
  const told = fields.flatMap((field) => {
    const nearest = known.find((problem) => problem.field === field)?.nearest ?? (schema && nearestIn(schema, field));
    return nearest ? [{ text: `Write ${nearest} in place of ${field}` }] : [];
  });
  return told.length > 0 ? { ...diagnosis, remedies: [...told, ...diagnosis.remedies] } : diagnosis;
}

/** The schema that a definition has for the version of an object; undefined for built-in kinds, and where it may not be read. */
async function definedSchema(object: KubeObject, { client, signal }: Asked): Promise<JsonObject | undefined> {
  const { group, version } = parseApiVersion(object.apiVersion);
  try {
    const resource = await client.discovery.find(object.apiVersion, object.kind);
    if (!resource || !group.includes('.')) return undefined;
    const name = `${resource.plural}.${group}`;
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
    const definition = await client.find(ref, { signal });
    const { versions = [] } = (definition?.spec ?? {}) as {
      versions?: { name: string; schema?: { openAPIV3Schema?: JsonObject } }[];
    };
    return versions.find((one) => one.name === version)?.schema?.openAPIV3Schema;
  } catch {
    signal.throwIfAborted();
    // the refusal is told; without the definition it only lacks what may be meant
    return undefined;
  }
}

/** The field of the schema at the place of another one that is written nearly so. */
function nearestIn(schema: JsonObject, field: string): string | undefined {
  const steps = [...field.matchAll(/\[\d+\]|[^.[\]]+/g)].map(([step]) => step);
  const last = steps.pop();
  let at: unknown = schema;
  for (const step of steps) {
    if (!isObject(at)) return undefined;
    const properties = at['properties'];
    if (step.startsWith('[')) at = at['items'];
    else at = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : at['additionalProperties'];
  }
  const properties = isObject(at) ? at['properties'] : undefined;
  return last && isObject(properties) ? nearestName(last, Object.keys(properties)) : undefined;
}
