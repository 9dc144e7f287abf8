import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface CertificateRequest {
  readonly commonName: string;
  readonly addresses: readonly string[];
  readonly names: readonly string[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly serial: Uint8Array;
  readonly isCa: boolean;
}

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length =
    size < 0x80
      ? [size]
      : size < 0x100
        ? [0x81, size]
        : size < 0x10000
          ? [0x82, size >> 8, size & 0xff]
          : [0x83, size >> 16, (size >> 8) & 0xff, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let value = arc >>> 7; value > 0; value >>>= 7) groups.unshift((value & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const body = bytes.subarray(start);
  return der(0x02, ((body[0] ?? 0) & 0x80) === 0 ? body : Buffer.concat([Buffer.from([0]), body]));
}

function time(millis: number): Buffer {
  const text = new Date(millis).toISOString().replace(/[-:T]|\.\d+/g, '');
  const year = Number(text.slice(0, 4));
  return year < 2050 ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

function nameOf(commonName: string): Buffer {
  if (commonName === '') return der(0x30);
  const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(commonName);
  return der(0x30, der(0x31, der(0x30, oid('2.5.4.3'), der(printable ? 0x13 : 0x0c, Buffer.from(commonName)))));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all =
    tail === undefined
      ? left
      : [...left, ...new Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return der(0x30, oid(id), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));
}

const algorithms: Readonly<Record<string, Buffer>> = {
  rsa: der(0x30, oid('1.2.840.113549.1.1.11'), der(0x05)),
  ec: der(0x30, oid('1.2.840.10045.4.3.2')),
  ed25519: der(0x30, oid('1.3.101.112')),
};

function keyIdentifier(spki: Buffer): Buffer {
  // The bit string at the end of the key's information, without its count of unused bits.
  const outer = spki.subarray(headerSize(spki, 0));
  const algorithmEnd = headerSize(outer, 0) + lengthAt(outer, 0);
  const bits = outer.subarray(algorithmEnd);
  return createHash('sha256')
    .update(bits.subarray(headerSize(bits, 0) + 1))
    .digest()
    .subarray(0, 20);
}

function headerSize(buffer: Buffer, at: number): number {
  const first = buffer[at + 1] as number;
  return first < 0x80 ? 2 : 2 + (first & 0x7f);
}

function lengthAt(buffer: Buffer, at: number): number {
  const first = buffer[at + 1] as number;
  if (first < 0x80) return first;
  let length = 0;
  for (let i = 0; i < (first & 0x7f); i++) length = length * 256 + (buffer[at + 2 + i] as number);
  return length;
}

/** A signed X.509 v3 certificate with the extensions that Go's x509 package gives. */
export function certificateDer(
  request: CertificateRequest,
  publicKey: KeyObject,
  issuer: { readonly certificate: string } | undefined,
  sign: (data: Buffer) => Buffer,
  signer: KeyObject,
): Buffer {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = algorithms[signer.asymmetricKeyType ?? 'rsa'] ?? (algorithms['rsa'] as Buffer);
  const subject = nameOf(request.commonName);
  const issued = issuer ? new X509Certificate(issuer.certificate).raw : undefined;
  const usage = request.isCa ? [0x02, 0xa4] : [0x05, 0xa0];
  const alternatives = [
    ...request.names.map((name) => der(0x82, Buffer.from(name))),
    ...request.addresses.map((address) => der(0x87, addressBytes(address))),
  ];
  const extensions = [
    extension('2.5.29.15', true, der(0x03, Buffer.from(usage))),
    extension('2.5.29.37', false, der(0x30, oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))),
    extension('2.5.29.19', true, request.isCa ? der(0x30, der(0x01, Buffer.from([0xff]))) : der(0x30)),
    ...(request.isCa ? [extension('2.5.29.14', false, der(0x04, keyIdentifier(spki)))] : []),
    ...(issued ? authorityKey(issued) : []),
    ...(alternatives.length > 0 ? [extension('2.5.29.17', false, der(0x30, ...alternatives))] : []),
  ];
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    integer(request.serial),
    algorithm,
    issued ? subjectOf(issued) : subject,
    der(0x30, time(request.notBefore), time(request.notAfter)),
    subject,
    spki,
    der(0xa3, der(0x30, ...extensions)),
  );
  return der(0x30, body, algorithm, der(0x03, Buffer.from([0]), sign(body)));
}

/** Elements of a constructed value. */
function elements(buffer: Buffer): Buffer[] {
  const list: Buffer[] = [];
  for (let at = headerSize(buffer, 0); at < headerSize(buffer, 0) + lengthAt(buffer, 0); ) {
    const size = headerSize(buffer, at) + lengthAt(buffer, at);
    list.push(buffer.subarray(at, at + size));
    at += size;
  }
  return list;
}

function subjectOf(certificate: Buffer): Buffer {
  return elements(elements(certificate)[0] as Buffer)[5] as Buffer;
}

function authorityKey(certificate: Buffer): Buffer[] {
  const wrapped = elements(elements(certificate)[0] as Buffer).find((element) => element[0] === 0xa3);
  if (!wrapped) return [];
  const found = elements(elements(wrapped)[0] as Buffer).find((element) =>
    (elements(element)[0] as Buffer).equals(oid('2.5.29.14')),
  );
  if (!found) return [];
  const value = elements(found).at(-1) as Buffer;
  const octets = value.subarray(headerSize(value, 0));
  const identifier = octets.subarray(headerSize(octets, 0));
  return [extension('2.5.29.35', false, der(0x30, der(0x80, identifier)))];
}
