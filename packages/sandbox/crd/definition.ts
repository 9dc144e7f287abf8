import type { KubeObject } from '@tiphys/kubernetes';
import type { ClientConfig } from '../admission/client-config.ts';
import { timestamp } from '../server/context.ts';
import { isDnsSubdomain } from '../server/names.ts';
import type { Strategy } from '../server/strategy.ts';
import { validateDefinition } from './definition-validation.ts';
import { formatCheck } from './formats.ts';

/** One version of a CustomResourceDefinition. */
export interface DefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: {
    status?: object;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: {
    name: string;
    type: string;
    format?: string;
    description?: string;
    priority?: number;
    jsonPath: string;
  }[];
  selectableFields?: { jsonPath: string }[];
}

export interface Definition extends KubeObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: {
      plural: string;
      singular?: string;
      kind: string;
      listKind?: string;
      shortNames?: string[];
      categories?: string[];
    };
    versions: DefinitionVersion[];
    preserveUnknownFields?: boolean;
    conversion?: {
      strategy?: string;
      webhook?: { clientConfig?: ClientConfig; conversionReviewVersions?: string[] };
    };
  };
}

/** A structural schema, as a CustomResourceDefinition writes it. */
export interface Schema {
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  default?: unknown;
  nullable?: boolean;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-validations'?: {
    rule: string;
    message?: string;
    messageExpression?: string;
    reason?: string;
    fieldPath?: string;
    optionalOldSelf?: boolean;
  }[];
  [field: string]: unknown;
}

export const customResourceDefinition: Strategy = {
  onDeletion(object, { server }) {
    const status = object.status as { conditions?: { type: string }[] | null };
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
    const status = (object.status ?? {}) as { storedVersions?: string[] };
    const before = (old.status as { storedVersions?: string[] } | undefined)?.storedVersions ?? [];
    object.status = { ...status, storedVersions: storedVersions(object as Definition, before) };
  },
  validate: validateDefinition,
  validateUpdate(object, old, errors) {
    const [now, before] = [(object as Definition).spec, (old as Definition).spec];
    const { conditions } = (old.status ?? {}) as { conditions?: { type: string; status: string }[] | null };
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
