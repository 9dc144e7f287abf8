import type { Value } from './values.ts';

/** A node of a parsed expression; `at` is its offset in the text, in characters. */
export type Node =
  | { readonly kind: 'literal'; readonly at: number; readonly value: Value }
  | { readonly kind: 'ident'; readonly at: number; readonly name: string }
  | {
      readonly kind: 'select';
      readonly at: number;
      readonly operand: Node;
      readonly field: string;
      readonly optional: boolean;
      /** `has(a.b)` */
      readonly test: boolean;
    }
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly name: string;
      readonly target: Node | undefined;
      readonly args: readonly Node[];
    }
  | { readonly kind: 'list'; readonly at: number; readonly items: readonly { node: Node; optional: boolean }[] }
  | {
      readonly kind: 'map';
      readonly at: number;
      readonly entries: readonly { key: Node; value: Node; optional: boolean }[];
    }
  | {
      readonly kind: 'struct';
      readonly at: number;
      readonly name: string;
      readonly fields: readonly { name: string; value: Node; at: number; optional: boolean }[];
    }
  | {
      /** `range.name(variables…, args…)` where the variables are bound for each element. */
      readonly kind: 'macro';
      readonly at: number;
      readonly name: MacroName;
      readonly range: Node;
      readonly variables: readonly string[];
      readonly args: readonly Node[];
    };

export type MacroName =
  | 'all'
  | 'exists'
  | 'exists_one'
  | 'map'
  | 'filter'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry'
  | 'optMap'
  | 'optFlatMap';

/** The nodes directly inside of one. */
export function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return [...(node.target ? [node.target] : []), ...node.args];
    case 'list':
      return node.items.map((item) => item.node);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'macro':
      return [node.range, ...node.args];
    default:
      return [];
  }
}

/** What is wrong with the text of an expression, and where. */
export interface CelIssue {
  readonly at: number;
  readonly message: string;
}

/** Thrown for a text that is no expression, or does not fit the types of its variables. */
export class CelCompileError extends Error {
  readonly issues: readonly CelIssue[];

  constructor(text: string, issues: readonly CelIssue[]) {
    super(issues.map((issue) => formatIssue(text, issue)).join('\n'));
    this.name = 'CelCompileError';
    this.issues = issues;
  }
}

/** Thrown for an expression whose constants can't be converted: that is found before it is ever evaluated. */
export class CelInstantiationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CelInstantiationError';
  }
}

const isWide = (character: string): boolean => (character.codePointAt(0) ?? 0) > 0x7f;

/** An issue as cel-go prints it: place, line and a caret below the place. */
function formatIssue(text: string, { at, message }: CelIssue): string {
  const before = text.slice(0, Math.max(at, 0));
  const line = before.split('\n').length;
  const column = before.length - (before.lastIndexOf('\n') + 1);
  const source = (text.split('\n')[line - 1] ?? '').replaceAll('\t', ' ');
  if (text === '') return `ERROR: <input>:1:0: ${message}`;
  // Wide characters are pointed at by wide ones.
  const pad = [...source.slice(0, column)].map((character) => (isWide(character) ? '．' : '.')).join('');
  const mark = isWide(source[column] ?? '') ? '＾' : '^';
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${source}\n | ${pad}${mark}`;
}
