import { type Overload, overload } from '../language/functions.ts';
import { CelError, type MapKey, Opaque, type Value } from '../language/values.ts';

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

type Url = Opaque<UrlParts>;

/** Why a text is no URL to Go's url.ParseRequestURI. */
export function urlProblem(text: string): string | undefined {
  const read = readUrl(text);
  return typeof read === 'string' ? `parse ${JSON.stringify(text)}: ${read}` : undefined;
}

function url(text: string): Url {
  const read = readUrl(text);
  if (typeof read === 'string')
    throw new CelError(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${read}`);
  return new Opaque('kubernetes.URL', read, text);
}

/** An absolute URI, or an absolute path: its parts, or what is wrong with it. Fragments are part of what they are in. */
function readUrl(text: string): UrlParts | string {
  if (/[\x00-\x1f\x7f]/.test(text)) return 'net/url: invalid control character in URL';
  if (text === '') return 'empty url';
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' };
  if (text.startsWith(':')) return 'missing protocol scheme';
  const [, scheme = '', rest = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(.*)$/s.exec(text) ?? [];
  const mark = rest.indexOf('?');
  const before = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  if (!before.startsWith('/'))
    return scheme ? { scheme: scheme.toLowerCase(), host: '', path: '', query } : 'invalid URI for request';
  if (!before.startsWith('//') || (!scheme && before.startsWith('///')))
    return withPath({ scheme: scheme.toLowerCase(), host: '', query }, before);
  const end = before.indexOf('/', 2);
  const authority = end < 0 ? before.slice(2) : before.slice(2, end);
  const sign = authority.lastIndexOf('@');
  if (sign >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, sign)))
    return 'net/url: invalid userinfo';
  const host = readHost(authority.slice(sign + 1));
  if ('problem' in host) return host.problem;
  return withPath({ scheme: scheme.toLowerCase(), host: host.host, query }, end < 0 ? '' : before.slice(end));
}

function withPath(parts: Omit<UrlParts, 'path'>, path: string): UrlParts | string {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(path)?.[0];
  return bad === undefined ? { ...parts, path: escapedPath(path) } : `invalid URL escape ${JSON.stringify(bad)}`;
}

/** A path that is written as it may be stays; any other is written anew. */
function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-._~$&+,/:;=@!'()*[\]%]*$/.test(path)) return path;
  const bytes = Buffer.from(
    path.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCodePoint(0xf0000 + Number.parseInt(hex, 16))),
  );
  // What was escaped stands for bytes, which need not be characters.
  const raw = [...bytes.toString()].flatMap((character) => {
    const code = character.codePointAt(0) as number;
    return code >= 0xf0000 ? [code - 0xf0000] : [...Buffer.from(character)];
  });
  return raw
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return byte < 128 && /[A-Za-z0-9\-._~$&+,/:;=@]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function readHost(host: string): { host: string } | { problem: string } {
  const bracket = host.startsWith('[');
  const close = host.lastIndexOf(']');
  if (bracket && close < 0) return { problem: "missing ']' in host" };
  const colon = bracket ? close + 1 : host.lastIndexOf(':');
  const port = colon < 0 ? '' : host.slice(colon);
  if (port !== '' && !/^:\d*$/.test(port)) return { problem: `invalid port ${JSON.stringify(port)} after host` };
  const badEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(host)?.[0];
  if (badEscape !== undefined) return { problem: `invalid URL escape ${JSON.stringify(badEscape)}` };
  const ascii = /%([0-7][0-9A-Fa-f])/.exec(host)?.[0];
  if (ascii !== undefined && !bracket) return { problem: `invalid URL escape ${JSON.stringify(ascii)}` };
  const bad = /[ \\^`{|}]/.exec(host)?.[0];
  if (bad !== undefined) return { problem: `invalid character ${JSON.stringify(bad)} in host name` };
  return {
    host: host.replace(/(?:%[0-9A-Fa-f]{2})+/g, (text) => Buffer.from(text.replaceAll('%', ''), 'hex').toString()),
  };
}

const PORT = /:(\d*)$/;

function hostname({ value: { host } }: Url): string {
  return host.replace(PORT, '').replace(/^\[(.*)\]$/s, '$1');
}

/** Pairs that can't be read are left out. */
function query({ value }: Url): Value {
  const result = new Map<MapKey, string[]>();
  for (const pair of value.query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [key, item] = pair.split(/=(.*)/s).map(unescaped);
    if (key === undefined || (pair.includes('=') && item === undefined)) continue;
    result.set(key, [...(result.get(key) ?? []), item ?? '']);
  }
  return result;
}

function unescaped(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9A-Fa-f]{2})+/g, (part) => Buffer.from(part.replaceAll('%', ''), 'hex').toString());
}

export const urls: readonly Overload[] = [
  overload('url(string): kubernetes.URL', url),
  overload('isURL(string): bool', (text: string) => typeof readUrl(text) !== 'string'),
  overload('kubernetes.URL.getScheme(): string', ({ value }: Url) => value.scheme),
  overload('kubernetes.URL.getHost(): string', ({ value }: Url) => value.host),
  overload('kubernetes.URL.getHostname(): string', hostname),
  overload('kubernetes.URL.getPort(): string', ({ value }: Url) => PORT.exec(value.host)?.[1] ?? ''),
  overload('kubernetes.URL.getEscapedPath(): string', ({ value }: Url) => value.path),
  overload('kubernetes.URL.getQuery(): map<string, list<string>>', query),
];
