import type { Machine } from '../machine/machine.ts';
import { numberText, quoted } from '../machine/text-of.ts';
import { JsonnetArray, JsonnetFunction, JsonnetObject, typeOf, type Value } from '../machine/values.ts';

/** TOML as `std.manifestTomlEx` writes it. */
export function manifestToml(machine: Machine, value: Value, indent: string): string {
  if (value instanceof JsonnetObject) return table(machine, value, { indent, path: [], at: '' });
  throw machine.fail(`TOML body must be an object. Got ${typeOf(value)}`);
}

interface Place {
  readonly indent: string;
  readonly path: readonly string[];
  readonly at: string;
}

function keyText(name: string): string {
  if (name === '') return "''";
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name);
}

function isSection(machine: Machine, value: Value): boolean {
  if (value instanceof JsonnetArray)
    return value.items.length > 0 && value.items.every((item) => machine.force(item) instanceof JsonnetObject);
  return value instanceof JsonnetObject;
}

function table(machine: Machine, object: JsonnetObject, { indent, path, at }: Place): string {
  machine.enter();
  const fields: string[] = [];
  const sections = [''];
  for (const name of object.visibleNames()) {
    const value = object.get(name, machine) as Value;
    const inner = [...path, name];
    if (!isSection(machine, value)) {
      fields.push(...`${keyText(name)} = ${one(machine, value, { indent, path: inner, inline: false })}`.split('\n'));
      continue;
    }
    const [open, close] = value instanceof JsonnetArray ? ['[[', ']]'] : ['[', ']'];
    const tables = value instanceof JsonnetArray ? value.items.map((item) => machine.force(item)) : [value];
    sections.push(
      tables
        .map((part) => {
          const body = table(machine, part as JsonnetObject, { indent, path: inner, at: at + indent });
          const gap = (part as JsonnetObject).visibleNames().length > 0 ? '\n' : '';
          return `${at}${open}${inner.map(keyText).join('.')}${close}${gap}${body}`;
        })
        .join('\n\n'),
    );
  }
  machine.leave();
  return `${fields.length > 0 ? at : ''}${fields.join(`\n${at}`)}${sections.join('\n\n')}`;
}

function one(
  machine: Machine,
  value: Value,
  place: { readonly indent: string; readonly path: readonly string[]; readonly inline: boolean },
): string {
  const { indent, path, inline } = place;
  if (value === null) throw machine.fail(`Tried to manifest "null" at [${path.join(' ')}]`);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return quoted(value);
  if (value instanceof JsonnetFunction) throw machine.fail(`Tried to manifest function at [${path.join(' ')}]`);
  machine.enter();
  const child = (part: Value, name: string): string =>
    one(machine, part, { indent, path: [...path, name], inline: true });
  let written: string;
  if (value instanceof JsonnetArray) {
    const gap = inline ? ' ' : '\n';
    const parts = value.items.map((item, index) => (inline ? '' : indent) + child(machine.force(item), String(index)));
    written = parts.length === 0 ? '[]' : `[${gap}${parts.join(`,${gap}`)}${gap}]`;
  } else {
    const parts = value
      .visibleNames()
      .map((name) => `${keyText(name)} = ${child((value as JsonnetObject).get(name, machine) as Value, name)}`);
    written = `{ ${parts.join(', ')} }`;
  }
  machine.leave();
  return written;
}
