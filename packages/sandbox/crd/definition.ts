import type { KubeObject } from '@tiphys/kubernetes';
import { timestamp } from '../server/context.ts';
import type { FieldErrors } from '../server/field-errors.ts';
import type { Strategy } from '../server/strategy.ts';
import { compileRule } from './cel-rules.ts';

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
    conversion?: { strategy?: string };
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
    spec.names.listKind ??= `${spec.names.kind}List`;
    spec.conversion ??= { strategy: 'None' };
    spec.conversion.strategy ??= 'None';
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
  validate(object, errors) {
    const { spec, metadata } = object as Definition;
    const expected = `${spec.names.plural}.${spec.group}`;
    if (metadata.name !== expected)
      errors.invalid('metadata.name', metadata.name, `must be spec.names.plural+"."+spec.group`);
    if (!spec.group) errors.required('spec.group');
    else if (!spec.group.includes('.'))
      errors.invalid('spec.group', spec.group, 'should be a domain with at least one dot');
    if (!['Cluster', 'Namespaced'].includes(spec.scope))
      errors.notSupported('spec.scope', spec.scope ?? '', ['Cluster', 'Namespaced']);
    if (!spec.names.plural) errors.required('spec.names.plural');
    if (!spec.names.kind) errors.required('spec.names.kind');
    const stored = spec.versions.filter(({ storage }) => storage).length;
    if (stored !== 1)
      errors.invalid('spec.versions', spec.versions, 'must have exactly one version marked as storage version');
    if (stored === 0) errors.invalid('status.storedVersions', null, 'must have at least one stored version');
    spec.versions.forEach((version, index) => {
      const root = version.schema?.openAPIV3Schema;
      // The only version's schema is what used to be the validation of all.
      const path =
        spec.versions.length === 1
          ? 'spec.validation.openAPIV3Schema'
          : `spec.versions[${index}].schema.openAPIV3Schema`;
      if (!root) errors.required(`spec.versions[${index}].schema.openAPIV3Schema`);
      else if (root.type !== 'object') errors.invalid(`${path}.type`, root.type ?? '', 'must be object at the root');
      else {
        validateStructure(root, path, errors);
        validateRuleTexts(root, path, errors);
      }
    });
    if (spec.conversion?.strategy === 'Webhook')
      errors.forbidden(
        'spec.conversion.strategy',
        'the sandbox calls no conversion webhooks; use None, or a cluster with a real kube-apiserver',
      );
  },
  validateUpdate(object, old, errors) {
    const [now, before] = [(object as Definition).spec, (old as Definition).spec];
    for (const field of ['group', 'scope'] as const)
      if (now[field] !== before[field]) errors.invalid(`spec.${field}`, now[field], 'field is immutable');
    for (const field of ['plural', 'kind'] as const)
      if (now.names[field] !== before.names[field])
        errors.invalid(`spec.names.${field}`, now.names[field], 'field is immutable');
  },
};

/** Every field of a structural schema has a type. */
function validateStructure(schema: Schema, path: string, errors: FieldErrors): void {
  const typed = (part: Schema) =>
    part.type || part['x-kubernetes-int-or-string'] || part['x-kubernetes-preserve-unknown-fields'];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const at = `${path}.properties[${name}]`;
    if (!typed(property)) errors.required(`${at}.type`, 'must not be empty for specified object fields');
    validateStructure(property, at, errors);
  }
  const { items, additionalProperties } = schema;
  if (schema.type === 'array' && !items) errors.required(`${path}.items`, 'must be specified');
  if (items) {
    if (!typed(items)) errors.required(`${path}.items.type`, 'must not be empty for specified array items');
    validateStructure(items, `${path}.items`, errors);
  }
  if (typeof additionalProperties !== 'object') return;
  if (!typed(additionalProperties))
    errors.required(`${path}.additionalProperties.type`, 'must not be empty for specified object fields');
  validateStructure(additionalProperties, `${path}.additionalProperties`, errors);
}

/** CEL rules must compile, or nothing would be checked by them. */
function validateRuleTexts(schema: Schema, path: string, errors: FieldErrors): void {
  (schema['x-kubernetes-validations'] ?? []).forEach(({ rule, messageExpression }, index) => {
    for (const [field, text] of [
      ['rule', rule],
      ['messageExpression', messageExpression],
    ] as const) {
      if (!text) continue;
      try {
        compileRule(text);
      } catch (error) {
        errors.invalid(
          `${path}.x-kubernetes-validations[${index}].${field}`,
          text,
          `compilation failed: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  });
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    validateRuleTexts(property, `${path}.properties[${name}]`, errors);
  if (schema.items) validateRuleTexts(schema.items, `${path}.items`, errors);
  if (typeof schema.additionalProperties === 'object')
    validateRuleTexts(schema.additionalProperties, `${path}.additionalProperties`, errors);
}

function storedVersions({ spec }: Definition, before: readonly string[]): string[] {
  const current = spec.versions.find(({ storage }) => storage)?.name;
  return current === undefined || before.includes(current) ? [...before] : [...before, current];
}
