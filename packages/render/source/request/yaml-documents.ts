import { type Diagnosis, diagnose, shownLines } from '@tiphys/diagnosis';
import { type DocumentNode, lineOf, type Shape, YamlReader } from '@tiphys/yaml';
import { duplicateKeys } from './diagnoses.ts';

/** One document of a file that is not empty. */
export interface ManifestDocument {
  readonly value: unknown;
  /** 1-based, of its first content. */
  readonly line: number;
  /** 1-based line of what is at a path, such as `['items', 3]`. */
  lineOf(path: readonly (string | number)[]): number;
}

/** No manifest has more; a document that expands beyond it is refused before it costs. */
const limits = { depth: 500, documents: 100_000, values: 1_000_000 };

const plain: Shape<unknown, Record<string, unknown>> = {
  map: () => ({}),
  set(map, key, value) {
    if (key === '__proto__')
      Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
    else map[key] = value;
  },
  list: (items) => items,
  scalar: (value) => (typeof value === 'bigint' ? Number(value) : value),
};

/**
 * The documents of a YAML text as `kubectl` reads them; empty ones are left out. The last of two equal keys counts, with a
 * warning. Throws a `YamlError` (M9, M15) with line, column and text.
 */
export function* readDocuments(
  text: string,
  file: string,
  warn: (warning: Diagnosis) => void,
): Generator<ManifestDocument> {
  const reader = new YamlReader(text, { file, limits });
  for (const document of reader.documents()) {
    const value = reader.decode(document, plain);
    if (value === null) continue;
    warnDuplicates(document, file, warn);
    yield { value, line: lineOf(document, []), lineOf: (path) => lineOf(document, path) };
  }
}

function warnDuplicates(document: DocumentNode, file: string, warn: (warning: Diagnosis) => void): void {
  const stack = [document.root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.kind === 'sequence') stack.push(...node.items);
    if (node.kind !== 'mapping') continue;
    const seen = new Set<string>();
    for (const [index, part] of node.pairs.entries()) {
      if (index % 2 === 1) stack.push(part);
      else if (part.kind === 'scalar') {
        if (seen.has(part.value) && part.value !== '<<') warn(duplicateKey(part.value, file, part.line, part.column));
        seen.add(part.value);
      }
    }
  }
}

function duplicateKey(key: string, file: string, line: number, column: number): Diagnosis {
  return diagnose(duplicateKeys, {
    message: `The key "${key}" is there twice; the last one counts`,
    place: { file, line, column },
    remedies: ['Remove one of them'],
  });
}

/** The line with the one before and the one after it, numbered. */
export function excerpt(text: string, line: number): string {
  const lines = text.split('\n', line + 1);
  const shown = [line - 1, line, line + 1]
    .filter((number) => number >= 1 && number <= lines.length)
    .map((number) => `${number === line ? '>' : ' '} ${number} | ${(lines[number - 1] ?? '').slice(0, 160)}`)
    .join('\n');
  return shownLines(shown, text);
}
