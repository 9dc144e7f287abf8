import { isIPv4, isIPv6 } from 'node:net';
import { type Overload, overload } from '../functions.ts';
import { CelError, type MapKey, Opaque, type Value } from '../values.ts';

interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

type Ip = Opaque<Address>;
type Cidr = Opaque<{ address: Address; length: number }>;

/** Reads an IP address as strictly as Go's netip: no leading zeros, no zone, no IPv4 inside of IPv6. */
export function parseAddress(text: string): Address {
  if (isIPv4(text)) return { family: 4, bits: text.split('.').reduce((bits, part) => bits * 256n + BigInt(part), 0n) };
  if (!isIPv6(text))
    throw new CelError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ParseAddr(${JSON.stringify(text)}): ${why(text)}`,
    );
  if (text.includes('%')) throw new CelError(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  const bits = sixBits(text);
  if (bits >> 32n === 0xffffn) throw new CelError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return { family: 6, bits };
}

/** What Go's parser dislikes about a text. */
function why(text: string): string {
  if (/^[\d.]+$/.test(text) && text.includes('.')) {
    const parts = text.split('.');
    if (parts.some((part) => part.length > 1 && part.startsWith('0'))) return 'IPv4 field has octet with leading zero';
    if (parts.some((part) => Number(part) > 255)) return 'IPv4 field has value >255';
    if (parts.length > 4) return 'IPv4 address too long';
    if (parts.some((part) => part === '')) return 'IPv4 field must have at least one digit';
    return 'IPv4 address too short';
  }
  for (const character of text) {
    if (character === '.') return `unexpected character (at ${JSON.stringify(text)})`;
    if (character === ':') return `each group must have 4 or less digits (at ${JSON.stringify(text)})`;
  }
  return 'unable to parse IP';
}

function sixBits(text: string): bigint {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const four = tail ? parseAddress(tail[2] as string).bits : 0n;
  const plain = tail ? `${tail[1]}${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}` : text;
  const [head = '', rest] = plain.split('::');
  const left = head ? head.split(':') : [];
  const right = rest ? rest.split(':') : [];
  const groups = rest === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right];
  return groups.reduce((bits, group) => bits * 65536n + BigInt(`0x${group}`), 0n);
}

function formatAddress({ family, bits }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - index * 16)) & 0xffffn).toString(16));
  // The longest run of zeros, two at least, is left out.
  const text = groups.join(':');
  const runs = [...text.matchAll(/(^|:)0(:0)+($|:)/g)].sort((a, b) => b[0].length - a[0].length);
  const [longest] = runs;
  return longest ? text.replace(longest[0], '::') : text;
}

const ipOf = (address: Address): Ip => new Opaque('net.IP', address, formatAddress(address));
const ip = (text: string): Ip => ipOf(parseAddress(text));

function parsePrefix(text: string): { address: Address; length: number } {
  const slash = text.lastIndexOf('/');
  const fail = (reason: string) =>
    new CelError(
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): ${reason}`,
    );
  if (slash < 0) throw fail("no '/'");
  let address: Address;
  try {
    address = parseAddress(text.slice(0, slash));
  } catch (error) {
    if (error instanceof CelError) throw fail(/: (ParseAddr\(.*)$/s.exec(error.message)?.[1] ?? error.message);
    throw error;
  }
  const digits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(digits)) throw fail(`bad bits after slash: ${JSON.stringify(digits)}`);
  const length = Number(digits);
  if (length > (address.family === 4 ? 32 : 128)) throw fail('prefix length out of range');
  return { address, length };
}

function cidrOf(prefix: { address: Address; length: number }): Cidr {
  return new Opaque('net.CIDR', prefix, `${formatAddress(prefix.address)}/${prefix.length}`);
}

const cidr = (text: string): Cidr => cidrOf(parsePrefix(text));

function mask({ address, length }: { address: Address; length: number }, bits = address.bits): bigint {
  const drop = BigInt((address.family === 4 ? 32 : 128) - length);
  return (bits >> drop) << drop;
}

function containsIp(network: Cidr, address: Ip): boolean {
  return (
    network.value.address.family === address.value.family &&
    mask(network.value) === mask(network.value, address.value.bits)
  );
}

function containsCidr(network: Cidr, other: Cidr): boolean {
  const inner = ipOf({ ...other.value.address, bits: mask(other.value) });
  return other.value.length >= network.value.length && containsIp(network, inner);
}

function within(address: Ip, text: string): boolean {
  return containsIp(cidr(text), address);
}

const either = (address: Ip, four: string, six: string): boolean =>
  within(address, address.value.family === 4 ? four : six);

function succeeds(read: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (error instanceof CelError) return false;
      throw error;
    }
  };
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

type Url = Opaque<UrlParts>;

/** Parses as Go's url.ParseRequestURI: an absolute URI or an absolute path. */
function url(text: string): Url {
  const fail = (reason: string) =>
    new CelError(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${reason}`);
  if (text === '') throw fail('empty url');
  if (/[\x00-\x1f\x7f]/.test(text)) throw fail('net/url: invalid control character in URL');
  const match = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(.*?)(?:#(.*))?$/s.exec(text);
  const [, scheme = '', rest = ''] = match ?? [];
  if (!scheme && text.startsWith(':')) throw fail('missing protocol scheme');
  const [beforeQuery = '', ...queries] = rest.split('?');
  if (!scheme && !beforeQuery.startsWith('/')) throw fail('invalid URI for request');
  let host = '';
  let path = beforeQuery;
  if (beforeQuery.startsWith('//') && (scheme || !beforeQuery.startsWith('///'))) {
    const end = beforeQuery.indexOf('/', 2);
    const authority = end < 0 ? beforeQuery.slice(2) : beforeQuery.slice(2, end);
    path = end < 0 ? '' : beforeQuery.slice(end);
    host = authority.slice(authority.lastIndexOf('@') + 1);
    const port = /:([^\]:]*)$/.exec(host)?.[1];
    if (port !== undefined && !/^\d*$/.test(port)) throw fail(`invalid port ${JSON.stringify(`:${port}`)} after host`);
    if (/[ "<>^`{|}\\]/.test(host))
      throw fail(`invalid character ${JSON.stringify(/[ "<>^`{|}\\]/.exec(host)?.[0])} in host name`);
  } else if (scheme && !beforeQuery.startsWith('/')) throw fail('invalid URI for request');
  const badEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(path)?.[0];
  if (badEscape !== undefined) throw fail(`invalid URL escape ${JSON.stringify(badEscape)}`);
  const value = {
    scheme: scheme.toLowerCase(),
    host,
    path: encodeURI(path).replaceAll('%25', '%'),
    query: queries.join('?'),
  };
  return new Opaque('kubernetes.URL', value, text);
}

function query({ value }: Url): Value {
  const result = new Map<MapKey, string[]>();
  for (const [key, item] of new URLSearchParams(value.query)) {
    const list = result.get(key) ?? [];
    list.push(item);
    result.set(key, list);
  }
  return result;
}

/** IP addresses, networks and URLs. */
export const network: readonly Overload[] = [
  overload('ip(string): net.IP', ip),
  overload('isIP(string): bool', succeeds(parseAddress)),
  overload('ip.isCanonical(string): bool', (text: string) => formatAddress(parseAddress(text)) === text),
  overload('net.IP.family(): int', (address: Ip) => BigInt(address.value.family)),
  overload('net.IP.isUnspecified(): bool', (address: Ip) => address.value.bits === 0n),
  overload('net.IP.isLoopback(): bool', (address: Ip) => either(address, '127.0.0.0/8', '::1/128')),
  overload('net.IP.isLinkLocalMulticast(): bool', (address: Ip) => either(address, '224.0.0.0/24', 'ff02::/16')),
  overload('net.IP.isLinkLocalUnicast(): bool', (address: Ip) => either(address, '169.254.0.0/16', 'fe80::/10')),
  overload(
    'net.IP.isGlobalUnicast(): bool',
    (address: Ip) =>
      address.value.bits !== 0n &&
      !either(address, '127.0.0.0/8', '::1/128') &&
      !either(address, '224.0.0.0/4', 'ff00::/8') &&
      !either(address, '169.254.0.0/16', 'fe80::/10') &&
      !(address.value.family === 4 && address.value.bits === 0xffffffffn),
  ),
  overload('string(net.IP): string', (address: Ip) => address.identity),
  overload('cidr(string): net.CIDR', cidr),
  overload('isCIDR(string): bool', succeeds(parsePrefix)),
  overload('net.CIDR.containsIP(string): bool', (prefix: Cidr, text: string) => containsIp(prefix, ip(text))),
  overload('net.CIDR.containsIP(net.IP): bool', containsIp),
  overload('net.CIDR.containsCIDR(string): bool', (prefix: Cidr, text: string) => containsCidr(prefix, cidr(text))),
  overload('net.CIDR.containsCIDR(net.CIDR): bool', containsCidr),
  overload('net.CIDR.ip(): net.IP', (prefix: Cidr) => ipOf(prefix.value.address)),
  overload('net.CIDR.prefixLength(): int', (prefix: Cidr) => BigInt(prefix.value.length)),
  overload('net.CIDR.masked(): net.CIDR', (prefix: Cidr) =>
    cidrOf({ ...prefix.value, address: { ...prefix.value.address, bits: mask(prefix.value) } }),
  ),
  overload('string(net.CIDR): string', (prefix: Cidr) => prefix.identity),
  overload('url(string): kubernetes.URL', url),
  overload('isURL(string): bool', succeeds(url)),
  overload('kubernetes.URL.getScheme(): string', ({ value }: Url) => value.scheme),
  overload('kubernetes.URL.getHost(): string', ({ value }: Url) => value.host),
  overload('kubernetes.URL.getHostname(): string', ({ value }: Url) =>
    value.host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1'),
  ),
  overload('kubernetes.URL.getPort(): string', ({ value }: Url) => /:(\d+)$/.exec(value.host)?.[1] ?? ''),
  overload('kubernetes.URL.getEscapedPath(): string', ({ value }: Url) => value.path),
  overload('kubernetes.URL.getQuery(): map<string, list<string>>', query),
];
