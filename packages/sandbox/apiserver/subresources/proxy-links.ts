import { posix } from 'node:path';

/** Through what a page was fetched. */
export interface ProxiedPage {
  /** Path of the proxy, which goes before the paths of the server behind it. */
  readonly prefix: string;
  /** Hosts that are that server: its own address, and what the client called this one. */
  readonly hosts: readonly (string | undefined)[];
}

/** A link of the server behind a proxy, so that it leads through the proxy again. Others, and relative ones, stay as they are. */
export function proxiedLink(link: string, { prefix, hosts }: ProxiedPage): string {
  const [, host, path = '', rest = ''] = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*))?([^?#]*)(.*)$/is.exec(link) ?? [];
  if (!path.startsWith('/') || (host && !hosts.includes(host))) return link;
  // the client's own host is right as it is
  const origin = host && host === hosts[1] ? link.slice(0, link.indexOf(host) + host.length) : '';
  return origin + (path.startsWith(prefix) ? path : posix.join(prefix, path)) + rest;
}

/** Attributes that hold links, by element. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** Elements whose content is text alone. */
const RAW = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);
const NAME = /[a-z][^\s/>"'<]{0,63}/iy;
const ATTRIBUTE = /(?<![^\s"'<>/=])([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g;

/**
 * The page with its links rewritten, as kube-apiserver's proxy does; nothing else of it is changed. Takes time in proportion to the page: what
 * begins as a comment or a tag and never ends is the rest of the page, as tokenizers of HTML have it.
 */
export function proxiedHtml(html: string, page: ProxiedPage): string {
  const lower = html.toLowerCase();
  let out = '';
  let from = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', from)) {
    out += html.slice(from, at);
    const name = nameAt(html, at);
    const end = name === undefined ? skipped(html, at) : tagEnd(html, at);
    if (end < 0) return out + html.slice(at);
    const tag = html.slice(at, end);
    const close = name !== undefined && RAW.has(name) ? lower.indexOf(`</${name}`, end) : end;
    const stop = close < 0 ? html.length : close;
    out += (name === undefined ? tag : withLinks(tag, page)) + html.slice(end, stop);
    from = stop;
  }
  return out + html.slice(from);
}

/** Of the element that starts there; undefined if none does. */
function nameAt(html: string, at: number): string | undefined {
  NAME.lastIndex = at + 1;
  return NAME.exec(html)?.[0].toLowerCase();
}

/** Behind the comment that begins there; else behind the `<`, which is text or ends an element. */
function skipped(html: string, at: number): number {
  if (!html.startsWith('<!--', at)) return at + 1;
  const end = html.indexOf('-->', at + 4);
  return end < 0 ? html.length : end + 3;
}

/** Behind the `>` that stands in no quotes; -1 if there is none. */
function tagEnd(html: string, at: number): number {
  let quote = '';
  for (let i = at + 1; i < html.length; i++) {
    const char = html[i] as string;
    if (quote) quote = char === quote ? '' : quote;
    else if (char === '>') return i + 1;
    else if (char === '"' || char === "'") quote = char;
  }
  return -1;
}

function withLinks(tag: string, page: ProxiedPage): string {
  const [, name = ''] = /^<([a-z][^\s/>]*)/i.exec(tag) ?? [];
  const links = LINKS[name.toLowerCase()];
  if (!links) return tag;
  return tag.replace(ATTRIBUTE, (whole, attribute: string, equals: string, value: string) => {
    if (!links.includes(attribute.toLowerCase())) return whole;
    const quote = /^["']/.exec(value)?.[0] ?? '';
    const link = quote ? value.slice(1, -1) : value;
    return attribute + equals + quote + proxiedLink(link, page) + quote;
  });
}
