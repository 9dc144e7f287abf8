/** The address, if a browser only goes there and runs nothing; undefined for others. */
export function safeLink(address: string): string | undefined {
  return URL.canParse(address) && ['http:', 'https:', 'mailto:'].includes(new URL(address).protocol)
    ? address
    : undefined;
}

/** A link as annotations write it: `url` or `title|url`. */
export function readLink(text: string): { title: string; url: string } {
  const bar = text.indexOf('|');
  return bar < 0 ? { title: text, url: text } : { title: text.slice(0, bar), url: text.slice(bar + 1) };
}

/** Where a style sheet of the settings is: `./custom/x.css` is one of this server's. */
export function ownStyles(address: string): string | undefined {
  if (!address) return undefined;
  if (URL.canParse(address)) return new URL(address).protocol === 'https:' ? address : undefined;
  const url = new URL(address.replace(/^\.?\/+/, ''), document.baseURI);
  return url.origin === new URL(document.baseURI).origin ? url.href : undefined;
}
