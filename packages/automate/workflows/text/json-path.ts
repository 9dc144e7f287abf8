/** A path that cannot be followed. */
class JsonPathError extends Error {
  override name = 'ExprError';
}

type Step = { kind: 'child' | 'deep'; keys: (string | number)[] } | { kind: 'all' } | { kind: 'deepAll' };

/**
 * What a JSONPath finds in a JSON text: one value where the path can mean only one, else a list. `$`, `.name`, `['name']`, `[0]`, `[-1]`,
 * `[a,b]`, `*` and `..` are understood; filters and slices are refused.
 */
export function queryJson(text: string, path: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new JsonPathError(`jsonpath: ${(error as Error).message}`);
  }
  let found: unknown[] = [json];
  let isSingle = true;
  for (const step of stepsOf(path)) {
    if (step.kind !== 'child' || step.keys.length !== 1) isSingle = false;
    found = found.flatMap((value) => follow(value, step, path));
  }
  if (!isSingle) return found;
  if (found.length === 0) throw new JsonPathError(`jsonpath: nothing is at ${path}`);
  return found[0];
}

function stepsOf(path: string): Step[] {
  if (!path.startsWith('$')) throw new JsonPathError(`jsonpath: ${path} must begin with $`);
  const steps: Step[] = [];
  let rest = path.slice(1);
  while (rest) {
    const match = /^(\.\.?)?(?:(\*)|([A-Za-z_][\w-]*)|\[([^\]]*)\])/.exec(rest);
    if (!match || (!match[1] && !match[4])) throw new JsonPathError(`jsonpath: cannot read ${rest} of ${path}`);
    const isDeep = match[1] === '..';
    const inside = match[4]?.trim();
    if (match[2] || inside === '*') steps.push(isDeep ? { kind: 'deepAll' } : { kind: 'all' });
    else steps.push({ kind: isDeep ? 'deep' : 'child', keys: match[3] ? [match[3]] : keysOf(inside ?? '', path) });
    rest = rest.slice(match[0].length);
  }
  return steps;
}

function keysOf(inside: string, path: string): (string | number)[] {
  return inside.split(',').map((part) => {
    const text = part.trim();
    const quoted = /^(['"])(.*)\1$/.exec(text);
    if (quoted) return quoted[2] as string;
    if (/^-?\d{1,9}$/.test(text)) return Number(text);
    throw new JsonPathError(`jsonpath: [${inside}] of ${path} is not supported; use names, numbers or *`);
  });
}

function follow(value: unknown, step: Step, path: string): unknown[] {
  if (step.kind === 'all') return childrenOf(value);
  if (step.kind === 'deepAll') return descendants(value).flatMap(childrenOf);
  const values = step.kind === 'child' ? [value] : descendants(value);
  const found = values.flatMap((item) => step.keys.flatMap((key) => member(item, key)));
  if (step.kind === 'child' && found.length === 0) throw new JsonPathError(`jsonpath: nothing is at ${path}`);
  return found;
}

function childrenOf(value: unknown): unknown[] {
  return value !== null && typeof value === 'object' ? Object.values(value) : [];
}

function descendants(value: unknown): unknown[] {
  return [value, ...childrenOf(value).flatMap(descendants)];
}

function member(value: unknown, key: string | number): unknown[] {
  if (Array.isArray(value) && typeof key === 'number') {
    const item = value.at(key);
    return item === undefined ? [] : [item];
  }
  const isMap = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isMap && Object.hasOwn(value, key) ? [(value as Record<string, unknown>)[key]] : [];
}
