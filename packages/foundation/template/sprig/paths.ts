import { define, type FunctionSpec } from '../value/function-spec.ts';

function clean(path: string): string {
  if (path === '') return '.';
  const rooted = path.startsWith('/');
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && out.length > 0 && out.at(-1) !== '..') out.pop();
    else if (part !== '..' || !rooted) out.push(part);
  }
  return (rooted ? '/' : '') + out.join('/') || '.';
}

function base(path: string): string {
  if (path === '') return '.';
  const trimmed = path.replace(/(?<!\/)\/+$/, '');
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
}

const functions: Readonly<Record<string, (path: string) => string | boolean>> = {
  base,
  dir: (path) => clean(path.slice(0, path.lastIndexOf('/') + 1)),
  clean,
  ext: extension,
  isAbs: (path) => path.startsWith('/'),
};

const spec = (body: (path: string) => string | boolean): FunctionSpec =>
  define('string', ([path]) => body(path as string));

/** Sprig's functions on paths. */
export const pathFunctions: ReadonlyMap<string, FunctionSpec> = new Map(
  Object.entries(functions).flatMap(([name, body]) => [
    [name, spec(body)],
    [`os${name[0]?.toUpperCase()}${name.slice(1)}`, spec(body)],
  ]),
);
