const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/**
 * What bracket or quote of a PromQL query has no other end, as a clause; undefined if each has one. Dialects such as MetricsQL know
 * other functions and operators, but none of them leaves one open. `{{…}}` stands for an argument.
 */
export function unclosed(query: string): string | undefined {
  const open: { readonly bracket: string; readonly at: number }[] = [];
  for (let at = 0; at < query.length; at++) {
    const character = query[at] as string;
    if (query.startsWith('{{', at)) at = endOf(query, '}}', at + 2) + 1;
    else if (character === '#') at = endOf(query, '\n', at);
    else if (character === '"' || character === "'" || character === '`') {
      const end = endOfQuoted(query, at);
      if (end === undefined) return `the text that begins with ${character} ${placeOf(query, at)} has no end`;
      at = end;
    } else if (closers[character]) open.push({ bracket: character, at });
    else if (character === ')' || character === ']' || character === '}') {
      const last = open.pop();
      if (!last) return `${character} ${placeOf(query, at)} closes nothing`;
      const wanted = closers[last.bracket];
      if (wanted !== character)
        return `${character} ${placeOf(query, at)} stands where ${wanted} is wanted for the ${last.bracket} ${placeOf(query, last.at)}`;
    }
  }
  const last = open.at(-1);
  return last && `${last.bracket} ${placeOf(query, last.at)} is never closed`;
}

/** Where a text stands, from a position on; the end if it stands nowhere. */
function endOf(query: string, text: string, from: number): number {
  const at = query.indexOf(text, from);
  return at < 0 ? query.length : at;
}

function endOfQuoted(query: string, start: number): number | undefined {
  const quote = query[start];
  for (let at = start + 1; at < query.length; at++) {
    if (query.startsWith('{{', at)) at = endOf(query, '}}', at + 2) + 1;
    else if (query[at] === '\\' && quote !== '`') at++;
    else if (query[at] === quote) return at;
  }
  return undefined;
}

function placeOf(query: string, at: number): string {
  const before = query.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return query.includes('\n') ? `in its line ${line}, column ${column},` : `in its column ${column}`;
}
