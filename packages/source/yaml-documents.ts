import { type Diagnosis, DiagnosisError, diagnose } from '@tiphys/diagnosis';
import { LineCounter, parseDocument, type Tags, type YAMLError } from 'yaml';
import { duplicateKeys, manifestInvalid, manifestTooComplex } from './diagnoses.ts';

/** One document of a file. */
export interface YamlDocument {
  readonly value: unknown;
  /** 1-based, of its first key. */
  readonly line: number;
  /** 1-based line of a top-level list item or of anything by its path: `['items', 3]`. */
  lineOf(path: readonly (string | number)[]): number;
}

/** Where a document starts in its file. */
interface Slice {
  readonly text: string;
  /** Lines before it. */
  readonly offset: number;
}

/** Nodes that one document may expand to through its aliases. */
const maxNodes = 1_000_000;
/** More than any manifest; far below what overflows a stack. */
const maxDepth = 200;

/**
 * The documents of a YAML text as `kubectl` reads them: split at lines that start with `---`, YAML 1.1 booleans, the last
 * of equal keys counts (with a warning). Empty documents are left out. Throws M9 with line, column and three lines of text.
 */
export function* readDocuments(
  text: string,
  file: string,
  warn: (warning: Diagnosis) => void,
): Generator<YamlDocument> {
  for (const slice of split(text)) {
    if (isBlank(slice.text)) continue;
    const document = readDocument(slice, text, file, warn);
    if (document) yield document;
  }
}

function isBlank(text: string): boolean {
  return !/^[ \t]*[^\s#]/m.test(text);
}

function* split(text: string): Generator<Slice> {
  const separator = /^---[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/gm;
  let start = 0;
  let offset = 0;
  for (let match = separator.exec(text); match !== null; match = separator.exec(text)) {
    if (match.index > start) yield { text: text.slice(start, match.index), offset };
    offset += countLines(text, start, match.index + match[0].length);
    start = match.index + match[0].length;
  }
  if (start < text.length) yield { text: text.slice(start), offset };
}

function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function readDocument(
  slice: Slice,
  whole: string,
  file: string,
  warn: (warning: Diagnosis) => void,
): YamlDocument | undefined {
  const counter = new LineCounter();
  checkNesting(slice, file);
  const document = parseDocument(slice.text, {
    version: '1.1',
    merge: true,
    uniqueKeys: false,
    lineCounter: counter,
    prettyErrors: false,
    strict: false,
    customTags: kubernetesTags,
    keepSourceTokens: false,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error) throw invalidYaml(error, counter, slice, whole, file);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 10_000 });
  } catch (cause) {
    throw tooComplex(file, slice.offset + 1, cause instanceof Error ? cause.message : String(cause));
  }
  if (value === null || value === undefined) return undefined;
  if (slice.text.includes('*')) value = unshare(value, file, slice.offset + 1);
  const start = document.contents?.range?.[0] ?? 0;
  warnDuplicates(document.contents, counter, slice, file, warn);
  return {
    value,
    line: slice.offset + counter.linePos(start).line,
    lineOf: (path) => {
      const node = document.getIn(path, true) as { range?: [number, number, number] } | undefined;
      return slice.offset + counter.linePos(node?.range?.[0] ?? start).line;
    },
  };
}

/** Timestamps stay text, and there are no sexagesimal numbers, sets or binaries: Go's reader has none for JSON. */
const kubernetesTags = (tags: Tags): Tags =>
  tags.filter(
    (tag) =>
      typeof tag === 'string' ||
      (![
        'tag:yaml.org,2002:timestamp',
        'tag:yaml.org,2002:set',
        'tag:yaml.org,2002:omap',
        'tag:yaml.org,2002:pairs',
        'tag:yaml.org,2002:binary',
      ].includes(tag.tag) &&
        (tag as { format?: string }).format !== 'TIME'),
  );

/** Flow nesting is counted before parsing, block nesting by indentation: both bound the parser's recursion. */
function checkNesting(slice: Slice, file: string): void {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < slice.text.length; at += 1) {
    const code = slice.text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if ((code === 0x5d || code === 0x7d) && depth > 0) depth -= 1;
    // Brackets inside block text are not nesting: a line that starts a new key resets what was left open.
    else if (code === 10 && depth > 0 && /^[A-Za-z]/.test(slice.text[at + 1] ?? '')) depth = 0;
    if (deepest > maxDepth * 5)
      throw tooComplex(file, slice.offset + countLines(slice.text, 0, at) + 1, 'it is nested too deeply');
  }
  const dashes = /^(?:[ \t]*- ){200}/m.exec(slice.text) ?? /^(?:- |\? ){200}/m.exec(slice.text);
  if (dashes)
    throw tooComplex(file, slice.offset + countLines(slice.text, 0, dashes.index) + 1, 'it is nested too deeply');
}

/** Aliases become copies, so that no later step can write through one; bounded, since copies can explode. */
function unshare(value: unknown, file: string, line: number): unknown {
  let nodes = 0;
  const copy = (node: unknown, depth: number): unknown => {
    nodes += 1;
    if (nodes > maxNodes) throw tooComplex(file, line, `its aliases expand to more than ${maxNodes} nodes`);
    if (depth > maxDepth) throw tooComplex(file, line, 'it is nested too deeply');
    if (Array.isArray(node)) return node.map((item) => copy(item, depth + 1));
    if (node === null || typeof node !== 'object') return node;
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, copy(item, depth + 1)]));
  };
  return copy(value, 0);
}

interface MapLike {
  readonly items: readonly {
    readonly key?: { readonly value?: unknown; readonly range?: [number, number, number] } | null;
    readonly value?: unknown;
  }[];
}

function warnDuplicates(
  node: unknown,
  counter: LineCounter,
  slice: Slice,
  file: string,
  warn: (warning: Diagnosis) => void,
): void {
  const stack = [node];
  for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
    const items = (current as MapLike | null)?.items;
    if (!Array.isArray(items)) continue;
    const seen = new Set<unknown>();
    for (const item of items) {
      const key = item?.key?.value;
      if (key !== undefined && seen.has(key)) {
        const { line, col } = counter.linePos(item.key?.range?.[0] ?? 0);
        warn(
          diagnose(duplicateKeys, {
            message: `The key "${String(key)}" is there twice; the last one counts`,
            place: { file, line: slice.offset + line, column: col },
            remedies: ['Remove one of them'],
          }),
        );
      }
      if (key !== undefined) seen.add(key);
      stack.push(item && 'value' in item && 'key' in item ? item.value : item);
    }
  }
}

function invalidYaml(
  error: YAMLError,
  counter: LineCounter,
  slice: Slice,
  whole: string,
  file: string,
): DiagnosisError {
  const { line: relative, col } = counter.linePos(error.pos[0]);
  const line = slice.offset + relative;
  const lines = whole.split('\n');
  const text = lines[line - 1] ?? '';
  const tab = /^\s*\t/.test(text);
  const message = tab ? 'Tabs cannot indent YAML' : error.message.replace(/ at line.*$/s, '').split('\n')[0];
  return new DiagnosisError(
    diagnose(manifestInvalid, {
      message: `The file is not valid YAML: ${message}`,
      place: { file, line, column: col },
      evidence: { text: excerpt(lines, line) },
      remedies: [
        tab ? { text: 'Use spaces', paste: text.replaceAll('\t', '  ').trimEnd() } : 'Correct the file at this place',
        'Or leave it out with directory.exclude',
      ],
    }),
  );
}

/** The line with the one before and the one after it, numbered. */
export function excerpt(lines: readonly string[], line: number): string {
  return [line - 1, line, line + 1]
    .filter((number) => number >= 1 && number <= lines.length)
    .map((number) => `${number === line ? '>' : ' '} ${number} | ${(lines[number - 1] ?? '').slice(0, 160)}`)
    .join('\n');
}

function tooComplex(file: string, line: number, why: string): DiagnosisError {
  return new DiagnosisError(
    diagnose(manifestTooComplex, {
      message: `The file cannot be read: ${why}`,
      place: { file, line },
      remedies: ['Write the content out without aliases, in several files, or less deeply nested'],
    }),
  );
}
