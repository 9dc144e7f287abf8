import type { ValueMap } from '@tiphys/template';
import { parseJson } from '@tiphys/template';
import { YamlError } from '@tiphys/yaml';
import { type LoadedValues, loadValues, ValuesShapeError } from '../chart/load-values.ts';
import { deepCopyMap, mergeMaps } from '../chart/value-tables.ts';
import { valuesInvalid } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';
import { marked, type ValueOrigin } from './marked-value.ts';
import { parseSet, type SetKind } from './strvals.ts';

/** What the user gives besides the chart's own values, in the order in which helm applies it. */
export interface ValueSources {
  readonly files?: readonly { readonly name: string; readonly text: string }[];
  /** `--set-json`: `a.b=[1]` or a whole object. */
  readonly setJson?: readonly string[];
  readonly set?: readonly string[];
  readonly setString?: readonly string[];
  /** `--set-file`: `a.b=path`. */
  readonly setFile?: readonly string[];
  readonly setLiteral?: readonly string[];
  /** Text of a file that `--set-file` names. */
  readonly readFile?: (path: string) => string;
}

export interface AssembledValues {
  readonly values: ValueMap;
  /** The same values, each scalar a `MarkedValue` that knows where it was given. */
  marked(): ValueMap;
}

/** Sees the values after each source that was applied, and what comes of them goes on. */
type Mark = (values: ValueMap, originOf: (path: readonly (string | number)[]) => ValueOrigin) => ValueMap;

/** Puts the user's values together. Throws `HelmError` with Helm's words. */
export function assembleValues(sources: ValueSources): AssembledValues {
  return { values: assemble(sources, (all) => all), marked: () => assemble(sources, marked) };
}

function assemble(sources: ValueSources, mark: Mark): ValueMap {
  let values: ValueMap = new Map();
  for (const { name, text } of sources.files ?? []) {
    const loaded = load(name, text);
    values = mergeMaps(
      values,
      mark(loaded.values, (path) => ({ source: name, line: loaded.lineOf(path) })),
    );
  }
  for (const expression of sources.setJson ?? []) {
    const source = `--set-json ${expression}`;
    values = mark(applyJson(expression, values), () => ({ source, line: 0 }));
  }
  const kinds: [string, readonly string[] | undefined, SetKind, string][] = [
    ['--set', sources.set, 'typed', 'failed parsing --set data'],
    ['--set-string', sources.setString, 'string', 'failed parsing --set-string data'],
    ['--set-file', sources.setFile, { file: sources.readFile ?? missingFile }, 'failed parsing --set-file data'],
    ['--set-literal', sources.setLiteral, 'literal', 'failed parsing --set-literal data'],
  ];
  // Tables of files may be shared with what was loaded; expressions write into them.
  if (kinds.some(([, expressions]) => expressions?.length)) values = deepCopyMap(values);
  for (const [flag, expressions, kind, words] of kinds) {
    for (const expression of expressions ?? []) {
      const source = `${flag} ${expression}`;
      attempt(words, source, () => parseSet(expression, values, kind));
      values = mark(values, () => ({ source, line: 0 }));
    }
  }
  return values;
}

function missingFile(path: string): string {
  throw new Error(`open ${path}: no such file or directory`);
}

function load(name: string, text: string): LoadedValues {
  try {
    return loadValues(text, { file: name });
  } catch (error) {
    if (!(error instanceof YamlError) && !(error instanceof ValuesShapeError)) throw error;
    const words = error instanceof YamlError ? `error converting YAML to JSON: ${error.goMessage}` : error.message;
    const inner = error instanceof YamlError ? error.diagnosis : undefined;
    throw new HelmError(
      valuesInvalid,
      `failed to parse ${name}: cannot unmarshal yaml document: ${words}`,
      {
        place: inner?.place ?? { file: name },
        evidence: inner?.evidence ?? [],
        remedies: inner?.remedies ?? [`${name} must hold a table of values`],
      },
      error,
    );
  }
}

function applyJson(expression: string, values: ValueMap): ValueMap {
  const trimmed = expression.trim();
  const fail = (words: string, error: unknown): never => {
    throw new HelmError(
      valuesInvalid,
      words,
      { evidence: { reason: (error as Error).message }, remedies: ['Write valid JSON after the ='] },
      error,
    );
  };
  if (trimmed.startsWith('{')) {
    try {
      const { value } = parseJson(trimmed);
      return mergeMaps(values, value as ValueMap);
    } catch (error) {
      return fail(`failed parsing --set-json data JSON: ${expression}`, error);
    }
  }
  try {
    const copy = deepCopyMap(values);
    parseSet(expression, copy, 'json');
    return copy;
  } catch (error) {
    return fail(`failed parsing --set-json data ${expression}`, error);
  }
}

function attempt(words: string, flag: string, body: () => void): void {
  try {
    body();
  } catch (error) {
    if (error instanceof HelmError) throw error;
    throw new HelmError(
      valuesInvalid,
      `${words}: ${(error as Error).message}`,
      {
        evidence: { option: flag.slice(0, 300) },
        remedies: ['Escape commas, dots and brackets that belong to a name or a text with a backslash'],
      },
      error,
    );
  }
}
