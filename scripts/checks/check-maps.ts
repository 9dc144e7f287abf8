import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root, sourceFiles } from '../architecture.ts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/**
 * Every `name in object` whose name is not constant, as `file:line: what is wrong`: a name from outside may be `constructor` or
 * `toString`, which every object has. `Object.hasOwn`, a `Map` or an object without a prototype tell what was put there.
 */
export function checkMaps(files: readonly string[] = sourceFiles()): string[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return / in /.test(text) ? mapBreaches(file, text) : [];
  });
}

/** The same of one file's text. */
export function mapBreaches(file: string, text: string): string[] {
  return inherited(parseSync(file, text).program as unknown as Node).map(({ start, end }) => {
    const line = text.slice(0, start).split('\n').length;
    return `${file}:${line}: "${text.slice(start, end)}" is true of names that every object has: use Object.hasOwn`;
  });
}

function inherited(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(inherited);
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Node;
  const left = node['left'] as Node | undefined;
  const found = node.type === 'BinaryExpression' && node['operator'] === 'in' && left && !isConstant(left);
  return [...(found ? [node] : []), ...Object.values(value).flatMap(inherited)];
}

/** A text, a private name, or one of the symbols of the language. */
function isConstant({ type, object }: Node): boolean {
  if (type === 'Literal' || type === 'PrivateIdentifier') return true;
  return type === 'MemberExpression' && (object as Node)['name'] === 'Symbol';
}
