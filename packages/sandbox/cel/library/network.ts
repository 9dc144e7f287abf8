import { type Overload, overload } from '../language/functions.ts';
import { CelError, Opaque } from '../language/values.ts';
import { type Address, formatAddress, parseAddress } from './parse-address.ts';

type Ip = Opaque<Address>;
type Cidr = Opaque<{ address: Address; length: number }>;

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

/** IP addresses and networks. */
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
];
