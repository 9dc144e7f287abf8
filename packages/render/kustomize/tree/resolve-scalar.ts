import { resolvePlain } from '@tiphys/yaml';

/** What go-yaml v3 takes a plain text for. */
export type Resolved =
  | { readonly tag: '!!null' }
  | { readonly tag: '!!bool'; readonly value: boolean }
  | { readonly tag: '!!int' | '!!float'; readonly value: number | bigint }
  | { readonly tag: '!!str' | '!!timestamp' | '!!merge'; readonly value: string };

/** The type and value of a plain scalar by go-yaml v3: as v2, but `yes`, `on` and the like are strings. */
export function resolveScalar(text: string): Resolved {
  const first = text.charCodeAt(0);
  // Most texts begin with a letter that begins no word of YAML's.
  if (first >= 0x61 && first !== 0x74 && first !== 0x66 && first !== 0x6e && first !== 0x7e)
    return { tag: '!!str', value: text };
  if (text === '<<') return { tag: '!!merge', value: text };
  const resolved = resolvePlain(text);
  switch (resolved.type) {
    case 'null':
      return { tag: '!!null' };
    case 'bool':
      return /^[tf]/i.test(text) ? { tag: '!!bool', value: resolved.value } : { tag: '!!str', value: text };
    case 'int':
      return { tag: '!!int', value: resolved.value };
    case 'float':
      return { tag: '!!float', value: resolved.value };
    case 'timestamp':
      return { tag: '!!timestamp', value: text };
    default:
      return { tag: '!!str', value: text };
  }
}

/** True for a text that a reader of YAML 1.1 does not take for a string. */
export function isYaml11NonString(text: string): boolean {
  if (text === '' || text.includes('\n')) return false;
  const trimmed = text.trim();
  const type = resolvePlain(trimmed).type;
  if (type !== 'str' && type !== 'timestamp') return true;
  // A whole document is read: what begins a collection is none either.
  return (
    /^[[{]/.test(trimmed) ||
    /^- |^-$/.test(trimmed) ||
    /^[^"'#]*[^\s"'#]:(\s|$)/.test(trimmed) ||
    trimmed.startsWith('#')
  );
}
