import { goQuote } from '../fmt/quote.ts';
import { define, FunctionError, type FunctionSpec } from '../functions/function-spec.ts';
import { toBytes } from '../value/bytes.ts';
import { stringOf, typeOf, type Value, type ValueMap } from '../value/value.ts';

const pattern = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

function unescapePart(text: string): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) {
    const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(text)?.[0] ?? '%';
    throw new FunctionError(`unable to parse url: parse ${goQuote(text)}: invalid URL escape ${goQuote(bad)}`);
  }
  return Buffer.from(
    text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
}

function decode(text: string): string {
  return text.includes('%') ? unescapePart(text) : text;
}

function parse(text: string): ValueMap {
  if (/[\x00-\x1f\x7f]/.test(text))
    throw new FunctionError(`unable to parse url: parse ${goQuote(text)}: net/url: invalid control character in URL`);
  const match = pattern.exec(text);
  const [, scheme = '', authority, path = '', query = '', fragment = ''] = match ?? [];
  if (scheme === '' && authority === undefined && /^[^/?#]*:/.test(path)) {
    const words = path.startsWith(':') ? 'missing protocol scheme' : 'first path segment in URL cannot contain colon';
    throw new FunctionError(`unable to parse url: parse ${goQuote(text)}: ${words}`);
  }
  const at = authority?.lastIndexOf('@') ?? -1;
  const host = authority?.slice(at + 1) ?? '';
  const opaque = scheme !== '' && authority === undefined && path !== '' && !path.startsWith('/');
  return new Map<string, Value>([
    ['scheme', scheme.toLowerCase()],
    ['host', host],
    ['hostname', host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')],
    ['path', opaque ? '' : decode(path)],
    ['query', query],
    ['opaque', opaque ? path : ''],
    ['fragment', decode(fragment)],
    ['userinfo', at < 0 ? '' : (authority as string).slice(0, at)],
  ]);
}

function escapeBytes(text: string, allowed: RegExp): string {
  return [...toBytes(text)]
    .map((byte) =>
      allowed.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}

function join(map: ValueMap): string {
  const get = (key: string): string => {
    const value = map.get(key);
    if (value === undefined) return '';
    const text = stringOf(value);
    if (text === undefined)
      throw new FunctionError(
        `unable to parse ${key} key, must be of type string, but ${typeOf(value)?.kind ?? 'invalid'} found`,
      );
    return text;
  };
  const [scheme, host, path, query, opaque, fragment, userinfo] = [
    'scheme',
    'host',
    'path',
    'query',
    'opaque',
    'fragment',
    'userinfo',
  ].map(get) as [string, string, string, string, string, string, string];
  let out = scheme === '' ? '' : `${scheme}:`;
  if (opaque !== '') out += opaque;
  else {
    if (scheme !== '' || host !== '' || userinfo !== '') {
      if (host !== '' || path !== '' || userinfo !== '') out += '//';
      if (userinfo !== '') out += `${userinfo}@`;
      out += escapeBytes(host, /[A-Za-z0-9\-_.~$&'()*+,;=:[\]<>"!]/);
    }
    const escaped = escapeBytes(path, /[A-Za-z0-9\-_.~$&+,/:;=@!'()*]/);
    if (path !== '' && !path.startsWith('/') && host !== '') out += '/';
    out += escaped;
  }
  if (query !== '') out += `?${query}`;
  if (fragment !== '') out += `#${escapeBytes(fragment, /[A-Za-z0-9\-_.~$&+,/:;=?@!'()*]/)}`;
  return out;
}

/** Sprig's functions of URLs. */
export const urlFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['urlParse', define('string', ([text]) => parse(text as string), 'through')],
  [
    'urlJoin',
    define(
      'map[string]any',
      ([map]) => join((map instanceof Map ? map : (map as unknown as { entries: ValueMap }).entries) as ValueMap),
      'through',
    ),
  ],
]);
