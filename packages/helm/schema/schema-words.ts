import type { ErrorObject } from 'ajv';

/** Errors at one place of the values, and below it. */
interface Node {
  readonly path: string;
  readonly words: { readonly text: string; readonly causes: readonly ErrorObject[] }[];
  readonly children: Map<string, Node>;
}

/** The errors in the words and the layout of Helm's JSON schema library. Helm's own order among siblings is random. */
export function schemaWords(errors: readonly ErrorObject[], data: unknown): string {
  return `${lines(treeOf(foldAlternatives(errors)), data, 0).join('\n')}\n`.trimEnd();
}

interface Folded {
  readonly error: ErrorObject;
  readonly causes: ErrorObject[];
}

/** `anyOf` and `oneOf` follow the errors of their alternatives: those become their causes. */
function foldAlternatives(errors: readonly ErrorObject[]): Folded[] {
  const stack: Folded[] = [];
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    const folded: Folded = { error, causes: [] };
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      while (stack.length > 0) {
        const last = stack.at(-1) as Folded;
        if (
          !last.error.schemaPath.startsWith(`${error.schemaPath}/`) ||
          !last.error.instancePath.startsWith(error.instancePath)
        )
          break;
        folded.causes.unshift(last.error);
        stack.pop();
      }
    }
    stack.push(folded);
  }
  return stack;
}

function treeOf(errors: readonly Folded[]): Node {
  const root: Node = { path: '', words: [], children: new Map() };
  const required = new Map<string, string[]>();
  const additional = new Map<string, string[]>();
  for (const { error, causes } of errors) {
    const node = nodeAt(root, error.instancePath);
    const list =
      error.keyword === 'required' ? required : error.keyword === 'additionalProperties' ? additional : undefined;
    if (!list) {
      node.words.push({ text: wordsOf(error), causes });
      continue;
    }
    const { missingProperty, additionalProperty } = error.params as {
      missingProperty?: string;
      additionalProperty?: string;
    };
    const key = `${error.instancePath}\0${error.schemaPath}`;
    const names = list.get(key) ?? [];
    if (names.length === 0) {
      list.set(key, names);
      const text = (): string =>
        list === required ? missing(names) : `additional properties ${names.map(quote).join(', ')} not allowed`;
      node.words.push({
        get text() {
          return text();
        },
        causes: [],
      });
    }
    names.push((missingProperty ?? additionalProperty) as string);
  }
  return root;
}

function missing(names: readonly string[]): string {
  return names.length === 1
    ? `missing property ${quote(names[0] as string)}`
    : `missing properties ${names.map(quote).join(', ')}`;
}

function nodeAt(root: Node, path: string): Node {
  let node = root;
  for (const part of path.split('/').slice(1)) {
    let child = node.children.get(part);
    if (!child) {
      child = { path: `${node.path}/${part}`, words: [], children: new Map() };
      node.children.set(part, child);
    }
    node = child;
  }
  return node;
}

function lines(node: Node, data: unknown, indent: number): string[] {
  const children = [...node.children.values()];
  const at = (text: string, depth: number): string => `${'  '.repeat(depth)}- at ${quote(node.path)}: ${text}`;
  const many = node.words.length + children.length > 1;
  const out = many ? [at('validation failed', indent)] : [];
  const depth = many ? indent + 1 : indent;
  for (const { text, causes } of node.words) {
    out.push(at(text, depth));
    for (const cause of causes)
      out.push(`${'  '.repeat(depth + 1)}- at ${quote(cause.instancePath)}: ${wordsOf(cause)}`);
  }
  for (const child of children) out.push(...lines(child, data, depth));
  return out;
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function show(value: unknown): string {
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

function wordsOf(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const { keyword, data } = error;
  const size = (): number =>
    typeof data === 'string'
      ? [...data].length
      : Array.isArray(data)
        ? data.length
        : Object.keys(data as object).length;
  switch (keyword) {
    case 'type':
      return `got ${jsonType(data)}, want ${[params['type']].flat().join(' or ')}`;
    case 'enum':
      return enumWords(params['allowedValues'] as unknown[]);
    case 'const':
      return typeof params['allowedValue'] === 'object'
        ? "'const' failed"
        : `value must be ${show(params['allowedValue'])}`;
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties':
      return `${keyword}: got ${size()}, want ${String(params['limit'])}`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `${keyword}: got ${numberWords(data as number)}, want ${numberWords(params['limit'] as number)}`;
    case 'multipleOf':
      return `multipleOf: got ${numberWords(data as number)}, want ${numberWords(params['multipleOf'] as number)}`;
    case 'pattern':
      return `${quote(String(data))} does not match pattern ${quote(String(params['pattern']))}`;
    case 'required':
      return missing([params['missingProperty'] as string]);
    case 'additionalProperties':
      return `additional properties ${quote(params['additionalProperty'] as string)} not allowed`;
    case 'uniqueItems':
      return `items at ${String(params['j'])} and ${String(params['i'])} are equal`;
    case 'anyOf':
    case 'not':
      return `'${keyword}' failed`;
    case 'oneOf': {
      const passing = params['passingSchemas'] as number[] | null;
      return passing ? `'oneOf' failed, subschemas ${passing.join(', ')} matched` : "'oneOf' failed, none matched";
    }
    case 'format':
      return `${show(data)} is not valid ${String(params['format'])}`;
    case 'false schema':
      return 'false schema';
    default:
      return error.message ?? keyword;
  }
}

function enumWords(values: readonly unknown[]): string {
  if (values.some((value) => typeof value === 'object' && value !== null)) return "'enum' failed";
  return values.length === 1
    ? `value must be ${show(values[0])}`
    : `value must be one of ${values.map(show).join(', ')}`;
}

/** Go prints the rational number in fixed or exponent form, as `%v` does a float64. */
function numberWords(value: number): string {
  return Object.is(value, -0) ? '0' : String(value);
}
