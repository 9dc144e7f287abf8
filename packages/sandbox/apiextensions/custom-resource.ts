import { createHash } from 'node:crypto';
import {
  type Definition,
  type DefinitionVersion,
  type FieldErrors,
  isBareFinalizer,
  qualifiedNameProblems,
  type Resource,
  roundTrip,
  type Schema,
  type Strategy,
  type Subresource,
} from '@tiphys/apimachinery';
import { builtinModels, type KubeObject, type ObjectType, type OpenApiSchema } from '@tiphys/kubernetes';
import { hasRules, RuleRun, validateRules } from './cel-rules.ts';
import type { Past } from './correlation.ts';
import { validateEmbedded } from './embedded-resources.ts';
import { compileJsonPath } from './json-path.ts';
import { validateListTypes } from './list-types.ts';
import { printerOf } from './printer-columns.ts';
import { publishedSchema } from './published-schema.ts';
import { validateScale } from './scale-validation.ts';
import { applyDefaults, dropNulls, prune } from './structural.ts';
import { validateSchema } from './validate.ts';

/** Converts between the versions of one definition by asking its webhook. */
export interface Converter {
  /** The object in that apiVersion. Throws ConversionNeeded for what has not been asked yet. */
  convert(object: KubeObject, to: string): KubeObject;
  /** Throws one ConversionNeeded for all of these that have not been asked yet. */
  needs(objects: readonly KubeObject[], to: string): void;
}

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const OBJECT_META = 'meta/v1.ObjectMeta';

/** The served resource of one version of a CustomResourceDefinition. */
export function customResource(
  definition: Definition,
  version: DefinitionVersion,
  converter: Converter | undefined,
): Resource {
  const { group, names, scope, versions } = definition.spec;
  const apiVersion = `${group}/${version.name}`;
  const stored = `${group}/${versions.find(({ storage }) => storage)?.name ?? version.name}`;
  const own = { group, version: version.name, kind: names.kind };
  const schema: Schema = version.schema?.openAPIV3Schema ?? {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const printer = printerOf(version);
  let merge: ObjectType | undefined;
  const { read, convert, needs } = conversionOf(definition, converter);
  const kept = versions.find(({ storage }) => storage)?.schema?.openAPIV3Schema ?? schema;
  const store = (object: KubeObject) => ({ ...(prune(object, kept, []) as KubeObject), metadata: object.metadata });
  return {
    ...own,
    apiVersion,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: scope === 'Namespaced',
    verbs: VERBS,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: subresourcesOf(version, own),
    collection: `${group}/${names.plural}`,
    storageVersionHash: createHash('sha256')
      .update(`${stored}/${names.kind}`)
      .digest()
      .subarray(0, 8)
      .toString('base64'),
    columns: printer.columns,
    cells: printer.cells,
    strategy: strategyOf(schema, version),
    decode: (value, issues) => {
      const unknown: string[] = [];
      // What an apply makes is validated as it is, and pruned when it is stored.
      const pruned = (issues.keepNulls ? value : prune(value, schema, unknown)) as KubeObject;
      const metaIssues = { unknown: [] as string[] };
      const metadata = roundTrip(OBJECT_META, (pruned.metadata ?? {}) as Record<string, unknown>, metaIssues);
      issues.unknown.push(...metaIssues.unknown.map((path) => `metadata.${path}`), ...unknown.sort());
      const object = { ...pruned, metadata };
      if (!issues.keepNulls) dropNulls(object, schema);
      return object as KubeObject;
    },
    mergeType: () => {
      merge ??= mergeTypeOf(schema);
      return merge;
    },
    emptyStatus: () => undefined,
    toStored: (object) => store(convert(object, stored)),
    fromStored: (object) => convert(read(object), apiVersion),
    schemaSince: revisionOf(definition),
    ...(converter ? { needs: (objects) => needs(objects, apiVersion) } : {}),
    deprecation: version.deprecated
      ? (version.deprecationWarning ?? `${apiVersion} ${names.kind} is deprecated`)
      : undefined,
    ...(version.subresources?.scale
      ? {
          scale: {
            spec: version.subresources.scale.specReplicasPath.slice(1),
            status: version.subresources.scale.statusReplicasPath.slice(1),
            selector: version.subresources.scale.labelSelectorPath?.slice(1),
          },
        }
      : {}),
    schema,
    custom: definition.metadata.name as string,
  };
}

const revisionOf = ({ metadata }: KubeObject) => Number(metadata.resourceVersion);

/** Objects of any version of the definition as they are read, and in another one. */
function conversionOf(definition: Definition, converter: Converter | undefined) {
  const { spec } = definition;
  const schemaOf = (apiVersion: string) =>
    spec.versions.find(({ name }) => apiVersion === `${spec.group}/${name}`)?.schema?.openAPIV3Schema;
  /** What is converted has the defaults of its own version. */
  const prepared = (object: KubeObject) => {
    const schema = schemaOf(object.apiVersion);
    if (!schema) return object;
    const copy = structuredClone(object);
    applyDefaults(copy, schema);
    return copy;
  };
  /** What was written before the definition changed is read by its schema of now; anything else is as it should be. */
  const read = (object: KubeObject): KubeObject => {
    const schema = schemaOf(object.apiVersion);
    if (!schema || revisionOf(object) > revisionOf(definition)) return object;
    const kept = spec.preserveUnknownFields ? object : (prune(object, schema, []) as KubeObject);
    const made = { ...structuredClone(kept), metadata: object.metadata };
    applyDefaults(made, schema);
    return made;
  };
  return {
    read,
    convert: (object: KubeObject, to: string): KubeObject => {
      if (object.apiVersion === to) return object;
      const converted = converter ? converter.convert(prepared(object), to) : { ...prepared(object), apiVersion: to };
      const schema = schemaOf(to);
      if (!schema || spec.preserveUnknownFields) return converted;
      return { ...(prune(converted, schema, []) as KubeObject), metadata: converted.metadata };
    },
    needs: (objects: readonly KubeObject[], to: string) => converter?.needs(objects.map(prepared), to),
  };
}

function subresourcesOf(version: DefinitionVersion, own: Subresource['kind']): Map<string, Subresource> {
  const verbs = ['get', 'patch', 'update'];
  const result = new Map<string, Subresource>();
  if (version.subresources?.status) result.set('status', { name: 'status', kind: own, verbs });
  if (version.subresources?.scale)
    result.set('scale', { name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs });
  return result;
}

/** Finalizers that are new, and no good names or such as could be somebody else's too. */
function finalizerWarnings({ metadata }: KubeObject, old: KubeObject | undefined): string[] {
  const before = old?.metadata.finalizers ?? [];
  const added = [...new Set(metadata.finalizers)].filter((name) => !before.includes(name)).sort();
  return added.flatMap((name) => {
    const told = (text: string) => `metadata.finalizers: ${JSON.stringify(name)}: ${text}`;
    const path = name.includes('.') ? ' including a path (/)' : '';
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...qualifiedNameProblems(name).map(told), ...(isBareFinalizer(name) ? [told(advice)] : [])];
  });
}

function strategyOf(schema: Schema, version: DefinitionVersion): Strategy {
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => ({
    name: jsonPath.replace(/^\./, ''),
    find: compileJsonPath(jsonPath),
  }));
  const { scale } = version.subresources ?? {};
  return {
    generation: true,
    statusSubresource: Boolean(version.subresources?.status),
    unconditionalUpdate: false,
    warnings: finalizerWarnings,
    defaults: (object) => applyDefaults(object, schema),
    validateCreate: (object, errors) => {
      validateSchema(object, schema, errors);
      if (scale) validateScale(object, scale, errors);
      validateEmbedded(object, schema, errors, '', false);
      validateListTypes(object, schema, errors);
      evaluateRules(object, undefined, schema, errors);
    },
    validateUpdate: (object, old, errors, context) => {
      const past = { value: old };
      validateSchema(object, schema, errors, { past });
      if (scale) validateScale(object, scale, errors);
      validateEmbedded(object, schema, errors, '', false);
      validateNewLists(object, old, schema, errors);
      const run = evaluateRules(object, past, schema, errors);
      // What breaks rules as it did before is let be.
      for (const { field, message } of run.known.causes) context.warn(`${field}: ${message}`);
    },
    validateStatus: (object, old, errors) => {
      validateStatus(object, old, schema, errors);
      if (scale) validateScale(object, { ...scale, specReplicasPath: undefined }, errors);
      validateNewLists(object, old, schema, errors);
      evaluateRules(object, { value: old }, schema, errors);
    },
    ...(selectable.length
      ? {
          fields: (object) =>
            Object.fromEntries(selectable.map(({ name, find }) => [name, String(find?.(object)[0] ?? '')])),
        }
      : {}),
  };
}

/** Errors that leave a rule without what it reads. */
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** The rules of the schema, if nothing that they look at is missing or of another type. */
function evaluateRules(object: KubeObject, past: Past | undefined, schema: Schema, errors: FieldErrors): RuleRun {
  const run = new RuleRun(errors);
  if (!hasRules(schema)) return run;
  if (!errors.causes.some(({ reason }) => BLOCKING.has(reason))) validateRules(object, past, schema, run);
  else
    errors.invalid(
      '<nil>',
      null,
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    );
  return run;
}

/** Lists may go on to hold things twice. */
function validateNewLists(object: KubeObject, old: KubeObject, schema: Schema, errors: FieldErrors): void {
  const before = errors.fresh();
  validateListTypes(old, schema, before);
  if (!before.any) validateListTypes(object, schema, errors);
}

/** Only the status is looked at, as a value of its own: errors name it, and their texts the fields inside of it. */
function validateStatus(object: KubeObject, old: KubeObject, schema: Schema, errors: FieldErrors): void {
  const { status } = schema.properties ?? {};
  if (!status || object.status === undefined) return;
  const found = errors.fresh();
  validateSchema(object.status, status, found, {
    past: old.status === undefined ? undefined : { value: old.status },
  });
  for (const { field = '<nil>', ...cause } of found.causes) {
    // What is told of the whole combination has no place at all.
    const inside = field === '<nil>' ? '' : `.${field}`;
    errors.causes.push({ ...cause, field: `status${inside}` });
  }
}

/** How objects are merged: by their schema, with the metadata that all objects have. */
function mergeTypeOf(schema: Schema): ObjectType {
  return builtinModels().typeOf(
    publishedSchema(schema) as OpenApiSchema,
    schema['x-kubernetes-preserve-unknown-fields'] === true,
  );
}
