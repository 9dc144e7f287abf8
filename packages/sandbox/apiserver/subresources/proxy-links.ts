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

/** Comments, elements whose content is text alone, and start tags. */
const TOKENS =
  /<!--[\s\S]*?-->|(<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b(?:[^>"']|"[^"]*"|'[^']*')*>)([\s\S]*?<\/\2\s*>|[\s\S]*$)|<[a-z][^\s/>]*(?:[^>"']|"[^"]*"|'[^']*')*>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g;

/** The page with its links rewritten, as kube-apiserver's proxy does; nothing else of it is changed. */
export function proxiedHtml(html: string, page: ProxiedPage): string {
  return html.replace(TOKENS, (token, opening: string | undefined, _, content: string | undefined) => {
    if (token.startsWith('<!')) return token;
    return opening === undefined ? withLinks(token, page) : withLinks(opening, page) + content;
  });
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
