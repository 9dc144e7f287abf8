import { formatAddress, readAddress } from '@tiphys/cel';

/** An address as Go's sloppy parser reads it: numbers may begin with zeros, and IPv4 inside of IPv6 is IPv4. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
  /** Written as IPv4 inside of IPv6. */
  readonly mapped: boolean;
  /** Some number begins with a zero, which strict parsers refuse. */
  readonly padded: boolean;
}

const MAPPED = 0xffffn;

export function parseIp(text: string): IpAddress | undefined {
  const plain = text.replace(/\d+(\.\d+){3}$/, (four) => four.replace(/\b0+(?=\d)/g, ''));
  const read = readAddress(plain);
  if ('problem' in read || plain.includes('%')) return undefined;
  const mapped = read.family === 6 && read.bits >> 32n === MAPPED;
  return {
    family: mapped ? 4 : read.family,
    bits: mapped ? read.bits & 0xffff_ffffn : read.bits,
    mapped,
    padded: plain !== text,
  };
}

export interface IpBlock extends IpAddress {
  readonly length: number;
  /** The number of bits begins with a zero. */
  readonly paddedLength: boolean;
}

/** `address/bits`; IPv4 inside of IPv6 counts the bits of an IPv6 address. */
export function parseCidr(text: string): IpBlock | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (!address || !/^\d+$/.test(digits)) return undefined;
  const length = Number(digits);
  const most = address.family === 4 && !address.mapped ? 32 : 128;
  return length > most ? undefined : { ...address, length, paddedLength: digits !== String(length) };
}

/** The bits of a block that are the same in all of its addresses. */
export function blockStart({ family, bits, length, mapped }: IpBlock): bigint {
  const width = family === 4 ? 32 : 128;
  const kept = mapped ? Math.max(0, length - 96) : length;
  const rest = BigInt(width - kept);
  return (bits >> rest) << rest;
}

/** The form of an address that not everybody reads alike. */
export function ipWarnings(at: string, text: string): string[] {
  const address = parseIp(text);
  if (!address) return [];
  const standard = formatAddress(address);
  if (address.padded || address.mapped)
    return [
      `${at}: non-standard IP address ${JSON.stringify(text)} will be considered invalid in a future Kubernetes release: use ${JSON.stringify(standard)}`,
    ];
  if (address.family === 4 || standard === text) return [];
  return [
    `${at}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(standard)})`,
  ];
}

/** The form of a block that not everybody reads alike. */
export function cidrWarnings(at: string, text: string): string[] {
  const block = parseCidr(text);
  if (!block) return [];
  const { family, length, mapped } = block;
  const start = blockStart(block);
  const kept = mapped ? Math.max(0, length - 96) : length;
  const standard = `${formatAddress({ family, bits: start })}/${kept}`;
  const warnings: string[] = [];
  if (start !== block.bits) {
    const single = `${formatAddress(block)}/${family === 4 ? 32 : 128}`;
    warnings.push(
      `${at}: CIDR value ${JSON.stringify(text)} is ambiguous in this context (should be ${JSON.stringify(standard)} or ${JSON.stringify(single)}?)`,
    );
  }
  if (block.padded || block.paddedLength || mapped)
    warnings.push(
      `${at}: non-standard CIDR value ${JSON.stringify(text)} will be considered invalid in a future Kubernetes release: use ${JSON.stringify(standard)}`,
    );
  const exact = `${formatAddress(block)}/${length}`;
  if (!warnings.length && family === 6 && exact !== text)
    warnings.push(
      `${at}: IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(exact)})`,
    );
  return warnings;
}
