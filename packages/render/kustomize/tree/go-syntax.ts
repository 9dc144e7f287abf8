import { formatFloat, type Printable } from '@tiphys/yaml';
import { type Node, stringTag } from './node.ts';
import { resolveScalar } from './resolve-scalar.ts';
import { isStringKey, scalarValue } from './to-value.ts';

/** A tree as Go's %#v shows what it decodes to. */
export function goSyntaxOf(node: Node): string {
  if (node.kind === 'list') return `[]interface {}{${node.content.map(goSyntaxOf).join(', ')}}`;
  if (node.kind === 'map') {
    const strings = node.content.every((key, i) => i % 2 === 1 || isStringKey(key));
    const pairs: [string, string][] = [];
    for (let i = 0; i + 1 < node.content.length; i += 2) {
      const key = node.content[i] as Node;
      pairs.push([strings ? JSON.stringify(key.value) : goSyntaxOf(key), goSyntaxOf(node.content[i + 1] as Node)]);
    }
    pairs.sort(([a], [b]) => (a < b ? -1 : 1));
    const type = strings ? 'map[string]interface {}' : 'map[interface {}]interface {}';
    return `${type}{${pairs.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
  }
  if (node.tag !== stringTag && node.style === '') {
    const resolved = resolveScalar(node.value);
    if (resolved.tag === '!!timestamp') return goTime(node.value);
    if (resolved.tag === '!!float') return float(Number(resolved.value));
  }
  return goValue(scalarValue(node));
}

function goValue(value: Printable): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function float(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return formatFloat(value);
}

const months = 'January February March April May June July August September October November December'.split(' ');

function goTime(text: string): string {
  const [year, month, day, hour = '0', minute = '0', second = '0'] = text
    .split(/[-T :Z]/)
    .filter((part) => part !== '');
  const parts = [hour, minute, second].map((part) => Number.parseInt(part, 10));
  return `time.Date(${Number(year)}, time.${months[Number(month) - 1]}, ${Number(day)}, ${parts.join(', ')}, 0, time.UTC)`;
}
