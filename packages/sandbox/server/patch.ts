import type { KubeObject } from '@tiphys/kubernetes';
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
  readonly force: boolean;
  /** The object is not of the operation's resource: a Scale. */
  readonly raw?: boolean;
}

/** The object as the patch wants it, decoded, before defaulting. */
export function patched({ kind, operation, old, patch, raw }: PatchRequest): KubeObject {
  const decode = (object: unknown) => (raw ? (object as KubeObject) : decodeObject(operation, object));
  if (!old) return decode(patch);
  if (kind === 'json') return decode(jsonPatch(old, patch));
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
    throw badRequest('the patch must be an object');
  return decode(mergePatch(old, patch));
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

function jsonPatch(object: KubeObject, patch: unknown): Record<string, unknown> {
  if (!Array.isArray(patch)) throw badRequest('error decoding patch: a JSON patch is an array of operations');
  const root = { value: structuredClone(object) as unknown };
  for (const operation of patch as { op: string; path: string; from?: string; value?: unknown }[]) {
    const tokens = [
      'value',
      ...operation.path
        .split('/')
        .slice(1)
        .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')),
    ];
    const last = tokens.pop() as string;
    let parent = root as unknown as Record<string, unknown>;
    for (const token of tokens) {
      const next = parent[token];
      if (typeof next !== 'object' || next === null)
        throw new StatusError(
          422,
          'Invalid',
          `the server rejected our request due to an error in our request: ${operation.op} operation does not apply: doc is missing path: ${operation.path}: missing value`,
        );
      parent = next as Record<string, unknown>;
    }
    if (operation.op === 'test') {
      if (JSON.stringify(parent[last]) !== JSON.stringify(operation.value))
        throw new StatusError(
          422,
          'Invalid',
          `the server rejected our request due to an error in our request: testing value ${operation.path} failed`,
        );
    } else if (operation.op === 'remove') {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete parent[last];
    } else if (operation.op === 'add' && Array.isArray(parent))
      parent.splice(last === '-' ? parent.length : Number(last), 0, operation.value);
    else if (operation.op === 'add' || operation.op === 'replace') parent[last] = operation.value;
    else throw badRequest(`Unexpected kind: ${operation.op}`);
  }
  return root.value as Record<string, unknown>;
}
