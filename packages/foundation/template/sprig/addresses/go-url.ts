import { goQuote } from '@tiphys/go';
import { fromBytes, toBytes } from '../../text/bytes.ts';
import { parseAddress } from './ip-address.ts';

/** A URL as Go's `net/url` takes it apart: host, path and fragment are unescaped. */
export interface GoUrl {
  readonly scheme: string;
  /** What follows the scheme, if it does not start with a slash. */
  readonly opaque: string;
  /** `user:password`, escaped again; undefined without `@`. */
  readonly userinfo: string | undefined;
  readonly host: string;
  readonly path: string;
  /** The path as it was given, if escaping `path` would not give it back. */
  readonly rawPath: string;
  readonly query: string;
  readonly forceQuery: boolean;
  readonly omitHost: boolean;
  readonly fragment: string;
}

/** A text that `url.Parse` refuses, in its words. */
export class GoUrlError extends Error {}

class Fault extends Error {}

const escapable = {
  path: /[A-Za-z0-9$&+,\-./:;=@_~]/,
  host: /[A-Za-z0-9!"$&'()*+,\-.:;<=>[\]_~]/,
  zone: /[A-Za-z0-9!"$&'()*+,\-.:;<=>[\]_~]/,
  user: /[A-Za-z0-9$&+,\-.;=_~]/,
  fragment: /[A-Za-z0-9!$&()*+,\-./:;=?@_~]/,
} as const;

type Part = keyof typeof escapable;

/** `url.Parse`. Throws `GoUrlError`. */
export function parseUrl(text: string): GoUrl {
  const [before, fragment] = cut(text, '#');
  const url = attempt(before, () => parseParts(before));
  if (!fragment) return url;
  return attempt(text, () => ({ ...url, fragment: decodePart(fragment, 'fragment') }));
}

function attempt<T>(text: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new GoUrlError(`parse ${goQuote(text)}: ${error.message}`);
  }
}

function cut(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function parseParts(text: string): GoUrl {
  if (/[\x00-\x1f\x7f]/.test(text)) throw new Fault('net/url: invalid control character in URL');
  const url = {
    scheme: '',
    opaque: '',
    userinfo: undefined as string | undefined,
    host: '',
    path: '',
    rawPath: '',
    query: '',
    forceQuery: false,
    omitHost: false,
    fragment: '',
  };
  if (text === '*') return { ...url, path: '*' };
  if (text.startsWith(':')) throw new Fault('missing protocol scheme');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  url.scheme = scheme?.toLowerCase() ?? '';
  let rest = scheme === undefined ? text : text.slice(scheme.length + 1);
  const [before, query] = cut(rest, '?');
  url.forceQuery = query === '';
  url.query = query ?? '';
  rest = before;
  if (!rest.startsWith('/')) {
    if (url.scheme !== '') return { ...url, opaque: rest };
    if (cut(rest, '/')[0].includes(':')) throw new Fault('first path segment in URL cannot contain colon');
  }
  if (rest.startsWith('//') && (url.scheme !== '' || !rest.startsWith('///'))) {
    const slash = rest.indexOf('/', 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? '' : rest.slice(slash);
    const at = authority.lastIndexOf('@');
    url.host = parseHost(url.scheme, authority.slice(at + 1));
    if (at >= 0) url.userinfo = parseUser(authority.slice(0, at));
  } else if (url.scheme !== '' && rest.startsWith('/')) url.omitHost = true;
  url.path = decodePart(rest, 'path');
  url.rawPath = encodePart(url.path, 'path') === rest ? '' : rest;
  return url;
}

function parseUser(text: string): string {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text)) throw new Fault('net/url: invalid userinfo');
  const [name, password] = cut(text, ':');
  const again = (part: string): string => encodePart(decodePart(part, 'user'), 'user');
  return password === undefined ? again(name) : `${again(name)}:${again(password)}`;
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new Fault('invalid IP-literal');
  if (open === 0) return parseLiteral(host);
  const first = host.indexOf(':');
  if (first >= 0) {
    const port = host.slice(/^https?$/.test(scheme) ? first : host.lastIndexOf(':'));
    if (!/^(:[0-9]*)?$/.test(port)) throw new Fault(`invalid port ${goQuote(port)} after host`);
  }
  return decodePart(host, 'host');
}

function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new Fault("missing ']' in host");
  const port = host.slice(close + 1);
  if (!/^(:[0-9]*)?$/.test(port)) throw new Fault(`invalid port ${goQuote(port)} after host`);
  const name = host.slice(1, close);
  const zone = name.indexOf('%25');
  const plain =
    zone < 0
      ? decodePart(name, 'host')
      : decodePart(name.slice(0, zone), 'host') + decodePart(name.slice(zone), 'zone');
  const address = parseAddress(plain);
  if (typeof address === 'string') throw new Fault(`invalid host: ${address}`);
  if (address.version === 4) throw new Fault('invalid IP-literal');
  return `[${plain}]${port}`;
}

function decodePart(text: string, part: Part): string {
  const isHost = part === 'host' || part === 'zone';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '%') {
      const escaped = text.slice(i, i + 3);
      const code = /^%[0-9A-Fa-f]{2}$/.test(escaped) ? Number.parseInt(escaped.slice(1), 16) : -1;
      const isRefused =
        escaped !== '%25' &&
        ((part === 'host' && code < 0x80) ||
          (part === 'zone' && code !== 0x20 && !escapable.host.test(String.fromCharCode(code))));
      if (code < 0 || isRefused) throw new Fault(`invalid URL escape ${goQuote(escaped)}`);
      i += 2;
    } else if (isHost && char < '\x80' && !escapable[part].test(char)) {
      throw new Fault(`invalid character ${goQuote(char)} in host name`);
    }
  }
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  for (const piece of text.split(/(%[0-9A-Fa-f]{2})/)) {
    if (/^%[0-9A-Fa-f]{2}$/.test(piece)) bytes.push(Number.parseInt(piece.slice(1), 16));
    else bytes.push(...toBytes(piece));
  }
  return fromBytes(Uint8Array.from(bytes));
}

function encodePart(text: string, part: Part): string {
  let out = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    out += byte < 0x80 && escapable[part].test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** `URL.Hostname`: the host without its port and brackets. */
export function hostName(host: string): string {
  const name = host.replace(/:[0-9]*$/, '');
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

function escapedPath({ path, rawPath }: Pick<GoUrl, 'path' | 'rawPath'>): string {
  if (rawPath !== '' && /^[A-Za-z0-9$&+,\-./:;=@_~!'()*[\]%]*$/.test(rawPath)) return rawPath;
  return path === '*' ? '*' : encodePart(path, 'path');
}

/** `URL.String`. */
export function formatUrl(url: GoUrl): string {
  let out = url.scheme === '' ? '' : `${url.scheme}:`;
  if (url.opaque !== '') out += url.opaque;
  else {
    const { userinfo, host } = url;
    if (url.scheme !== '' || host !== '' || userinfo !== undefined) {
      const omits = url.omitHost && host === '' && userinfo === undefined;
      if (!omits && (host !== '' || url.path !== '' || userinfo !== undefined)) out += '//';
      if (userinfo !== undefined) out += `${userinfo}@`;
      out += encodePart(host, 'host');
    }
    const path = escapedPath(url);
    if (path !== '' && !path.startsWith('/') && host !== '') out += '/';
    if (out === '' && cut(path, '/')[0].includes(':')) out += '../';
    out += path;
  }
  if (url.forceQuery || url.query !== '') out += `?${url.query}`;
  return url.fragment === '' ? out : `${out}#${encodePart(url.fragment, 'fragment')}`;
}

/** `URL.ResolveReference`, of texts. Throws `GoUrlError`. */
export function resolveUrl(base: string, reference: string): string {
  const [from, ref] = [parseUrl(base), parseUrl(reference)];
  const scheme = ref.scheme === '' ? from.scheme : ref.scheme;
  const located = (path: string): Pick<GoUrl, 'path' | 'rawPath'> => {
    const plain = decodePart(path, 'path');
    return { path: plain, rawPath: encodePart(plain, 'path') === path ? '' : path };
  };
  if (ref.scheme !== '' || ref.host !== '' || ref.userinfo !== undefined) {
    return formatUrl({ ...ref, scheme, ...located(withoutDots(escapedPath(ref))) });
  }
  const keepsQuery = ref.path === '' && !ref.forceQuery && ref.query === '';
  const query = keepsQuery ? from.query : ref.query;
  if (from.opaque !== '') return formatUrl({ ...ref, scheme, query, opaque: from.opaque });
  const there = escapedPath(ref);
  const here = escapedPath(from);
  const full = there === '' ? here : there.startsWith('/') ? there : here.slice(0, here.lastIndexOf('/') + 1) + there;
  return formatUrl({
    ...ref,
    scheme,
    query,
    host: from.host,
    userinfo: from.userinfo,
    ...located(withoutDots(full)),
  });
}

/** Takes `.` and `..` out of a path. */
function withoutDots(path: string): string {
  if (path === '') return '';
  const elements: string[] = [];
  const parts = path.split('/');
  if (parts[0] === '') parts.shift();
  for (const part of parts) {
    if (part === '..') elements.pop();
    else if (part !== '.') elements.push(part);
  }
  const last = parts.at(-1);
  if (last === '.' || last === '..') elements.push('');
  return `/${elements.join('/')}`;
}
