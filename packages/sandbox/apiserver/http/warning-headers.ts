const MAX_TOTAL = 4096;
const MAX_ITEM = 256;

/**
 * `Warning` headers for texts, as kube-apiserver writes them: none for a text with control characters, UTF-8 as it is, and
 * above 4096 characters in all each text is cut to 256, and what comes after that is left out.
 */
export function warningHeaders(texts: readonly string[]): string[] {
  const good = [...new Set(texts)].filter((text) => text !== '' && !/\p{Cc}/u.test(text)).map((text) => [...text]);
  const total = good.reduce((sum, text) => sum + text.length, 0);
  if (total <= MAX_TOTAL) return good.map(header);
  const headers: string[] = [];
  let written = 0;
  for (const text of good) {
    if (written >= MAX_TOTAL) break;
    const cut = text.slice(0, MAX_ITEM);
    written += cut.length;
    headers.push(header(cut));
  }
  return headers;
}

/** Node takes headers as Latin-1: one character stands for one byte. */
function header(text: readonly string[]): string {
  const quoted = text.join('').replace(/["\\]/g, '\\$&');
  return Buffer.from(`299 - "${quoted}"`).toString('latin1');
}
