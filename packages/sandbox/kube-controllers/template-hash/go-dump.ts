import { dumpQuantity } from './go-quantity.ts';
import types from './hashed-types.json' with { type: 'json' };

const known: Readonly<Record<string, string | readonly string[]>> = types;

interface GoField {
  name: string;
  /** Absent where the field's own fields stand beside the others. */
  json: string | undefined;
  type: string;
}

const structs = new Map<string, readonly GoField[]>();

/**
 * The text of a value as `spew` prints the Go struct that kube-controller-manager reads it into (`dump.ForHash`): what the
 * hashes of pod templates are of. It reads objects as the API server keeps them; what is absent, null or empty is nil
 * or zero, for it came over the wire as protobuf.
 */
export function dumpGo(type: string, value: unknown): string {
  return `(${type})${dumpValue(type, value)}`;
}

function dumpTyped(type: string, value: unknown): string {
  if (!type.startsWith('*')) return dumpGo(type, value);
  return isAbsent(value) ? `(${type})<nil>` : `(${type})${dumpValue(type.slice(1), value)}`;
}

function dumpValue(type: string, value: unknown): string {
  const special = specials[type];
  if (special) return special(value);
  if (type.startsWith('[]')) return dumpSlice(type.slice(2), value);
  if (type.startsWith('map[')) return dumpMap(type, value);
  const made = known[type];
  if (typeof made === 'string') return dumpValue(made, value);
  if (made) return dumpStruct(type, isAbsent(value) ? {} : (value as Record<string, unknown>));
  if (isAbsent(value)) return type === 'string' ? '' : type === 'bool' ? 'false' : '0';
  return String(value);
}

const specials: Readonly<Record<string, (value: unknown) => string>> = {
  'resource.Quantity': (value) => dumpQuantity(isAbsent(value) ? '0' : String(value)),
  'intstr.IntOrString': (value) =>
    typeof value === 'string'
      ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
      : `{Type:(intstr.Type)0 IntVal:(int32)${value ?? 0} StrVal:(string)}`,
  // nothing that is hashed has one: a time that it is given would be told with the machine's time zone
  'v1.Time': () => '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}',
};

function dumpSlice(item: string, value: unknown): string {
  const items = (value ?? []) as unknown[];
  return items.length > 0 ? `[${items.map((each) => dumpValue(item, each)).join(' ')}]` : '<nil>';
}

function dumpMap(type: string, value: unknown): string {
  const item = type.slice(type.indexOf(']') + 1);
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  if (entries.length === 0) return '<nil>';
  const sorted = entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `map[${sorted.map(([key, each]) => `${key}:${dumpValue(item, each)}`).join(' ')}]`;
}

function dumpStruct(type: string, value: Record<string, unknown>): string {
  const fields = fieldsOf(type).map(
    ({ name, json, type: of }) => `${name}:${dumpTyped(of, json === undefined ? value : value[json])}`,
  );
  return `{${fields.join(' ')}}`;
}

function fieldsOf(type: string): readonly GoField[] {
  const found =
    structs.get(type) ??
    (known[type] as readonly string[]).map((line) => {
      const [name = '', json = '', of = ''] = line.split(' ');
      return { name, json: json === '*' ? undefined : json, type: of };
    });
  structs.set(type, found);
  return found;
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
