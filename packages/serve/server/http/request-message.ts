import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { invalidArgument } from '../rpc/rpc-error.ts';

type Json = Record<string, unknown>;

/**
 * Puts a textual value (of a path or a query) at a dotted field of a request's JSON. Unknown fields are ignored, as
 * the gateway does; a value that does not fit the field throws InvalidArgument.
 */
export function setField(desc: DescMessage, target: Json, dotted: string, value: string): void {
  const [name = '', ...rest] = dotted.split('.');
  const map = /^(.+)\[(.+)\]$/.exec(name);
  const field = desc.fields.find(
    (candidate) => candidate.jsonName === (map?.[1] ?? name) || candidate.name === (map?.[1] ?? name),
  );
  if (!field) return;
  const key = field.jsonName;
  if (map && field.fieldKind === 'map') {
    target[key] = { ...(target[key] as Json | undefined), [map[2] as string]: value };
  } else if (rest.length > 0 && field.fieldKind === 'message') {
    const inner = (target[key] ?? {}) as Json;
    target[key] = inner;
    setField(field.message, inner, rest.join('.'), value);
  } else if (field.fieldKind === 'list') {
    target[key] = [...((target[key] as unknown[] | undefined) ?? []), textValue(field, value, dotted)];
  } else {
    target[key] = textValue(field, value, dotted);
  }
}

function textValue(field: DescField, value: string, name: string): unknown {
  if (field.message) return messageValue(field.message, value, name);
  switch (field.scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return value;
    case ScalarType.BOOL:
      if (/^(1|t|true|T|TRUE|True)$/.test(value)) return true;
      if (/^(0|f|false|F|FALSE|False)$/.test(value)) return false;
      throw invalidArgument(`parameter ${name} must be true or false, not "${value}"`);
    default: {
      const number = Number(value);
      if (value.trim() === '' || Number.isNaN(number))
        throw invalidArgument(`parameter ${name} must be a number, not "${value}"`);
      return number;
    }
  }
}

/** Messages in a query: times are text, others JSON. */
function messageValue(desc: DescMessage, value: string, name: string): unknown {
  if (desc.name === 'Time' || desc.name === 'MicroTime') return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw invalidArgument(`parameter ${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
