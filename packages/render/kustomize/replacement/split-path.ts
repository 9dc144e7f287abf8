import { splitPath } from '../transform/field-spec.ts';

/**
 * The parts of a field path between dots: `a.b\.c.[name=x.y].[d.e]` has the parts `a`, `b.c`, `[name=x.y]` and `d.e`.
 */
export function splitFieldPath(path: string): string[] {
  const parts = splitPath(path, '.');
  const result: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    let part = parts[i] as string;
    if (!part.startsWith('[') || part.endsWith(']')) {
      result.push(part);
      continue;
    }
    while (i + 1 < parts.length) {
      const next = parts[++i] as string;
      part += `.${next}`;
      if (next.endsWith(']')) break;
    }
    result.push(part.includes('=') ? part : part.replace(/^[[\]]+|(?<![[\]])[[\]]+$/g, ''));
  }
  return result;
}
