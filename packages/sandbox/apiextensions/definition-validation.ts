import { isDeepStrictEqual } from 'node:util';
import {
  type Definition,
  type DefinitionVersion,
  type FieldErrors,
  isDns1035Label,
  isDnsSubdomain,
  type Schema,
  validateClientConfig,
} from '@tiphys/apimachinery';
import type { apiextensionsV1, KubeObject } from '@tiphys/kubernetes';
import { validFieldPath } from './field-path.ts';
import { conversionProblem, validateVersionSchema } from './schema-validation.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Validates a CustomResourceDefinition with the words and the order of the API server. */
export function validateDefinition(object: KubeObject, errors: FieldErrors): void {
  const definition = object as Definition;
  const { spec } = definition;
  if (!spec.group) errors.required('spec.group');
  else if (isDnsSubdomain(spec.group).length)
    errors.invalid('spec.group', spec.group, isDnsSubdomain(spec.group).join(','));
  else if (!spec.group.includes('.'))
    errors.invalid('spec.group', spec.group, 'should be a domain with at least one dot');
  if (!spec.scope) errors.required('spec.scope');
  else if (!['Cluster', 'Namespaced'].includes(spec.scope))
    errors.notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced']);
  spec.versions.forEach((version, index) => {
    if (!version.schema?.openAPIV3Schema) errors.required(`spec.versions[${index}].schema.openAPIV3Schema`);
  });
  validateVersions(definition, errors);
  validateNames(definition, errors);
  validateShared(definition, errors);
  validateConversion(definition, errors);
  validateStoredVersions(definition, errors);
  validateApproval(definition, errors);
  if (spec.preserveUnknownFields)
    errors.invalid(
      'spec.preserveUnknownFields',
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
}

/** What all versions have in common counts as written once, at the top. */
function shared(versions: readonly DefinitionVersion[], field: keyof DefinitionVersion): boolean {
  return versions.every((version) => isDeepStrictEqual(version[field], versions[0]?.[field]));
}

function hasDefaults(schema: Schema | boolean | undefined): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (schema.default !== undefined && schema.default !== null) return true;
  const { properties = {}, items, additionalProperties, not, allOf = [], anyOf = [], oneOf = [] } = schema;
  return [...Object.values(properties), items, additionalProperties, not, ...allOf, ...anyOf, ...oneOf].some(
    hasDefaults,
  );
}

function validateVersions({ spec }: Definition, errors: FieldErrors): void {
  const { versions } = spec;
  if (spec.preserveUnknownFields && versions.some(({ schema }) => hasDefaults(schema?.openAPIV3Schema)))
    errors.invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema');
  versions.forEach((version, index) => {
    const at = `spec.versions[${index}]`;
    const problems = isDns1035Label(version.name);
    if (problems.length) errors.invalid(`${at}.name`, version.name, problems.join(','));
    validateDeprecation(version, at, errors);
    const schema = version.schema?.openAPIV3Schema;
    if (schema && !shared(versions, 'schema'))
      validateVersionSchema(schema, `${at}.schema.openAPIV3Schema`, Boolean(version.subresources?.status), errors);
    if (!shared(versions, 'subresources')) validateSubresources(version, `${at}.subresources`, errors);
    if (!shared(versions, 'additionalPrinterColumns'))
      validateColumns(version, `${at}.additionalPrinterColumns`, errors);
    if (shared(versions, 'selectableFields') || !version.selectableFields?.length) return;
    // A schema that all versions share is no version's own any more.
    if (shared(versions, 'schema'))
      errors.invalid(
        `${at}.selectableFields`,
        '',
        'may only be set when `version.schema.openAPIV3Schema` is not included',
      );
    else validateSelectable(version, `${at}.selectableFields`, errors);
  });
  if (new Set(versions.map(({ name }) => name)).size !== versions.length)
    errors.invalid('spec.versions', versions, 'must contain unique version names');
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.invalid('spec.versions', versions, 'must have exactly one version marked as storage version');
  const [first] = versions;
  if (first && isDns1035Label(first.name).length)
    errors.invalid('spec.version', first.name, isDns1035Label(first.name).join(','));
}

function validateShared({ spec }: Definition, errors: FieldErrors): void {
  const { versions } = spec;
  const [first] = versions;
  if (!first) return;
  const schema = first.schema?.openAPIV3Schema;
  if (schema && shared(versions, 'schema'))
    validateVersionSchema(
      schema,
      'spec.validation.openAPIV3Schema',
      versions.some(({ subresources }) => subresources?.status),
      errors,
    );
  if (shared(versions, 'subresources')) validateSubresources(first, 'spec.subresources', errors);
  if (shared(versions, 'additionalPrinterColumns')) validateColumns(first, 'spec.additionalPrinterColumns', errors);
  if (shared(versions, 'selectableFields')) validateSelectable(first, 'spec.selectableFields', errors);
}

function validateDeprecation(
  { deprecated, deprecationWarning: warning }: DefinitionVersion,
  at: string,
  errors: FieldErrors,
): void {
  if (warning === undefined) return;
  const field = `${at}.deprecationWarning`;
  if (!deprecated) errors.invalid(field, warning, 'can only be set for deprecated versions');
  else if (warning.length > 256) errors.invalid(field, warning, 'must be <= 256 characters long');
  else if (!warning) errors.invalid(field, warning, 'must not be an empty string');
}

function validateNames({ spec }: Definition, errors: FieldErrors): void {
  const { names } = spec;
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!names[field]) errors.required(`spec.names.${field}`);
  for (const field of ['plural', 'singular'] as const) {
    const name = names[field];
    if (name && isDns1035Label(name).length)
      errors.invalid(`spec.names.${field}`, name, isDns1035Label(name).join(','));
  }
  for (const field of ['kind', 'listKind'] as const) {
    const problems = isDns1035Label((names[field] ?? '').toLowerCase());
    if (names[field] && problems.length)
      errors.invalid(
        `spec.names.${field}`,
        names[field],
        `may have mixed case, but should otherwise match: ${problems.join(',')}`,
      );
  }
  for (const field of ['shortNames', 'categories'] as const) {
    names[field]?.forEach((name, index) => {
      if (isDns1035Label(name).length)
        errors.invalid(`spec.names.${field}[${index}]`, name, isDns1035Label(name).join(','));
    });
    if (field === 'shortNames' && names.kind && names.kind === names.listKind)
      errors.invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same');
  }
}

function validateSubresources({ subresources }: DefinitionVersion, at: string, errors: FieldErrors): void {
  const { scale } = subresources ?? {};
  if (!scale) return;
  const check = (field: 'specReplicasPath' | 'statusReplicasPath', prefix: string) => {
    const path = scale[field];
    if (!path) errors.required(`${at}.scale.${field}`);
    else if (!validateJsonPath(path, `${at}.scale.${field}`, errors)) return;
    else if (!path.startsWith(`${prefix}.`))
      errors.invalid(`${at}.scale.${field}`, path, `should be a json path under ${prefix}`);
  };
  check('specReplicasPath', '.spec');
  check('statusReplicasPath', '.status');
  const { labelSelectorPath: labels } = scale;
  if (!labels || !validateJsonPath(labels, `${at}.scale.labelSelectorPath`, errors)) return;
  if (!/^\.(spec|status)\./.test(labels))
    errors.invalid(`${at}.scale.labelSelectorPath`, labels, 'should be a json path under either .spec or .status');
}

function validateJsonPath(path: string, field: string, errors: FieldErrors): boolean {
  if (path.startsWith('.')) return true;
  errors.invalid(field, path, 'must be a simple json path starting with .');
  return false;
}

function validateColumns(
  { additionalPrinterColumns: columns }: DefinitionVersion,
  at: string,
  errors: FieldErrors,
): void {
  columns?.forEach((column, index) => {
    const path = `${at}[${index}]`;
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (!column.name) errors.required(`${path}.name`);
    if (!column.type) errors.required(`${path}.type`, types);
    else if (!COLUMN_TYPES.includes(column.type)) errors.invalid(`${path}.type`, column.type, types);
    if (column.format && !COLUMN_FORMATS.includes(column.format))
      errors.invalid(`${path}.format`, column.format, `must be one of ${COLUMN_FORMATS.join(',')}`);
    if (!column.jsonPath) errors.required(`${path}.JSONPath`);
    else validateJsonPath(column.jsonPath, `${path}.JSONPath`, errors);
  });
}

function validateSelectable({ selectableFields, schema }: DefinitionVersion, at: string, errors: FieldErrors): void {
  if (!selectableFields?.length) return;
  const problem = conversionProblem(schema?.openAPIV3Schema ?? {});
  if (problem !== undefined) errors.invalid(at.replace(/selectableFields$/, 'schema.openAPIV3Schema'), '', problem);
  const seen = new Set<string>();
  selectableFields?.forEach(({ jsonPath }, index) => {
    const field = `${at}[${index}].jsonPath`;
    if (!jsonPath) {
      errors.required(field);
      return;
    }
    const found = validFieldPath(jsonPath, schema?.openAPIV3Schema ?? {}, { arrays: false });
    if ('problem' in found) {
      errors.invalid(field, jsonPath, `is an invalid path: ${found.problem}`);
      return;
    }
    if (found.first === 'metadata') errors.invalid(field, jsonPath, 'must not point to fields in metadata');
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? ''))
      errors.invalid(
        field,
        jsonPath,
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      );
    if (seen.has(jsonPath)) errors.duplicate(field, jsonPath);
    seen.add(jsonPath);
  });
  if (seen.size > 8) errors.tooMany(at, seen.size, 8);
}

function validateConversion({ spec }: Definition, errors: FieldErrors): void {
  const { strategy, webhook } = spec.conversion ?? {};
  const at = 'spec.conversion';
  if (!strategy) errors.required(`${at}.strategy`);
  else if (!['None', 'Webhook'].includes(strategy))
    errors.notSupported(`${at}.strategy`, strategy, ['None', 'Webhook']);
  if (strategy !== 'Webhook') {
    if (webhook?.clientConfig)
      errors.forbidden(`${at}.webhookClientConfig`, 'should not be set when strategy is not set to Webhook');
    if (webhook?.conversionReviewVersions?.length)
      errors.forbidden(`${at}.conversionReviewVersions`, 'should not be set when strategy is not set to Webhook');
    return;
  }
  if (!webhook?.clientConfig) errors.required(`${at}.webhookClientConfig`, 'required when strategy is set to Webhook');
  else validateClientConfig(webhook.clientConfig, `${at}.webhookClientConfig`, errors);
  const versions = webhook?.conversionReviewVersions ?? [];
  if (!versions.length) errors.required(`${at}.conversionReviewVersions`);
  else if (!versions.some((version) => ['v1', 'v1beta1'].includes(version)))
    errors.invalid(`${at}.conversionReviewVersions`, versions, 'must include at least one of v1, v1beta1');
}

function validateStoredVersions({ spec, status }: Definition, errors: FieldErrors): void {
  const stored = (status as apiextensionsV1.CustomResourceDefinitionStatus | undefined)?.storedVersions ?? [];
  const at = 'status.storedVersions';
  if (!stored.length) {
    errors.invalid(at, null, 'must have at least one stored version');
    return;
  }
  for (const { name, storage } of spec.versions)
    if (storage && !stored.includes(name)) errors.invalid(at, stored, `must have the storage version ${name}`);
  stored.forEach((name, index) => {
    if (!spec.versions.some((version) => version.name === name))
      errors.invalid(
        `${at}[${index}]`,
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      );
  });
}

const APPROVED = 'api-approved.kubernetes.io';

/** Groups of the Kubernetes community need its approval. */
function validateApproval({ spec, metadata }: Definition, errors: FieldErrors): void {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group ?? '')) return;
  const approval = metadata.annotations?.[APPROVED];
  const at = `metadata.annotations[${APPROVED}]`;
  if (!approval)
    errors.required(
      at,
      'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    );
  else if (!approval.startsWith('unapproved') && !(URL.canParse(approval) && /^https?:/.test(approval)))
    errors.invalid(
      at,
      approval,
      'protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    );
}
