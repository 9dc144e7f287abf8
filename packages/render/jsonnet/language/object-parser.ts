import type { Parser } from './parser.ts';
import type { AssertNode, Bind, FieldNode, Node, Visibility } from './syntax.ts';

const visibilities: Readonly<Record<string, Visibility>> = { ':': 'inherit', '::': 'hidden', ':::': 'shown' };

/** An object, or a comprehension of one, after its opening brace. */
export function parseObject(parser: Parser, at: number): Node {
  const { source } = parser;
  const locals: Bind[] = [];
  const asserts: AssertNode[] = [];
  const fields: FieldNode[] = [];
  const names = new Set<string>();
  let comma = true;
  for (;;) {
    if (parser.accept('}')) return { kind: 'object', locals, asserts, fields, source, at };
    if (parser.is('for')) return comprehension(parser, { at, locals, asserts, fields });
    const { next } = parser;
    if (!comma) throw parser.fail('Expected a comma before next field', next.at);
    if (parser.accept('local')) parser.bind(locals);
    else if (parser.accept('assert')) {
      const test = parser.expression();
      const message = parser.accept(':') ? parser.expression() : undefined;
      asserts.push({ source, at: next.at, test, ...(message ? { message } : {}) });
    } else {
      const field = parseField(parser);
      if (!field.computed) {
        const name = next.text;
        if (names.has(name)) throw parser.fail(`Duplicate field: ${name}`, next.at);
        names.add(name);
      }
      fields.push(field);
    }
    comma = parser.accept(',') !== undefined;
  }
}

function parseField(parser: Parser): FieldNode {
  const { source } = parser;
  const token = parser.take();
  let name: Node;
  if (token.kind === 'identifier' || token.kind === 'string')
    name = { kind: 'literal', value: token.text, source, at: token.at };
  else if (token.text === '[') {
    name = parser.expression();
    parser.expect(']');
  } else throw parser.unexpected(token, 'parsing field definition');
  const parameters = parser.is('(') ? parser.parameters() : undefined;
  const sign = parser.next;
  const plus = sign.kind === 'operator' && sign.text.startsWith('+:');
  const visibility = sign.kind === 'operator' ? visibilities[plus ? sign.text.slice(1) : sign.text] : undefined;
  if (!visibility) throw parser.fail(`Expected one of :, ::, :::, +:, +::, +:::, got: ${sign.text}`, sign.at);
  if (plus && parameters) throw parser.fail(`Cannot use +: syntax sugar in a method: ${token.text}`, sign.at);
  parser.take();
  const body = parser.expression();
  return {
    name,
    computed: token.text === '[' && token.kind === 'punctuation',
    visibility,
    plus,
    body: parameters
      ? { kind: 'function', name: token.text === '[' ? '' : token.text, parameters, body, source, at: token.at }
      : body,
  };
}

function comprehension(
  parser: Parser,
  parts: { at: number; locals: readonly Bind[]; asserts: readonly AssertNode[]; fields: readonly FieldNode[] },
): Node {
  const { at, locals, asserts, fields } = parts;
  const [field] = fields;
  if (asserts.length > 0) throw parser.fail('Object comprehension cannot have asserts', parser.next.at);
  if (!field || fields.length > 1) throw parser.fail('Object comprehension can only have one field', parser.next.at);
  if (field.visibility !== 'inherit')
    throw parser.fail('Object comprehensions cannot have hidden fields', parser.next.at);
  if (!field.computed) throw parser.fail('Object comprehensions can only have [e] fields', parser.next.at);
  const specs = parser.forSpecs();
  parser.expect('}');
  return { kind: 'object-comprehension', locals, field, specs, source: parser.source, at };
}
