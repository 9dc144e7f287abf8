import { CelError } from '../language/values.ts';

export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** Reads an IP address as strictly as Go's netip, and with its words; zones, and IPv4 inside of IPv6, are refused. */
export function parseAddress(text: string): Address {
  const quoted = JSON.stringify(text);
  const read = readAddress(text);
  if ('problem' in read) {
    const at = read.at ? ` (at ${JSON.stringify(read.at)})` : '';
    throw new CelError(
      `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): ${read.problem}${at}`,
    );
  }
  if (text.includes('%')) throw new CelError(`IP address ${quoted} with zone value is not allowed`);
  if (read.family === 6 && read.bits >> 32n === 0xffffn)
    throw new CelError(`IPv4-mapped IPv6 address ${quoted} is not allowed`);
  return read;
}

interface Misread {
  readonly problem: string;
  /** The rest of the text from the place on that is wrong. */
  readonly at?: string;
}

/** Reads an address as Go's netip does, with zones and IPv4 inside of IPv6. The first of these characters tells what a text is meant to be. */
export function readAddress(text: string): Address | Misread {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === undefined) return { problem: 'unable to parse IP' };
  if (mark === '%') return { problem: 'missing IPv6 address' };
  if (mark === ':') return readSix(text);
  const bits = readFour(text);
  return typeof bits === 'bigint' ? { family: 4, bits } : bits;
}

function readFour(text: string): bigint | Misread {
  const fields: number[] = [];
  let digits = '';
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (/\d/.test(character)) {
      if (digits === '0') return { problem: 'IPv4 field has octet with leading zero' };
      digits += character;
      if (Number(digits) > 255) return { problem: 'IPv4 field has value >255' };
    } else if (character !== '.') return { problem: 'unexpected character', at: text.slice(index) };
    else {
      if (digits === '' || index === text.length - 1)
        return { problem: 'IPv4 field must have at least one digit', at: text.slice(index) };
      if (fields.length === 3) return { problem: 'IPv4 address too long' };
      fields.push(Number(digits));
      digits = '';
    }
  }
  if (fields.length < 3) return { problem: 'IPv4 address too short' };
  return [...fields, Number(digits)].reduce((bits, field) => bits * 256n + BigInt(field), 0n);
}

/** Groups of an IPv6 address as they are read: two bytes each, four for what is written as IPv4. */
class Groups {
  bits = 0n;
  bytes = 0;
  /** How many bytes come before `::`. */
  gap: number | undefined;

  add(value: bigint, bytes: number): void {
    this.bits = (this.bits << BigInt(bytes * 8)) | value;
    this.bytes += bytes;
  }

  /** The address, with zeros where the gap is. */
  whole(): bigint {
    if (this.gap === undefined) return this.bits;
    const tail = BigInt((this.bytes - this.gap) * 8);
    return ((this.bits >> tail) << BigInt(128 - this.gap * 8)) | (this.bits & ((1n << tail) - 1n));
  }
}

function readSix(text: string): Address | Misread {
  const [body = '', zone] = text.split(/%(.*)/s);
  if (zone === '') return { problem: 'zone must be a non-empty string' };
  const groups = new Groups();
  let rest = body;
  if (rest.startsWith('::')) {
    groups.gap = 0;
    rest = rest.slice(2);
  }
  while (rest !== '' && groups.bytes < 16) {
    const next = readGroup(rest, groups);
    if (typeof next !== 'string') return next;
    rest = next;
  }
  if (body === '') return { problem: 'each colon-separated field must have at least one digit' };
  if (rest !== '') return { problem: 'trailing garbage after address', at: rest };
  if (groups.bytes < 16 && groups.gap === undefined) return { problem: 'address string too short' };
  if (groups.bytes === 16 && groups.gap !== undefined)
    return { problem: 'the :: must expand to at least one field of zeros' };
  return { family: 6, bits: groups.whole() };
}

/** Reads a group and the colons behind it; gives what is left. */
function readGroup(rest: string, groups: Groups): string | Misread {
  const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
  if (digits.length > 4) return { problem: 'each group must have 4 or less digits', at: rest };
  if (digits === '') return { problem: 'each colon-separated field must have at least one digit', at: rest };
  if (rest[digits.length] === '.') return readTail(rest, groups);
  groups.add(BigInt(`0x${digits}`), 2);
  const behind = rest.slice(digits.length);
  if (behind === '') return '';
  if (behind[0] !== ':') return { problem: 'unexpected character, want colon', at: behind };
  if (behind === ':') return { problem: 'colon must be followed by more characters', at: behind };
  if (behind[1] !== ':') return behind.slice(1);
  if (groups.gap !== undefined) return { problem: 'multiple :: in address', at: behind.slice(1) };
  groups.gap = groups.bytes;
  return behind.slice(2);
}

/** The last four bytes may be written as IPv4. */
function readTail(rest: string, groups: Groups): string | Misread {
  if (groups.gap === undefined && groups.bytes !== 12)
    return { problem: 'embedded IPv4 address must replace the final 2 fields of the address', at: rest };
  if (groups.bytes > 12)
    return { problem: 'too many hex fields to fit an embedded IPv4 at the end of the address', at: rest };
  const four = readFour(rest);
  if (typeof four !== 'bigint') return four;
  groups.add(four, 4);
  return '';
}

/** The canonical form of RFC 5952. */
export function formatAddress({ family, bits }: Pick<Address, 'family' | 'bits'>): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => Number((bits >> BigInt(112 - index * 16)) & 0xffffn));
  let [start, length] = [0, 1];
  for (let at = 0; at < groups.length; at++) {
    let end = at;
    while (groups[end] === 0) end += 1;
    if (end - at > length) [start, length] = [at, end - at];
  }
  const text = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  return length < 2 ? text(groups) : `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}
