import { applyJsonPatch, applyMergePatch, type KubeObject, PatchError, strategicMerge } from '@tiphys/kubernetes';
import { FieldErrors } from './field-errors.ts';
import { applyFields, fieldManagerOf } from './field-tracking.ts';
import type { Operation } from './operation.ts';
import { badRequest, StatusError } from './status.ts';
import { decodeObject } from './write.ts';

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
  const { kind, operation, old, patch, raw } = request;
  checkOptions(request);
  const decode = (object: unknown) => (raw ? (object as KubeObject) : decodePatched(operation, object));
  if (kind === 'apply' && !raw) return apply(request);
  try {
    if (kind === 'json') return decode(applyJsonPatch(old, patch));
    if (kind === 'strategic' && !raw && old) return decode(strategicMerge(old, patch, operation.resource.mergeType()));
    return decode(applyMergePatch(old, patch));
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw patchRefused(error);
  }
}

/** What a patch leaves must fit the type: else the patch, not the object, is what is wrong. */
function decodePatched(operation: Operation, object: unknown): KubeObject {
  try {
    return decodeObject(operation, object);
  } catch (error) {
    const why =
      error instanceof StatusError ? /cannot be handled as a \w+: (json: .*)$/s.exec(error.message)?.[1] : undefined;
    if (why === undefined) throw error;
    const errors = new FieldErrors();
    errors.invalid('patch', JSON.stringify(object), why);
    throw errors.toStatus({ group: '', name: '' }, '');
  }
}

function patchRefused(error: PatchError): StatusError {
  if (error.status === 422) {
    return new StatusError(422, 'Invalid', error.message, {});
  }
  return new StatusError(error.status, error.status === 400 ? 'BadRequest' : '', error.message);
}

function checkOptions({ kind, operation, force }: PatchRequest): void {
  const errors = new FieldErrors();
  if (kind === 'apply') {
    if (!operation.givenManager) errors.required('fieldManager', 'is required for apply patch');
  } else if (force !== undefined) errors.forbidden('force', 'may not be specified for non-apply patch');
  errors.throwIfAny({ group: 'meta.k8s.io', name: 'PatchOptions' }, '');
}

function apply({ operation, old, patch, force }: PatchRequest): KubeObject {
  const { resource, server, info } = operation;
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
    throw badRequest('error decoding YAML: an apply patch is an object');
  const given = patch as KubeObject;
  const metadata = { ...given.metadata };
  if (!metadata.name) metadata.name = info.name;
  if (!old && metadata.uid)
    throw new StatusError(
      409,
      'Conflict',
      `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`,
    );
  // What is unknown is reported before it is merged, as it would be on a create; a refusal says it by itself.
  const warned = operation.warnings.length;
  decodeObject(operation, given);
  const manager = fieldManagerOf(server, resource, operation.subresource);
  const applied = { ...given, metadata };
  operation.applied = true;
  return operation.silently(() => {
    try {
      const merged = applyFields(manager, old, applied, { manager: operation.fieldManager, force: force ?? false });
      return decodeObject(operation, merged);
    } catch (error) {
      operation.warnings.splice(warned);
      throw error;
    }
  });
}
