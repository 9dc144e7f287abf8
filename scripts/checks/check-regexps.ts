import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { parseSync } from 'oxc-parser';
import { analyse } from 'scslre';
import { root, sourceFiles } from '../architecture.ts';

/** Files that make an expression from what is not constant, each with why nobody can make it slow. */
const allowed: Readonly<Record<string, string>> = {
  'packages/foundation/glob/glob.ts': 'one star at most and no alternatives; the rest goes to RE2JS',
  'packages/foundation/template/sprig/time/time-parse.ts': 'a number of digits',
  'packages/sandbox/apiextensions/formats.ts': 'versions of UUIDs, of this file',
  'packages/sandbox/process-runtime/mount-paths.ts': 'escaped texts, none of which is repeated',
  'packages/sandbox/apimachinery/schema/decode.ts': 'a number of digits',
  'packages/serve/server/http/route.ts': 'the routes of our own protobuf definitions',
};

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/**
 * Every regular expression of the packages that takes a time exponential in the text, every one that seeks the end of a run from
 * each of its places, and every one that is made from what is
 * not constant, as `file:line: what is wrong`. Texts from outside meet linear expressions only: where the pattern comes from
 * outside too, `@tiphys/glob` or `re2js` match it.
 */
export function checkRegexps(files: readonly string[] = sourceFiles()): string[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return /RegExp|\/[^/\n]*[*+{]/.test(text) ? regexpBreaches(file, text) : [];
  });
}

/** The same of one file's text. */
export function regexpBreaches(file: string, text: string): string[] {
  const { program } = parseSync(file, text);
  const constants = new Map<string, Node>();
  const nodes = allNodes(program as unknown as Node);
  for (const node of nodes)
    if (node.type === 'VariableDeclarator' && (node['id'] as Node).type === 'Identifier' && node['init'])
      constants.set((node['id'] as Node)['name'] as string, node['init'] as Node);
  return nodes.flatMap((node) => {
    const problem = problemOf(node, { file, constants });
    return problem ? [`${file}:${text.slice(0, node.start).split('\n').length}: ${problem}`] : [];
  });
}

function problemOf(
  node: Node,
  { file, constants }: { file: string; constants: Map<string, Node> },
): string | undefined {
  const literal = node['regex'] as { pattern: string; flags: string } | undefined;
  if (node.type === 'Literal' && literal) return slowness(literal.pattern, literal.flags);
  const made = node.type === 'NewExpression' || node.type === 'CallExpression';
  if (!made || (node['callee'] as Node)['name'] !== 'RegExp') return undefined;
  const [pattern, flags] = node['arguments'] as Node[];
  const source = pattern && textOf(pattern, constants);
  if (source !== undefined) return slowness(source, (flags && textOf(flags, constants)) ?? '');
  if (file in allowed) return undefined;
  return 'an expression made from a variable may backtrack: use @tiphys/glob or re2js, or say in scripts/checks/check-regexps.ts why it cannot';
}

function slowness(source: string, flags: string): string | undefined {
  const parser = new RegExpParser();
  const sets = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const parsed = { pattern: parser.parsePattern(source, 0, source.length, sets), flags: parser.parseFlags(flags) };
  if (parsed.pattern.alternatives.some(({ elements }) => seeksEndOfRun(elements)))
    return `/${source}/ reads a run from each of its places, which is quadratic: say that it begins where none is before, as /(?<!a)a+$/`;
  const { reports } = analyse(parsed, { reportTypes: { Move: false } });
  return reports.some(({ exponential }) => exponential)
    ? `/${source}/ takes a time exponential in the text: let each character be read in one way only`
    : undefined;
}

/** An unbounded run and the end of the text: a text with such a run that does not end there is looked through again and again. */
function seeksEndOfRun([first, second]: readonly AST.Element[]): boolean {
  return first?.type === 'Quantifier' && first.max > 1000 && second?.type === 'Assertion' && second.kind === 'end';
}

/** What an expression is if it is constant; `RegExp.escape(…)` stands for a text that matches itself. */
function textOf(node: Node, constants: Map<string, Node>, depth = 0): string | undefined {
  if (depth > 10) return undefined;
  const next = (inner: Node) => textOf(inner, constants, depth + 1);
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type === 'Literal' && typeof node['value'] === 'number') return String(node['value']);
  if (node.type === 'Identifier') {
    const constant = constants.get(node['name'] as string);
    return constant && next(constant);
  }
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const [left, right] = [next(node['left'] as Node), next(node['right'] as Node)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  if (node.type === 'CallExpression' && isEscape(node['callee'] as Node)) return 'text';
  if (node.type !== 'TemplateLiteral') return undefined;
  const values = (node['expressions'] as Node[]).map(next);
  if (values.includes(undefined)) return undefined;
  const parts = node['quasis'] as { value: { cooked: string } }[];
  return parts.map(({ value }, index) => value.cooked + (values[index] ?? '')).join('');
}

function isEscape({ type, ...member }: Node): boolean {
  if (type !== 'MemberExpression') return false;
  return (member['object'] as Node)['name'] === 'RegExp' && (member['property'] as Node)['name'] === 'escape';
}

function allNodes(tree: Node): Node[] {
  const found: Node[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (typeof value === 'object' && value !== null) {
      if (typeof (value as Node).type === 'string') found.push(value as Node);
      for (const inner of Object.values(value)) visit(inner);
    }
  };
  visit(tree);
  return found;
}
