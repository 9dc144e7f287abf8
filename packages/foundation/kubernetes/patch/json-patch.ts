import { isFields, sameValue } from '../smd/typed-value.ts';
import { PatchError } from './patch-error.ts';

interface Operation {
  op?: unknown;
  path?: unknown;
  from?: unknown;
  value?: unknown;
}

/** kube-apiserver takes no more operations than this. */
const mostOperations = 10_000;

/**
 * Applies an RFC 6902 patch with the leniencies of kube-apiserver: a missing field can be replaced, moved and copied as
 * null, and negative indices count from the end. The document is not changed. Throws `PatchError`.
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  // Go reads null as no operations.
  if (patch === null) return structuredClone(document);
  if (!Array.isArray(patch)) {
    throw new PatchError(
      400,
      `error decoding patch: json: cannot unmarshal ${goKind(patch)} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (patch.length > mostOperations) {
    throw new PatchError(
      400,
      `The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`,
    );
  }
  const root = { document: structuredClone(document) };
  for (const [index, given] of patch.entries()) {
    // Go reads null as an operation that says nothing.
    const operation: unknown = given ?? {};
    if (!isFields(operation)) {
      throw new PatchError(
        400,
        `error decoding patch: json: cannot unmarshal ${goKind(operation)} into Go value of type handlers.jsonPatchOp`,
      );
    }
    apply(root, operation, index);
  }
  return root.document;
}

function apply(root: { document: unknown }, operation: Operation, index: number): void {
  const { op, value = null } = operation;
  const fail = (why: string): never => {
    throw new PatchError(
      422,
      'the server rejected our request due to an error in our request',
      `operation ${index} (${String(op)} ${String(operation.path)}): ${why}`,
    );
  };
  const path = pointer(operation.path, fail);
  if (op === 'add') add(root, path, structuredClone(value), fail);
  else if (op === 'remove') remove(root, path, fail);
  else if (op === 'replace') replace(root, path, structuredClone(value), fail);
  else if (op === 'test') {
    if (!sameValue(read(root, path, fail) ?? null, value)) fail('the value is another one');
  } else if (op === 'move') {
    const from = pointer(operation.from, fail);
    const moved = read(root, from, fail) ?? null;
    remove(root, from, fail);
    add(root, path, moved, fail);
  } else if (op === 'copy') {
    const from = pointer(operation.from, fail);
    add(root, path, structuredClone(read(root, from, fail) ?? null), fail);
  } else fail('unknown operation');
}

type Fail = (why: string) => never;

function pointer(path: unknown, fail: Fail): string[] {
  if (typeof path !== 'string' || !path.startsWith('/')) return fail('the path does not begin with /');
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The container of the last step, and that step. */
function locate(
  root: { document: unknown },
  path: string[],
  fail: Fail,
): [unknown[] | Record<string, unknown>, string] {
  let at: unknown = root.document;
  for (const step of path.slice(0, -1)) {
    if (Array.isArray(at)) at = at[indexOf(at, step, false, fail)];
    else if (isFields(at) && Object.hasOwn(at, step)) at = at[step];
    else return fail(`nothing is at ${step}`);
  }
  if (Array.isArray(at) || isFields(at)) return [at, path.at(-1) ?? ''];
  return fail('the parent is neither an object nor a list');
}

function indexOf(list: unknown[], step: string, end: boolean, fail: Fail): number {
  if (end && step === '-') return list.length;
  if (!/^-?\d+$/.test(step)) return fail(`${step} is no index`);
  const given = Number(step);
  const index = given < 0 ? given + list.length + (end ? 1 : 0) : given;
  if (index < 0 || index > list.length || (!end && index === list.length))
    return fail(`index ${step} is out of bounds`);
  return index;
}

function add(root: { document: unknown }, path: string[], value: unknown, fail: Fail): void {
  const [container, step] = locate(root, path, fail);
  if (Array.isArray(container)) container.splice(indexOf(container, step, true, fail), 0, value);
  else define(container, step, value);
}

function replace(root: { document: unknown }, path: string[], value: unknown, fail: Fail): void {
  const [container, step] = locate(root, path, fail);
  if (Array.isArray(container)) container[indexOf(container, step, false, fail)] = value;
  else define(container, step, value);
}

function remove(root: { document: unknown }, path: string[], fail: Fail): void {
  const [container, step] = locate(root, path, fail);
  if (Array.isArray(container)) container.splice(indexOf(container, step, false, fail), 1);
  else if (Object.hasOwn(container, step)) delete container[step];
  else fail('there is nothing to remove');
}

function read(root: { document: unknown }, path: string[], fail: Fail): unknown {
  const [container, step] = locate(root, path, fail);
  if (Array.isArray(container)) return container[indexOf(container, step, false, fail)];
  return Object.hasOwn(container, step) ? container[step] : undefined;
}

/** Sets a field even if it is called `__proto__`. */
function define(container: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}
