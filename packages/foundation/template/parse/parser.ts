import { goQuote } from '@tiphys/go';
import { TemplateError } from '../failure/template-error.ts';
import { Lexer, type Token, type TokenType } from './lexer.ts';
import {
  type ChainNode,
  type CommandNode,
  exact,
  formatNode,
  type ListNode,
  type Node,
  type Operand,
  type PipeNode,
  steps,
  type TemplateNode,
  type VariableNode,
  variableNode,
} from './node.ts';
import { parseNumber } from './number.ts';
import { TokenReader } from './token-reader.ts';
import { isEmptyTree, type ParsedTemplate, type Tree } from './tree.ts';

export interface ParseOptions {
  /** Names of functions besides Go's own; a name that is not here is an error, as in Go. */
  readonly functions?: { has(name: string): boolean };
  /** `{{` and `}}` if not given. */
  readonly delimiters?: readonly [left: string, right: string];
}

const builtins = new Set(
  'and call html index slice js len not or print printf println urlquery eq ge gt le lt ne'.split(' '),
);

/**
 * Parses a text as Go's text/template does.
 * Throws `TemplateError` of kind `parse` with Go's message: `template: NAME:LINE: …`.
 */
export function parse(name: string, text: string, options: ParseOptions = {}): ParsedTemplate {
  const functions = options.functions ?? new Set<string>();
  const [left, right] = options.delimiters ?? ['{{', '}}'];
  const identifiers = new Set(['break', 'continue'].filter((word) => functions.has(word)));
  const lexer = new Lexer(text, left || '{{', right || '}}', identifiers);
  const trees = new Map<string, Tree>();
  try {
    new Parser({ name, parseName: name, text, lexer, trees, functions, size: { parts: 0 } }).parseAll();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const detail =
      error instanceof SizeError
        ? error.message
        : 'expressions or control structures are nested too deeply for the stack';
    throw new TemplateError('limit', `template: ${name}: ${detail}`, detail, { template: name, line: 0 }, error);
  }
  return { name, trees };
}

/** Raised for a text of more parts than is allowed. */
class SizeError extends RangeError {}

/** What ends a list of nodes. */
type Terminator = { readonly type: 'end' | 'else'; readonly pos: number };

/** What a pipeline begins with. */
interface Declared {
  assign: boolean;
  readonly decl: VariableNode[];
}

interface ParserState {
  readonly name: string;
  readonly parseName: string;
  readonly text: string;
  readonly lexer: Lexer;
  readonly trees: Map<string, Tree>;
  readonly functions: { has(name: string): boolean };
  /** How many actions and operands there are so far. */
  readonly size: { parts: number };
}

const maxParenDepth = 10_000;
/** The depth of nested control structures at which the JavaScript stack is still safe; Go has no such limit. */
const maxControlDepth = 1_500;
/** Actions and operands of one text: far more than any chart has, and no more than memory bears. */
const maxParts = 400_000;
const operandStarts = new Set<TokenType>([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
]);

/** Recursive descent; one instance per tree. */
class Parser {
  readonly #state: ParserState;
  #name: string;
  readonly #input: TokenReader;
  #vars: string[] = ['$'];
  #rangeDepth = 0;
  #parenDepth = 0;
  #controlDepth = 0;

  constructor(state: ParserState) {
    this.#state = state;
    this.#name = state.name;
    this.#input = new TokenReader(state.lexer, state.parseName);
  }

  parseAll(): void {
    const { pos } = this.#input.peek();
    const nodes: Node[] = [];
    while (this.#input.peek().type !== 'eof') {
      if (this.#input.peek().type === 'leftDelim') {
        const delim = this.#input.next();
        if (this.#input.nextNonSpace().type === 'define') {
          new Parser({ ...this.#state, name: 'definition' }).parseDefinition();
          continue;
        }
        this.#input.backup2(delim);
      }
      const node = this.#textOrAction();
      if (node.type === 'end' || node.type === 'else') this.#input.fail(`unexpected ${formatTerminator(node)}`);
      nodes.push(node as Node);
    }
    this.#add({ type: 'list', pos, nodes: exact(nodes) });
  }

  parseDefinition(): void {
    const context = 'define clause';
    const name = this.#input.nextNonSpace();
    if (name.type !== 'string' && name.type !== 'rawString') this.#input.unexpected(name, context);
    this.#name = this.#input.unquote(name);
    this.#input.expect('rightDelim', context);
    this.#parseBody(context, this);
  }

  /** `reporter` is the parser at whose place an `else` is reported. */
  #parseBody(context: string, reporter: Parser): void {
    const [list, end] = this.#itemList();
    if (end.type !== 'end') reporter.#input.fail(`unexpected ${formatTerminator(end)} in ${context}`);
    this.#add(list);
  }

  #add(root: ListNode): void {
    const { trees, parseName, text } = this.#state;
    const old = trees.get(this.#name);
    if (!old || isEmptyTree(old.root)) trees.set(this.#name, { name: this.#name, parseName, text, root });
    else if (!isEmptyTree(root)) this.#input.fail(`template: multiple definition of template ${goQuote(this.#name)}`);
  }

  #count(): void {
    if (++this.#state.size.parts > maxParts) throw new SizeError(`the template has more than ${maxParts} parts`);
  }

  #itemList(): [ListNode, Terminator] {
    const { pos } = this.#input.peekNonSpace();
    const nodes: Node[] = [];
    while (this.#input.peekNonSpace().type !== 'eof') {
      const node = this.#textOrAction();
      if (node.type === 'end' || node.type === 'else')
        return [{ type: 'list', pos, nodes: exact(nodes) }, node as Terminator];
      nodes.push(node as Node);
    }
    return this.#input.fail('unexpected EOF');
  }

  #textOrAction(): Node | Terminator {
    this.#count();
    const token = this.#input.nextNonSpace();
    if (token.type === 'text') return { type: 'text', pos: token.pos, text: token.value };
    if (token.type !== 'leftDelim') this.#input.unexpected(token, 'input');
    this.#input.actionLine = token.line;
    const node = this.#action();
    this.#input.actionLine = 0;
    return node;
  }

  #action(): Node | Terminator {
    const token = this.#input.nextNonSpace();
    switch (token.type) {
      case 'block':
        return this.#blockControl();
      case 'break':
      case 'continue':
        return this.#loopControl(token.type, token.pos);
      case 'else':
        return this.#elseControl();
      case 'end':
        return { type: 'end', pos: this.#input.expect('rightDelim', 'end').pos };
      case 'if':
      case 'range':
      case 'with':
        return this.#branchControl(token.type);
      case 'template':
        return this.#templateControl();
    }
    this.#input.backup();
    const { pos, line } = this.#input.peek();
    return { type: 'action', pos, line, pipe: this.#pipeline('command', 'rightDelim') };
  }

  #loopControl(type: 'break' | 'continue', pos: number): Node {
    const token = this.#input.nextNonSpace();
    if (token.type !== 'rightDelim') this.#input.unexpected(token, `{{${type}}}`);
    if (this.#rangeDepth === 0) this.#input.fail(`{{${type}}} outside {{range}}`);
    return { type, pos };
  }

  #elseControl(): Terminator {
    const peek = this.#input.peekNonSpace();
    if (peek.type === 'if' || peek.type === 'with') return { type: 'else', pos: peek.pos };
    return { type: 'else', pos: this.#input.expect('rightDelim', 'else').pos };
  }

  #branchControl(type: 'if' | 'range' | 'with'): Node {
    if (++this.#controlDepth > maxControlDepth) this.#input.fail('max control structure depth exceeded');
    const vars = this.#vars.length;
    const pipe = this.#pipeline(type, 'rightDelim');
    if (type === 'range') this.#rangeDepth++;
    const [list, next] = this.#itemList();
    if (type === 'range') this.#rangeDepth--;
    const elseList = next.type === 'else' ? this.#elseList(type, next) : undefined;
    this.#vars.length = vars;
    this.#controlDepth--;
    return { type, pos: pipe.pos, line: pipe.line, pipe, list, elseList };
  }

  #elseList(type: 'if' | 'range' | 'with', next: Terminator): ListNode {
    if (type !== 'range' && this.#input.peek().type === type) {
      this.#input.next();
      return { type: 'list', pos: next.pos, nodes: [this.#branchControl(type)] };
    }
    const [list, end] = this.#itemList();
    if (end.type !== 'end') this.#input.fail(`expected end; found ${formatTerminator(end)}`);
    return list;
  }

  #blockControl(): TemplateNode {
    const context = 'block clause';
    const token = this.#input.nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipeline(context, 'rightDelim');
    new Parser({ ...this.#state, name }).#parseBody(context, this);
    return { type: 'template', pos: token.pos, line: token.line, name, pipe };
  }

  #templateControl(): TemplateNode {
    const context = 'template clause';
    const token = this.#input.nextNonSpace();
    const name = this.#templateName(token, context);
    let pipe: PipeNode | undefined;
    if (this.#input.nextNonSpace().type !== 'rightDelim') {
      this.#input.backup();
      pipe = this.#pipeline(context, 'rightDelim');
    }
    return { type: 'template', pos: token.pos, line: token.line, name, pipe };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== 'string' && token.type !== 'rawString') this.#input.unexpected(token, context);
    return this.#input.unquote(token);
  }

  #pipeline(context: string, end: 'rightDelim' | 'rightParen'): PipeNode {
    const { pos, line } = this.#input.peekNonSpace();
    const declared: Declared = { assign: false, decl: [] };
    this.#declarations(declared, context);
    const cmds: CommandNode[] = [];
    for (;;) {
      const token = this.#input.nextNonSpace();
      if (token.type === end) break;
      if (!operandStarts.has(token.type)) this.#input.unexpected(token, context);
      this.#input.backup();
      cmds.push(this.#command());
    }
    if (cmds.length === 0) this.#input.fail(`missing value for ${context}`);
    cmds.forEach((command, index) => {
      const first = command.args[0]?.type ?? '';
      if (index > 0 && ['bool', 'dot', 'nil', 'number', 'string'].includes(first)) {
        this.#input.fail(`non executable command in pipeline stage ${index + 1}`);
      }
    });
    return { type: 'pipe', pos, line, assign: declared.assign, decl: exact(declared.decl), cmds: exact(cmds) };
  }

  #declarations(pipe: Declared, context: string): void {
    for (;;) {
      const variable = this.#input.peekNonSpace();
      if (variable.type !== 'variable') return;
      this.#input.next();
      const after = this.#input.peek();
      const next = this.#input.peekNonSpace();
      if (next.type === 'assign' || next.type === 'declare') {
        pipe.assign = next.type === 'assign';
        this.#input.nextNonSpace();
        this.#declare(pipe, variable);
        return;
      }
      if (next.type === 'char' && next.value === ',') {
        this.#input.nextNonSpace();
        this.#declare(pipe, variable);
        if (context === 'range' && pipe.decl.length < 2) {
          if (['variable', 'rightDelim', 'rightParen'].includes(this.#input.peekNonSpace().type)) continue;
          this.#input.fail('range can only initialize variables');
        }
        this.#input.fail(`too many declarations in ${context}`);
      }
      if (after.type === 'space') this.#input.backup3(variable, after);
      else this.#input.backup2(variable);
      return;
    }
  }

  #declare(pipe: Declared, token: Token): void {
    pipe.decl.push(variableNode(token.pos, token.value));
    this.#vars.push(token.value);
  }

  #command(): CommandNode {
    const { pos } = this.#input.peekNonSpace();
    const args: Operand[] = [];
    for (;;) {
      this.#input.peekNonSpace();
      const operand = this.#operand();
      if (operand) {
        this.#count();
        args.push(operand);
      }
      const token = this.#input.next();
      if (token.type === 'space') continue;
      if (token.type === 'rightDelim' || token.type === 'rightParen') this.#input.backup();
      else if (token.type !== 'pipe') this.#input.unexpected(token, 'operand');
      break;
    }
    if (args.length === 0) this.#input.fail('empty command');
    return { type: 'command', pos, args: exact(args) };
  }

  #operand(): Operand | undefined {
    const node = this.#term();
    if (!node || this.#input.peek().type !== 'field') return node;
    const chain: ChainNode = { type: 'chain', pos: this.#input.peek().pos, node, field: [] };
    while (this.#input.peek().type === 'field') {
      const field = this.#input.next().value.slice(1);
      if (field === '') this.#input.fail('empty field');
      chain.field.push(field);
    }
    switch (node.type) {
      case 'field':
        return { type: 'field', pos: chain.pos, ident: steps(formatNode(chain).slice(1)) };
      case 'variable':
        return variableNode(chain.pos, formatNode(chain));
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#input.fail(`unexpected . after term ${goQuote(formatNode(node))}`);
      default:
        return chain;
    }
  }

  #term(): Operand | undefined {
    const token = this.#input.nextNonSpace();
    const { pos, value } = token;
    switch (token.type) {
      case 'identifier':
        if (!builtins.has(value) && !this.#state.functions.has(value)) {
          this.#input.fail(`function ${goQuote(value)} not defined`);
        }
        return { type: 'identifier', pos, ident: value };
      case 'dot':
        return { type: 'dot', pos };
      case 'nil':
        return { type: 'nil', pos };
      case 'variable':
        return this.#useVariable(pos, value);
      case 'field':
        return { type: 'field', pos, ident: steps(value.slice(1)) };
      case 'bool':
        return { type: 'bool', pos, value: value === 'true' };
      case 'charConstant':
      case 'complex':
      case 'number': {
        const number = parseNumber(pos, value, token.type);
        return typeof number === 'string' ? this.#input.fail(number) : number;
      }
      case 'leftParen': {
        if (this.#parenDepth >= maxParenDepth) this.#input.fail('max expression depth exceeded');
        this.#parenDepth++;
        const pipe = this.#pipeline('parenthesized pipeline', 'rightParen');
        this.#parenDepth--;
        return pipe;
      }
      case 'string':
      case 'rawString':
        return { type: 'string', pos, quoted: value, text: this.#input.unquote(token) };
    }
    this.#input.backup();
    return undefined;
  }

  #useVariable(pos: number, value: string): VariableNode {
    if (!this.#vars.includes(value)) this.#input.fail(`undefined variable ${goQuote(value)}`);
    return variableNode(pos, value);
  }
}

function formatTerminator(node: Terminator): string {
  return `{{${node.type}}}`;
}
