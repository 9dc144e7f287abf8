/** The value of a var: a number keeps Go's kind of it, as whole ones are written as such. */
export type VarValue =
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'int' | 'bool'; readonly text: string }
  /** `inside`: as it stands inside a longer text. */
  | { readonly kind: 'float'; readonly text: string; readonly inside: string };

/**
 * Replaces `$(NAME)` in a text. A text that is one reference as a whole becomes the value with its type; `$$` stands for
 * `$`; a name that is not known stays as it is.
 */
export function expandVars(text: string, varValue: (name: string) => VarValue | undefined): VarValue {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char !== '$' || at + 1 >= text.length) {
      out += char;
      continue;
    }
    const next = text[at + 1] as string;
    const end = next === '(' ? text.indexOf(')', at) : -1;
    if (next === '$') {
      out += '$';
      at++;
    } else if (end < 0) {
      out += `$${next}`;
      at++;
    } else {
      const name = text.slice(at + 2, end);
      const value = varValue(name) ?? { kind: 'string', text: `$(${name})` };
      if (text === `$(${name})`) return value;
      out += value.kind === 'float' ? value.inside : value.text;
      at = end;
    }
  }
  return { kind: 'string', text: out };
}
