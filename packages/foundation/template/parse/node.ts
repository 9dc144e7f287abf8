import { goQuote } from '@tiphys/go';

/** Nodes of the syntax tree. `pos` is the offset in UTF-16 units in the text of the tree; `formatNode` gives Go's form of each. */
export type Node = TextNode | ActionNode | IfNode | WithNode | RangeNode | TemplateNode | BreakNode | ContinueNode;

/** Any node that an error can be at. */
export type PlacedNode = Node | ListNode | PipeNode | CommandNode | Operand;

export interface ListNode {
  readonly type: 'list';
  readonly pos: number;
  readonly nodes: readonly Node[];
}

export interface TextNode {
  readonly type: 'text';
  readonly pos: number;
  readonly text: string;
}

export interface ActionNode {
  readonly type: 'action';
  readonly pos: number;
  readonly line: number;
  readonly pipe: PipeNode;
}

interface BranchNode {
  readonly pos: number;
  readonly line: number;
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList: ListNode | undefined;
}

export interface IfNode extends BranchNode {
  readonly type: 'if';
}

export interface WithNode extends BranchNode {
  readonly type: 'with';
}

export interface RangeNode extends BranchNode {
  readonly type: 'range';
}

export interface TemplateNode {
  readonly type: 'template';
  readonly pos: number;
  readonly line: number;
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}

export interface BreakNode {
  readonly type: 'break';
  readonly pos: number;
}

export interface ContinueNode {
  readonly type: 'continue';
  readonly pos: number;
}

export interface PipeNode {
  readonly type: 'pipe';
  readonly pos: number;
  readonly line: number;
  /** The variables are assigned, not declared. */
  readonly assign: boolean;
  readonly decl: readonly VariableNode[];
  readonly cmds: readonly CommandNode[];
}

export interface CommandNode {
  readonly type: 'command';
  readonly pos: number;
  readonly args: readonly Operand[];
}

export type Operand =
  | IdentifierNode
  | VariableNode
  | DotNode
  | NilNode
  | FieldNode
  | ChainNode
  | BoolNode
  | NumberNode
  | StringNode
  | PipeNode;

export interface IdentifierNode {
  readonly type: 'identifier';
  readonly pos: number;
  readonly ident: string;
}

export interface VariableNode {
  readonly type: 'variable';
  readonly pos: number;
  /** `$x` first, then fields. */
  readonly ident: readonly string[];
}

export interface DotNode {
  readonly type: 'dot';
  readonly pos: number;
}

export interface NilNode {
  readonly type: 'nil';
  readonly pos: number;
}

export interface FieldNode {
  readonly type: 'field';
  readonly pos: number;
  readonly ident: readonly string[];
}

export interface ChainNode {
  readonly type: 'chain';
  readonly pos: number;
  readonly node: Operand;
  readonly field: string[];
}

export interface BoolNode {
  readonly type: 'bool';
  readonly pos: number;
  readonly value: boolean;
}

/** A number under every Go type that can represent it. */
export interface NumberNode {
  readonly type: 'number';
  readonly pos: number;
  readonly text: string;
  readonly int: bigint | undefined;
  readonly uint: bigint | undefined;
  readonly float: number | undefined;
  /** Real and imaginary part. */
  readonly complex: readonly [number, number] | undefined;
}

export interface StringNode {
  readonly type: 'string';
  readonly pos: number;
  /** As written, with quotes. */
  readonly quoted: string;
  readonly text: string;
}

/** The node as Go prints it; what error messages quote. */
export function formatNode(node: PlacedNode): string {
  switch (node.type) {
    case 'list':
      return node.nodes.map(formatNode).join('');
    case 'text':
      return node.text;
    case 'action':
      return `{{${formatNode(node.pipe)}}}`;
    case 'if':
    case 'with':
    case 'range': {
      const otherwise = node.elseList ? `{{else}}${formatNode(node.elseList)}` : '';
      return `{{${node.type} ${formatNode(node.pipe)}}}${formatNode(node.list)}${otherwise}{{end}}`;
    }
    case 'template':
      return `{{template ${goQuote(node.name)}${node.pipe ? ` ${formatNode(node.pipe)}` : ''}}}`;
    case 'break':
    case 'continue':
      return `{{${node.type}}}`;
    case 'pipe':
      return formatPipe(node);
    case 'command':
      return node.args.map((arg) => (arg.type === 'pipe' ? `(${formatPipe(arg)})` : formatNode(arg))).join(' ');
    case 'identifier':
      return node.ident;
    case 'variable':
      return node.ident.join('.');
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'field':
      return node.ident.map((name) => `.${name}`).join('');
    case 'chain': {
      const inner = formatNode(node.node);
      return `${node.node.type === 'pipe' ? `(${inner})` : inner}${node.field.map((name) => `.${name}`).join('')}`;
    }
    case 'bool':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return node.quoted;
  }
}

function formatPipe(pipe: PipeNode): string {
  const decl = pipe.decl.map(formatNode).join(', ');
  const head = decl ? `${decl} ${pipe.assign ? '=' : ':='} ` : '';
  return head + pipe.cmds.map(formatNode).join(' | ');
}

export function variableNode(pos: number, text: string): VariableNode {
  return { type: 'variable', pos, ident: steps(text) };
}

/** Nothing, wherever there is nothing. */
const none: never[] = [];

/** The list in as little memory as it needs: a list that grew keeps room for more, and charts have many thousands. */
export function exact<T>(list: readonly T[]): T[] {
  return list.length === 0 ? none : list.slice();
}

const knownSteps = new Map<string, readonly string[]>();
const maxKnownSteps = 20_000;

/** The names of a path; templates repeat the same ones. */
export function steps(path: string): readonly string[] {
  const known = knownSteps.get(path);
  if (known) return known;
  if (knownSteps.size >= maxKnownSteps) knownSteps.clear();
  const names = path.split('.');
  knownSteps.set(path, names);
  return names;
}
