import { goJson } from './go-json.ts';
import { type Node, parseNode, textOf } from './node.ts';
import { type PrettyOptions, prettyJson } from './pretty.ts';

type Modifier = (node: Node, argument: string) => Node | undefined;

const list = (items: readonly Node[]) => parseNode(`[${items.map(({ raw }) => raw).join(',')}]`);
const keyed = (entries: readonly (readonly [string, Node])[]) =>
  parseNode(`{${entries.map(([key, { raw }]) => `${JSON.stringify(key)}:${raw}`).join(',')}}`);

/** The text without white space, everything else as it was written. */
function withoutSpace(node: Node): string {
  if (node.kind === 'array') return `[${node.items.map(withoutSpace).join(',')}]`;
  if (node.kind !== 'object') return node.raw;
  return `{${node.entries.map(([key, value]) => `${JSON.stringify(key)}:${withoutSpace(value)}`).join(',')}}`;
}

function flatten(items: readonly Node[], deep: boolean): Node[] {
  return items.flatMap((item) => (item.kind === 'array' ? (deep ? flatten(item.items, true) : item.items) : [item]));
}

function grouped(node: Node): Node | undefined {
  if (node.kind !== 'object') return undefined;
  const rows: (readonly [string, Node])[][] = [];
  for (const [key, column] of node.entries)
    if (column.kind === 'array')
      for (const [i, item] of column.items.entries()) {
        rows[i] ??= [];
        rows[i]?.push([key, item]);
      }
  return list(rows.map(keyed));
}

function argumentOf(argument: string): Record<string, unknown> {
  try {
    return (JSON.parse(argument || '{}') ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** White space is part of what a modifier gives. */
const asWritten = (raw: string): Node => ({ ...parseNode(raw), raw });

function prettyOptions({ width, prefix, indent, sortKeys }: Record<string, unknown>): PrettyOptions {
  const blank = (value: unknown, otherwise: string) =>
    value === undefined
      ? otherwise
      : String(value)
          .replace(/[^ \t\n\r]/g, '')
          .slice(0, 16);
  return {
    width: width === undefined ? 80 : Number(width) || 0,
    prefix: blank(prefix, ''),
    indent: blank(indent, '  '),
    sortKeys: sortKeys === true,
  };
}

/** What the modifiers make of a value that is not there; of the others nothing. */
export const ofNothing: ReadonlyMap<string, string> = new Map([
  ['keys', '[]'],
  ['values', '[]'],
  ['dig', '[]'],
  ['tostr', '""'],
]);

/** The modifiers of gjson that take a value to another one. */
export const modifiers: ReadonlyMap<string, Modifier> = new Map<string, Modifier>([
  ['this', (node) => node],
  ['valid', (node) => node],
  ['ugly', (node) => parseNode(withoutSpace(node))],
  ['pretty', (node, argument) => asWritten(prettyJson(node, prettyOptions(argumentOf(argument))))],
  [
    'reverse',
    (node) => {
      if (node.kind === 'array') return list([...node.items].reverse());
      return node.kind === 'object' ? keyed([...node.entries].reverse()) : node;
    },
  ],
  [
    'flatten',
    (node, argument) => (node.kind === 'array' ? list(flatten(node.items, argumentOf(argument).deep === true)) : node),
  ],
  [
    'join',
    (node, argument) => {
      if (node.kind !== 'array') return node;
      const all = node.items.flatMap((item) => (item.kind === 'object' ? [...item.entries] : []));
      return keyed(argumentOf(argument).preserve === true ? all : [...new Map(all)]);
    },
  ],
  [
    'keys',
    (node) => {
      if (node.kind === 'object') return parseNode(JSON.stringify(node.entries.map(([key]) => key)));
      return parseNode(JSON.stringify(node.kind === 'array' ? node.items.map(() => null) : [null]));
    },
  ],
  [
    'values',
    (node) => {
      if (node.kind === 'array') return node;
      return node.kind === 'object' ? list(node.entries.map(([, item]) => item)) : list([node]);
    },
  ],
  ['tostr', (node) => parseNode(goJson(node.raw))],
  [
    'fromstr',
    (node) => {
      try {
        return parseNode(textOf(node));
      } catch {
        return undefined;
      }
    },
  ],
  ['group', grouped],
]);
