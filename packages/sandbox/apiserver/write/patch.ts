import {
  applyFields,
  badRequest,
  conflict,
  FieldErrors,
  fieldManagerOf,
  jsonType,
  StatusError,
} from '@tiphys/apimachinery';
import {
  applyJsonPatch,
  applyMergePatch,
  goText,
  isFields,
  type KubeObject,
  PatchError,
  strategicMerge,
} from '@tiphys/kubernetes';
import type { Operation } from '../request/operation.ts';
import { checkKind, decodeFields, Undecodable } from './decode-object.ts';
import { adoptNamespace, checkName, resourceName } from './write.ts';

export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply';

const TYPES: Record<string, PatchKind> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** The kind of a patch by its content type; custom resources have no strategic merge. */
export function patchKind(contentType: string | undefined, { resource }: Operation): PatchKind {
  const kind = TYPES[contentType?.split(';')[0]?.trim() ?? ''];
  if (kind && (kind !== 'strategic' || resource.custom === undefined)) return kind;
  if (!kind) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  const accepted = Object.keys(TYPES).filter((type) => resource.custom === undefined || TYPES[type] !== 'strategic');
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  throw new StatusError(415, 'UnsupportedMediaType', message);
}

export interface PatchRequest {
  readonly kind: PatchKind;
  readonly operation: Operation;
  /** Undefined when an apply creates the object. */
  readonly old: KubeObject | undefined;
  readonly patch: unknown;
  readonly force: boolean | undefined;
  /** The object is not of the operation's resource: a Scale. */
  readonly raw?: boolean;
}

/** The object as the patch wants it, decoded, before defaulting. */
export function patched(request: PatchRequest): KubeObject {
  const { kind, operation, patch, raw } = request;
  if (kind === 'apply' && !raw) return apply(request);
  const object = merged(request);
  if (raw) return object as KubeObject;
  const type = operation.resource;
  // A strategic merge ends in the resource's own type, whatever it makes of the kind.
  const typed =
    kind === 'strategic' ? { ...(object as KubeObject), apiVersion: type.apiVersion, kind: type.kind } : object;
  const decoded = decodePatched(
    request,
    typed,
    kind === 'strategic' ? goText(afterMerge(patch, request.old ?? {})) : JSON.stringify(object),
  );
  checkPlace(operation, decoded);
  return decoded;
}

/** What a patch makes is where, and what, the URL says. */
function checkPlace(operation: Operation, { metadata }: KubeObject): void {
  adoptNamespace(operation, metadata);
  checkName(operation, metadata);
}

/** A strategic merge takes the nulls out of those parts of the patch for which the object has nothing of their kind. */
function afterMerge(patch: unknown, old: unknown): unknown {
  if (!isFields(patch)) return Array.isArray(patch) ? patch.map((item) => afterMerge(item, undefined)) : patch;
  const known = isFields(old);
  const entries = Object.entries(patch).filter(([, value]) => known || value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, afterMerge(value, known ? old[key] : undefined)]));
}

function merged({ kind, operation, old, patch, raw }: PatchRequest): unknown {
  try {
    if (kind === 'json') return applyJsonPatch(old, patch);
    if (kind === 'strategic' && !raw && old) return strategicMerge(old, patch ?? {}, operation.resource.mergeType());
    if (operation.fieldValidation !== 'Ignore' && (typeof patch !== 'object' || Array.isArray(patch)))
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`,
      );
    if (kind === 'merge' && patch === null) throw badRequest('Invalid JSON Patch');
    return applyMergePatch(old, patch);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw patchRefused(error);
  }
}

/** What a patch leaves must fit the type: else the patch, not the object, is what is wrong. */
function decodePatched({ kind, operation }: PatchRequest, object: unknown, text: string): KubeObject {
  const refused = (why: string) => {
    const errors = new FieldErrors();
    errors.invalid('patch', text, why);
    return errors.toStatus({ group: '', name: '' }, '');
  };
  let given: Record<string, unknown>;
  try {
    given = checkKind(operation, object);
  } catch (error) {
    // The text of the object would be told twice.
    const why = error instanceof StatusError ? KIND_PROBLEM.exec(error.message)?.groups?.why : undefined;
    throw why === undefined ? error : refused(why);
  }
  if (operation.resource.custom === undefined && !given.apiVersion) refuseUnversioned(operation, given, refused);
  try {
    return decodeFields(operation, given, kind === 'strategic' ? 'merged' : 'sent');
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    throw refused(kind === 'strategic' ? error.converted : error.message);
  }
}

/** Without its `apiVersion` an object of a built-in kind is decoded as of no version, which knows none of its fields. */
function refuseUnversioned(
  operation: Operation,
  given: Record<string, unknown>,
  refused: (why: string) => StatusError,
) {
  const names = Object.keys(given).filter((name) => name !== 'kind' && name !== 'apiVersion');
  const unknown = names.sort().map((name) => `unknown field ${JSON.stringify(name)}`);
  if (operation.fieldValidation === 'Strict') throw refused(`strict decoding error: ${unknown.join(', ')}`);
  if (operation.fieldValidation === 'Warn') for (const text of unknown) operation.warn(text);
  checkName(operation, {});
}

const KIND_PROBLEM =
  /^(?:.* cannot be handled as a \w+: |the object provided is unrecognized \(must be of type \w+\): )(?<why>.*?)(?: \([^()]*\))?$/s;

function patchRefused(error: PatchError): StatusError {
  if (error.status === 422) {
    return new StatusError(422, 'Invalid', error.message, {});
  }
  return new StatusError(error.status, error.status === 400 ? 'BadRequest' : '', error.message);
}

/** Refuses options that do not go with the kind of patch; asked before the object is looked for. */
export function checkPatchOptions(kind: PatchKind, operation: Operation, force: boolean | undefined): void {
  const errors = new FieldErrors();
  if (kind === 'apply') {
    if (!operation.givenManager) errors.required('fieldManager', 'is required for apply patch');
  } else if (force !== undefined) errors.forbidden('force', 'may not be specified for non-apply patch');
  operation.checkOptions(errors);
  errors.throwIfAny({ group: 'meta.k8s.io', name: 'PatchOptions' }, '');
}

function apply({ operation, old, patch, force }: PatchRequest): KubeObject {
  const { resource, server, info } = operation;
  if (typeof patch !== 'object' || Array.isArray(patch))
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`,
    );
  const { apiVersion, kind, metadata, ...fields } = (patch ?? {}) as Partial<KubeObject>;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  // what is missing, or no text, is reported as the wrong type
  const given = { apiVersion: text(apiVersion), kind: text(kind), metadata: metadata ?? {}, ...fields } as KubeObject;
  const manager = fieldManagerOf(server, resource, operation.subresource);
  operation.applied = true;
  const options = { manager: operation.fieldManager, force: force ?? false };
  const result = applyFields(manager, old, given, options);
  const decoded = decodeApplied(operation, result, given);
  if (!old && decoded.metadata.uid)
    throw conflict(
      resourceName(resource),
      info.name,
      `uid mismatch: the provided object specified uid ${decoded.metadata.uid}, and no existing object was found`,
    );
  checkPlace(operation, decoded);
  return decoded;
}

/** Custom resources come to be without a look at the times of their metadata. */
function withoutBadTimes(object: KubeObject): KubeObject {
  const metadata = { ...object.metadata };
  for (const field of ['creationTimestamp', 'deletionTimestamp'] as const)
    if (Number.isNaN(Date.parse(String(metadata[field]))) || !String(metadata[field]).includes('T'))
      delete metadata[field];
  return { ...object, metadata };
}

/** What an apply makes is converted into the resource's type; the error names the object as it was sent. */
function decodeApplied(operation: Operation, result: KubeObject, given: KubeObject): KubeObject {
  const { group, version, kind, custom } = operation.resource;
  try {
    return decodeFields(
      operation,
      (custom === undefined ? result : withoutBadTimes(result)) as Record<string, unknown> & KubeObject,
      'applied',
    );
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    const { namespace = '', name = '' } = given.metadata ?? {};
    const type = `${group}/${version}, Kind=${kind}`;
    throw new StatusError(
      500,
      '',
      `failed to convert new object (${namespace}/${name}; ${type}) to proper version: unable to convert unstructured object to ${type}: ${error.converted}`,
    );
  }
}
