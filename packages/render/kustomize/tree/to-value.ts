import { type Printable, resolveTagged } from '@tiphys/yaml';
import { GoError } from '../failure/go-error.ts';
import { isQuotedStyle, type Node, nullTag, stringTag } from './node.ts';
import { resolveScalar } from './resolve-scalar.ts';

/**
 * The JSON value of a tree, as Kustomize gets it by printing the tree and reading it again: a scalar without a tag is what
 * its text says, a timestamp is written out, a key that stands twice is refused.
 */
export function toValue(node: Node): Printable {
  return valueOfNode(node, false);
}

/** What is empty is a string inside braces and brackets, as it is printed with quotes there. */
function valueOfNode(node: Node, inFlow: boolean): Printable {
  switch (node.kind) {
    case 'scalar':
      return inFlow && isEmptyText(node) ? '' : scalarValue(node);
    case 'list': {
      const flow = inFlow || node.style === 'flow';
      return node.content.map((item) => valueOfNode(item, flow));
    }
    case 'map':
      return mapValue(node, inFlow || node.style === 'flow');
    default:
      return null;
  }
}

function isEmptyText({ value, style, tag }: Node): boolean {
  return value === '' && style === '' && (tag === '' || tag === nullTag || tag === stringTag);
}

function mapValue(node: Node, inFlow: boolean): ReadonlyMap<string, Printable> {
  const map = new Map<string, Printable>();
  const { content } = node;
  for (let i = 0; i + 1 < content.length; i += 2) {
    const key = content[i] as Node;
    // Only whole resources that fail are looked at closely, by Kustomize's order of checks.
    if (map.has(key.value)) throw new ValueFailure('duplicate', node, key);
    if (!isStringKey(key)) throw new ValueFailure('key', node, key);
    map.set(key.value, valueOfNode(content[i + 1] as Node, inFlow));
  }
  return map;
}

/** A tree that has no JSON value; `describeFailure` finds Kustomize's words for it. */
export class ValueFailure extends GoError {
  readonly problem: 'duplicate' | 'key';
  readonly key: Node;
  constructor(problem: 'duplicate' | 'key', map: Node, key: Node) {
    super(
      problem === 'duplicate' ? `mapping key ${JSON.stringify(key.value)} already defined` : 'unsupported map key',
      {
        ...place(key),
        evidence: { 'first defined at line': problem === 'duplicate' ? map.keyNode(key.value)?.line : undefined },
        remedies: [
          problem === 'duplicate'
            ? `Remove one of the two lines that set ${key.value}`
            : `Put the key ${key.value} in quotes`,
        ],
      },
    );
    this.problem = problem;
    this.key = key;
  }
}

/** True if go-yaml takes the key for a string. */
export function isStringKey(key: Node): boolean {
  if (key.kind !== 'scalar') return false;
  if (key.tag === stringTag || isQuotedStyle(key.style)) return true;
  return (key.tag === '' ? resolveScalar(key.value).tag : key.tag) === stringTag;
}

function place(node: Node): { place?: { file: string; line: number } } {
  return node.origin ? { place: { file: node.origin.file, line: node.line } } : {};
}

/** The value of a scalar. */
export function scalarValue(node: Node): Printable {
  const { tag, value, style } = node;
  if (tag === stringTag) return value;
  if (isQuotedStyle(style)) return tag === '' || tag === resolveScalar(value).tag ? value : taggedValue(node);
  if (style === 'tagged') return taggedValue(node);
  const resolved = resolveScalar(value);
  if (tag !== '' && tag !== resolved.tag) return taggedValue(node);
  switch (resolved.tag) {
    case '!!null':
      return null;
    case '!!timestamp':
      return timestamp(value);
    case '!!float':
      if (!Number.isFinite(resolved.value as number))
        throw new GoError(`json: unsupported value: ${goFloat(resolved.value as number)}`, place(node));
      return resolved.value;
    default:
      return resolved.value;
  }
}

function goFloat(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

const resolvable = new Set(['!!bool', '!!int', '!!float', '!!null', '!!timestamp']);

function taggedValue(node: Node): Printable {
  const long = node.tag.replace(/^!!/, 'tag:yaml.org,2002:');
  if (long === 'tag:yaml.org,2002:timestamp') return timestamp(node.value);
  const { tag: own } = resolveScalar(node.value);
  const resolved = resolveTagged(long, node.value);
  // Words of YAML 1.1 are strings here.
  if (resolved.type === 'error' || (own === stringTag && resolved.type === 'bool'))
    throw new GoError(
      resolvable.has(node.tag)
        ? `yaml: cannot decode ${own} \`${node.value}\` as a ${node.tag}`
        : `yaml: ${resolved.type === 'error' ? resolved.message : ''}`,
      place(node),
    );
  switch (resolved.type) {
    case 'null':
      return null;
    case 'timestamp':
      return timestamp(node.value);
    default:
      return resolved.value;
  }
}

/** A timestamp as Go's time.Time writes itself in JSON. */
function timestamp(text: string): string {
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})?)?$/.exec(text);
  if (!match) return text;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
  const two = (part: string | undefined): string => (part ?? '0').padStart(2, '0');
  const nanos = fraction.slice(0, 9).replace(/(?<!0)0+$/, '');
  const offset = /^[+-]00:00$/.test(zone) ? 'Z' : zone;
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${nanos === '' ? '' : `.${nanos}`}${offset}`;
}
