import { applyMergePatch } from '@tiphys/kubernetes';
import { Code, invalidArgument, RpcError } from '../rpc/rpc-error.ts';

type Json = Record<string, unknown>;

/** The value after an RFC 6902 (`json`) or RFC 7386 (`merge`) patch. Throws with the operation that failed. */
export function applyPatch(value: unknown, type: string, text: string): unknown {
  if (type !== 'json' && type !== 'merge') throw invalidArgument(`Patch type '${type}' is not supported`);
  let patch: unknown;
  try {
    patch = JSON.parse(text);
  } catch (error) {
    throw new RpcError(
      Code.Unknown,
      `error decoding ${type} patch: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (type === 'merge') return applyMergePatch(value, patch);
  if (!Array.isArray(patch))
    throw new RpcError(Code.Unknown, 'error decoding json patch: it must be a list of operations');
  return patch.reduce(
    (current: unknown, operation: unknown) => applyOperation(current, operation as Operation),
    structuredClone(value),
  );
}

interface Operation {
  op: string;
  path: string;
  from?: string;
  value?: unknown;
}

function applyOperation(root: unknown, operation: Operation): unknown {
  const { op, path, from = '', value } = operation;
  switch (op) {
    case 'add':
      return put(root, path, structuredClone(value), 'add');
    case 'replace':
      return put(root, path, structuredClone(value), 'replace');
    case 'remove':
      return remove(root, path);
    case 'copy':
      return put(root, path, structuredClone(read(root, from)), 'add');
    case 'move': {
      const moved = read(root, from);
      return put(remove(root, from), path, moved, 'add');
    }
    case 'test':
      if (JSON.stringify(read(root, path)) !== JSON.stringify(value)) throw failed(`testing value ${path} failed`);
      return root;
    default:
      throw failed(`operation "${op}" is not one of add, remove, replace, move, copy, test`);
  }
}

const failed = (message: string) => new RpcError(Code.Unknown, `error applying patch: ${message}`);

function segments(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw failed(`path "${path}" does not begin with /`);
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(root: unknown, path: string): unknown {
  let value = root;
  for (const part of segments(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      throw failed(`there is nothing at ${path}`);
    value = (value as Json)[part];
  }
  return value;
}

function container(root: unknown, path: string): { parent: Json | unknown[]; key: string } {
  const parts = segments(path);
  const key = parts.pop() as string;
  const parent = read(root, parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
  if (typeof parent !== 'object' || parent === null) throw failed(`there is nothing at ${path}`);
  return { parent: parent as Json | unknown[], key };
}

function put(root: unknown, path: string, value: unknown, mode: 'add' | 'replace'): unknown {
  if (path === '') return value;
  const { parent, key } = container(root, path);
  if (Array.isArray(parent)) {
    const index = key === '-' ? parent.length : Number(key);
    if (!Number.isInteger(index) || index < 0 || index > parent.length - (mode === 'replace' ? 1 : 0))
      throw failed(`there is no index ${key} at ${path}`);
    parent.splice(index, mode === 'replace' ? 1 : 0, value);
  } else {
    if (mode === 'replace' && !Object.hasOwn(parent, key)) throw failed(`there is nothing to replace at ${path}`);
    Object.defineProperty(parent, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return root;
}

function remove(root: unknown, path: string): unknown {
  const { parent, key } = container(root, path);
  if (!Object.hasOwn(parent, key)) throw failed(`there is nothing to remove at ${path}`);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return root;
}
