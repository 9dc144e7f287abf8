/**
 * `url` of the section `[lfs]` of a `.lfsconfig`; undefined if it is none of HTTP. The text is read line by line: an expression over
 * all of it would look at every line from every place.
 */
export function lfsUrl(text: string): string | undefined {
  let isInside = false;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('[')) isInside = line === '[lfs]';
    const at = line.indexOf('=');
    if (!isInside || at < 0 || line.slice(0, at).trimEnd() !== 'url') continue;
    const url = line.slice(at + 1).trim();
    const plain = url.startsWith('"') && url.endsWith('"') ? url.slice(1, -1) : url;
    return /^https?:\/\/[^\s"]+$/.test(plain) ? plain.replace(/\/{1,100}$/, '') : undefined;
  }
  return undefined;
}
