/** The texts of all elements of a name, in a document of a store's list; entities are resolved. Names have no prefix. */
export function elements(xml: string, name: string): string[] {
  const [open, close] = [`<${name}>`, `</${name}>`];
  const found: string[] = [];
  for (let from = xml.indexOf(open); from >= 0; from = xml.indexOf(open, from)) {
    const end = xml.indexOf(close, from);
    if (end < 0) break;
    found.push(unescaped(xml.slice(from + open.length, end)));
    from = end + close.length;
  }
  return found;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(#x?[0-9a-fA-F]{1,6}|[a-z]{2,4});/g, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole;
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A text as an element's content. */
export function escaped(text: string): string {
  return text.replace(/[&<>]/g, (one) => (one === '&' ? '&amp;' : one === '<' ? '&lt;' : '&gt;'));
}
