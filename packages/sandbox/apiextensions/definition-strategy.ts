import { type Definition, isDnsSubdomain, type Schema, type Strategy, timestamp } from '@tiphys/apimachinery';
import type { apiextensionsV1 } from '@tiphys/kubernetes';
import { validateDefinition } from './definition-validation.ts';
import { formatCheck } from './formats.ts';

export const customResourceDefinition: Strategy = {
  onDeletion(object, { server }) {
    const status = object.status as apiextensionsV1.CustomResourceDefinitionStatus;
    const condition = {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: timestamp(server.clock),
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    };
    object.status = { ...status, conditions: [...(status.conditions ?? []), condition] };
  },
  deletionFinalizers: ['customresourcecleanup.apiextensions.k8s.io'],
  generation: true,
  statusSubresource: true,
  defaults(object) {
    const { spec } = object as Definition;
    spec.names.singular ??= spec.names.kind?.toLowerCase();
    if (spec.names.kind) spec.names.listKind ??= `${spec.names.kind}List`;
    spec.conversion ??= { strategy: 'None' };
    spec.conversion.strategy ??= 'None';
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service) service.port ??= 443;
  },
  prepareCreate(object) {
    object.status = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storedVersions(object as Definition, []),
    };
  },
  prepareUpdate(object, old) {
    const status = (object.status ?? {}) as apiextensionsV1.CustomResourceDefinitionStatus;
    const before = (old.status as apiextensionsV1.CustomResourceDefinitionStatus | undefined)?.storedVersions ?? [];
    object.status = { ...status, storedVersions: storedVersions(object as Definition, before) };
  },
  validate: validateDefinition,
  validateUpdate(object, old, errors) {
    const [now, before] = [(object as Definition).spec, (old as Definition).spec];
    const { conditions } = (old.status ?? {}) as apiextensionsV1.CustomResourceDefinitionStatus;
    const immutable = (field: string, value: unknown, previous: unknown) => {
      if (value !== previous) errors.invalid(field, value, 'field is immutable');
    };
    if (conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) {
      immutable('spec.scope', now.scope, before.scope);
      immutable('spec.names.kind', now.names.kind, before.names.kind);
    }
    immutable('spec.group', now.group, before.group);
    immutable('spec.names.plural', now.names.plural, before.names.plural);
  },
  warnings: (object, old) => {
    const known = new Set(old ? unknownFormats(old as Definition) : []);
    return unknownFormats(object as Definition)
      .filter((format) => !known.has(format))
      .map((format) => `unrecognized format ${JSON.stringify(format)}`);
  },
  nameRule: (name, object) => {
    const { names, group } = (object as Definition).spec;
    return [
      ...isDnsSubdomain(name),
      ...(name === `${names.plural}.${group}` ? [] : ['must be spec.names.plural+"."+spec.group']),
    ];
  },
};

function storedVersions({ spec }: Definition, before: readonly string[]): string[] {
  const current = spec.versions.find(({ storage }) => storage)?.name;
  return current === undefined || before.includes(current) ? [...before] : [...before, current];
}

/** Formats of the schemas that mean nothing, each once. */
function unknownFormats({ spec }: Definition): string[] {
  const found = new Set<string>();
  const visit = (schema: Schema | boolean | undefined): void => {
    if (typeof schema !== 'object') return;
    if (schema.format && schema.type === 'string' && !formatCheck(schema.format)) found.add(schema.format);
    for (const part of Object.values(schema.properties ?? {})) visit(part);
    for (const part of [schema.items, schema.additionalProperties, schema.not]) visit(part);
    for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) visit(part);
  };
  for (const { schema } of spec.versions) visit(schema?.openAPIV3Schema);
  return [...found];
}
