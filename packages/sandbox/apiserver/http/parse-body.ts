import { decodeProtobuf } from '@tiphys/apimachinery';
import { goJsonError, parseYaml, YamlError, type YamlNode, YamlReader } from '@tiphys/yaml';
import { duplicateField, duplicateKeys, strictProblems } from './duplicate-keys.ts';

/** Keys that a text had twice, the last one of which won: in words for a warning each, and for one refusal. */
export interface Duplicates {
  readonly warnings: readonly string[];
  readonly refusal: string;
  /** With the unknown fields of an object of a built-in kind, in the order of the text; absent where they come behind. */
  readonly beside?: (unknown: readonly string[]) => string[];
}

/** A body as it was sent, and its value or why it has none. */
export interface Body {
  readonly bytes: Buffer;
  readonly value: unknown;
  readonly duplicates?: Duplicates;
  /** What Go's decoder of its format says of it. */
  readonly problem?: { readonly format: 'json' | 'yaml'; readonly message: string };
}

const JSON_PATCH = 'application/json-patch+json';

/** Parses a body of a media type. Throws ProtobufError. */
export function parseBody(bytes: Buffer, type: string): Body {
  if (type === 'application/vnd.kubernetes.protobuf') return { bytes, value: decodeProtobuf(bytes) };
  const text = bytes.toString();
  const yaml = type.endsWith('yaml');
  if (yaml && !/^\s*[{[]/.test(text)) return fromYaml(bytes, text);
  try {
    const value: unknown = JSON.parse(text);
    const paths = duplicateKeys(text, value);
    if (!paths.length) return { bytes, value };
    if (yaml) return fromYaml(bytes, text);
    const patch = type.endsWith('patch+json');
    const warnings = paths.map((path) => `${type === JSON_PATCH ? 'json patch ' : ''}${duplicateField(path)}`);
    const beside = patch ? {} : { beside: (unknown: readonly string[]) => strictProblems(text, unknown) };
    return { bytes, value, duplicates: { warnings, refusal: warnings.join(', '), ...beside } };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (yaml) return fromYaml(bytes, text);
    return { bytes, value: undefined, problem: { format: 'json', message: goJsonError(text, error) } };
  }
}

function fromYaml(bytes: Buffer, text: string): Body {
  try {
    const value = sorted(parseYaml(text));
    const warnings = [...repeatedKeys(text)];
    if (!warnings.length) return { bytes, value };
    return { bytes, value, duplicates: { warnings, refusal: `yaml: unmarshal errors:\n  ${warnings.join('\n  ')}` } };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { bytes, value: undefined, problem: { format: 'yaml', message: error.goMessage } };
  }
}

/** Go makes JSON of YAML first, with sorted keys: in that order it tells what is wrong. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function* repeatedKeys(text: string): Generator<string> {
  for (const { root } of new YamlReader(text).documents()) {
    yield* repeatedIn(root);
    return;
  }
}

/** In the order in which Go's decoder meets them: what a value holds comes before its own key. */
function* repeatedIn(node: YamlNode): Generator<string> {
  if (node.kind === 'sequence') for (const item of node.items) yield* repeatedIn(item);
  if (node.kind !== 'mapping') return;
  const seen = new Set<string>();
  for (let index = 0; index < node.pairs.length; index += 2) {
    const [key, value] = node.pairs.slice(index, index + 2);
    if (value) yield* repeatedIn(value);
    if (key?.kind !== 'scalar') continue;
    if (seen.has(key.value)) yield `line ${key.line}: key ${JSON.stringify(key.value)} already set in map`;
    seen.add(key.value);
  }
}
