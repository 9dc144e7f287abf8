import { formatFloat } from '../text/format-float.ts';

/** A key or value as go-yaml sees it before it becomes JSON. */
export type GoNode =
  | null
  | boolean
  | string
  | number
  | bigint
  | { readonly float: number }
  | GoNode[]
  | Map<GoNode, GoNode>;

/** What `%#v` prints. */
export function goSyntax(value: GoNode, top = true): string {
  if (value === null) return top ? '<nil>' : 'interface {}(nil)';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => goSyntax(item, false)).join(', ')}}`;
  if (value instanceof Map) {
    const parts = [...value].map(([key, item]) => [goSyntax(key, false), goSyntax(item, false)] as const);
    parts.sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[interface {}]interface {}{${parts.map(([key, item]) => `${key}:${item}`).join(', ')}}`;
  }
  if (typeof value === 'object') return formatFloat(value.float);
  return String(value);
}
