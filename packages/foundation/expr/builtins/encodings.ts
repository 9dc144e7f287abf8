import {
  EncodeError,
  elementsOf,
  encodeJson,
  entriesOf,
  fromBytes,
  indentJson,
  JsonError,
  parseJson,
  toBytes,
  typeOf,
  type Value,
} from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';
import { asText } from '../values/numbers.ts';
import type { Builtin } from './builtin.ts';

/** The first map inside a value whose keys JSON has no words for. */
function unsupported(value: Value, depth = 0): string | undefined {
  if (depth > 1000) throw new Panic('json: unsupported value: encountered a cycle');
  const type = typeOf(value);
  if (type?.kind === 'map' && type.key?.kind === 'interface') return type.name;
  const parts = elementsOf(value) ?? entriesOf(value)?.values() ?? [];
  for (const part of parts) {
    if (typeof part !== 'object') continue;
    const found = unsupported(part, depth + 1);
    if (found) return found;
  }
  return undefined;
}

export const encodings: Readonly<Record<string, Builtin>> = {
  toJSON: ([value], { budget }) => {
    const type = unsupported(value);
    if (type) throw new Panic(`json: unsupported type: ${type}`);
    try {
      const json = encodeJson(value);
      budget.text(json.length);
      return indentJson(json);
    } catch (error) {
      if (error instanceof EncodeError) throw new Panic(error.message);
      throw error;
    }
  },
  fromJSON: ([text], { budget }) => {
    const source = asText(text);
    budget.step(source.length >> 2);
    try {
      return parseJson(source).value;
    } catch (error) {
      if (error instanceof JsonError) throw new Panic(error.message);
      throw error;
    }
  },
  toBase64: ([text]) => Buffer.from(toBytes(asText(text))).toString('base64'),
  fromBase64: ([text]) => {
    const source = asText(text).replace(/[\r\n]/g, '');
    const valid = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(source);
    if (!valid) throw new Panic(`illegal base64 data at input byte ${corruptAt(source)}`);
    return fromBytes(Buffer.from(source, 'base64'));
  },
};

/** Where Go's decoder stops. */
function corruptAt(source: string): number {
  const bad = /[^A-Za-z0-9+/]/.exec(source);
  return bad ? bad.index : source.length - (source.length % 4);
}
