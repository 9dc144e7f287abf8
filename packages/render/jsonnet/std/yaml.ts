import type { Machine } from '../machine/machine.ts';
import { quoted, shortNumber } from '../machine/text-of.ts';
import { JsonnetArray, JsonnetFunction, JsonnetObject, type Value } from '../machine/values.ts';

export interface YamlStyle {
  readonly indentArrays: boolean;
  readonly quoteKeys: boolean;
}

const reserved = new Set('true false yes no on off y n .nan -.inf +.inf .inf null - ---'.split(' '));

/** A key that YAML takes for no other value. */
function isBare(key: string): boolean {
  return (
    /^[A-Za-z0-9_\-/.]+$/.test(key) &&
    !reserved.has(key.toLowerCase()) &&
    !/^(?:[0-9]*-){2}[0-9]*$/.test(key) &&
    !/^[-+]?0b[01_]+$/.test(key) &&
    !/[-+]?0x[0-9a-fA-F_]+/.test(key) &&
    !/^[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|inf(?:inity)?|nan)$/i.test(key)
  );
}

/** YAML as `std.manifestYamlDoc` writes it. */
export function manifestYaml(machine: Machine, value: Value, style: YamlStyle, at = ''): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return shortNumber(value);
  if (typeof value === 'string') return text(value, at);
  if (value instanceof JsonnetFunction) throw machine.fail("couldn't manifest function as JSON");
  machine.enter();
  const written = value instanceof JsonnetArray ? list(machine, value, style, at) : map(machine, value, style, at);
  machine.leave();
  return machine.sized(written);
}

function text(value: string, at: string): string {
  if (!value.endsWith('\n')) return quoted(value);
  return `|${value
    .slice(0, -1)
    .split('\n')
    .map((line) => `\n${at}  ${line}`)
    .join('')}`;
}

function list(machine: Machine, { items }: JsonnetArray, style: YamlStyle, at: string): string {
  if (items.length === 0) return '[]';
  return items
    .map((item) => {
      const value = machine.force(item);
      const nested = value instanceof JsonnetArray || value instanceof JsonnetObject;
      const below = nested ? `${at}  ` : at;
      const gap = value instanceof JsonnetArray && value.items.length > 0 ? `\n${below}` : ' ';
      return `-${gap}${manifestYaml(machine, value, style, below)}`;
    })
    .join(`\n${at}`);
}

function map(machine: Machine, object: JsonnetObject, style: YamlStyle, at: string): string {
  const names = object.visibleNames();
  if (names.length === 0) return '{}';
  return names
    .map((name) => {
      const value = object.get(name, machine) as Value;
      const key = style.quoteKeys || !isBare(name) ? quoted(name) : name;
      if (value instanceof JsonnetArray && value.items.length > 0) {
        const below = style.indentArrays ? `${at}  ` : at;
        return `${key}:\n${below}${manifestYaml(machine, value, style, below)}`;
      }
      if (value instanceof JsonnetObject && value.visibleNames().length > 0)
        return `${key}:\n${at}  ${manifestYaml(machine, value, style, `${at}  `)}`;
      return `${key}: ${manifestYaml(machine, value, style, at)}`;
    })
    .join(`\n${at}`);
}
