import { createPublicKey, type KeyObject } from 'node:crypto';

/** One element of DER: its content. */
interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

function elementAt(bytes: Buffer, at: number): Element {
  const first = bytes[at + 1] as number;
  const more = first < 0x80 ? 0 : first & 0x7f;
  const size = more === 0 ? first : bytes.readUIntBE(at + 2, more);
  const start = at + 2 + more;
  return { tag: bytes[at] as number, start, end: start + size };
}

/** The integers in DER, whatever contains them; strings of bits and bytes may contain DER too. */
function integersIn(bytes: Buffer, start: number, end: number, found: Buffer[] = []): Buffer[] {
  for (let at = start; at < end; ) {
    const element = elementAt(bytes, at);
    if (element.tag === 0x02) found.push(bytes.subarray(at, element.end));
    else if (element.tag === 0x30 || element.tag === 0x04) integersIn(bytes, element.start, element.end, found);
    else if (element.tag === 0x03) integersIn(bytes, element.start + 1, element.end, found);
    at = element.end;
  }
  return found;
}

const integersOf = (bytes: Buffer): Buffer[] => integersIn(bytes, 0, bytes.length);

/** A DSA key in the form of OpenSSL, which Sprig writes and Node does not: version, p, q, g, y and x. */
export function dsaPem(key: KeyObject): string {
  const [version, p, q, g, x] = integersOf(key.export({ type: 'pkcs8', format: 'der' }));
  const y = integersOf(createPublicKey(key).export({ type: 'spki', format: 'der' })).at(-1);
  const body = Buffer.concat([version, p, q, g, y, x] as Buffer[]);
  const head = Buffer.from([0x30, 0x82, body.length >> 8, body.length & 0xff]);
  const lines = Buffer.concat([head, body])
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n');
  return `-----BEGIN DSA PRIVATE KEY-----\n${lines}-----END DSA PRIVATE KEY-----\n`;
}
