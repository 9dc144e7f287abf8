import { type DescMessage, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { specialMessages } from './special.ts';
import { fromWire, itemJson, type Plain, type PlannedField, planOf, toWire, unsetJson, zeroOf } from './wire.ts';
import { WireError } from './wire-error.ts';

type Json = Record<string, unknown>;

/** Protobuf's presence of a field whose zero value is as good as none. */
const IMPLICIT = 2;

/** Thrown for whatever is not plain: the message itself is made then, and names what is wrong. */
const notPlain = new Error('not plain');

/**
 * What `fromWire` gives of the message that `toWire` makes of a JSON value, without the message: values that the message would hold are
 * handed on as they are, so that the result must not be changed. Throws the `WireError` of `toWire`.
 */
export function plainOf<D extends DescMessage>(desc: D, json: unknown): Plain<MessageShape<D>> {
  try {
    return messagePlain(desc, json ?? {}) as Plain<MessageShape<D>>;
  } catch (error) {
    // its place is not known here
    if (error !== notPlain && !(error instanceof WireError)) throw error;
    return fromWire(desc, toWire(desc, json));
  }
}

function messagePlain(desc: DescMessage, json: unknown): unknown {
  const special = specialMessages.get(desc.typeName);
  if (special) return special.isSame?.(json) ? json : special.toJson(special.fromJson(json, ''));
  const plan = planOf(desc);
  const [only] = plan;
  if (only?.whole) return fieldPlain(only, json);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw notPlain;
  const plain: Json = {};
  for (const field of plan) {
    const value = field.inline ? json : (json as Json)[field.key];
    if (value === undefined || value === null) {
      if (field.required) plain[field.key] = itemJson(field.desc, zeroOf(field.desc));
      else if (field.always) plain[field.key] = unsetJson(field.desc);
      continue;
    }
    // of several members of one group the last one counts: that is for the message to say
    if (field.oneof) throw notPlain;
    const made = fieldPlain(field, value);
    if (field.inline) Object.assign(plain, made);
    else if (isSet(field, made)) plain[field.key] = made;
    else if (field.always) plain[field.key] = unsetJson(field.desc);
  }
  return plain;
}

function isSet({ desc }: PlannedField, made: unknown): boolean {
  if (desc.presence !== IMPLICIT) return true;
  switch (desc.fieldKind) {
    case 'list':
      return (made as unknown[]).length > 0;
    case 'map':
      return Object.keys(made as Json).length > 0;
    case 'enum':
      return made !== desc.enum.values[0]?.number;
    default:
      return made !== '' && made !== 0 && made !== false;
  }
}

function fieldPlain(field: PlannedField, value: unknown): unknown {
  switch (field.desc.fieldKind) {
    case 'list':
      if (!Array.isArray(value)) throw notPlain;
      return value.map((item) => itemPlain(field, item));
    case 'map':
      if (typeof value !== 'object' || Array.isArray(value)) throw notPlain;
      return Object.fromEntries(Object.entries(value as Json).map(([key, item]) => [key, itemPlain(field, item)]));
    default:
      return itemPlain(field, value);
  }
}

function itemPlain({ desc, text }: PlannedField, value: unknown): unknown {
  if (desc.message) return messagePlain(desc.message, value ?? {});
  switch (desc.enum ? ScalarType.DOUBLE : desc.scalar) {
    case ScalarType.STRING:
      if (typeof value === 'string') return value;
      if (value === null) return '';
      if (text && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
      throw notPlain;
    case ScalarType.BOOL:
      if (typeof value !== 'boolean') throw notPlain;
      return value;
    case ScalarType.BYTES:
      if (typeof value !== 'string') throw notPlain;
      return Buffer.from(value, 'base64').toString('base64');
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      if (typeof value !== 'number') throw notPlain;
      return value;
    default:
      if (typeof value !== 'number' || !Number.isInteger(value)) throw notPlain;
      return value;
  }
}
