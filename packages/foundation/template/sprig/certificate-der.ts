import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import {
  addressBytes,
  bitString,
  type DerElement,
  derElements,
  extension,
  integer,
  objectId,
  sequence,
  TRUE,
  tagged,
  time,
} from '@tiphys/der';

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

function nameOf(commonName: string): Buffer {
  if (commonName === '') return sequence();
  const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(commonName);
  return sequence(
    tagged(0x31, sequence(objectId('2.5.4.3'), tagged(printable ? 0x13 : 0x0c, Buffer.from(commonName)))),
  );
}

const algorithms: Readonly<Record<string, Buffer>> = {
  rsa: sequence(objectId('1.2.840.113549.1.1.11'), tagged(0x05)),
  ec: sequence(objectId('1.2.840.10045.4.3.2')),
  ed25519: sequence(objectId('1.3.101.112')),
};

function keyIdentifier(spki: Buffer): Buffer {
  // The bit string at the end of the key's information, without its count of unused bits.
  const bits = partsOf(spki)[1]?.content ?? Buffer.alloc(0);
  return createHash('sha256').update(bits.subarray(1)).digest().subarray(0, 20);
}

/** Elements of the one element that these bytes are. */
function partsOf(bytes: Buffer): DerElement[] {
  return derElements(derElements(bytes)[0]?.content ?? Buffer.alloc(0));
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
    ...request.names.map((name) => tagged(0x82, Buffer.from(name))),
    ...request.addresses.map((address) => tagged(0x87, addressBytes(address))),
  ];
  const extensions = [
    extension('2.5.29.15', true, tagged(0x03, Buffer.from(usage))),
    extension('2.5.29.37', false, sequence(objectId('1.3.6.1.5.5.7.3.1'), objectId('1.3.6.1.5.5.7.3.2'))),
    extension('2.5.29.19', true, request.isCa ? sequence(TRUE) : sequence()),
    ...(request.isCa ? [extension('2.5.29.14', false, tagged(0x04, keyIdentifier(spki)))] : []),
    ...(issued ? authorityKey(issued) : []),
    ...(alternatives.length > 0 ? [extension('2.5.29.17', false, sequence(...alternatives))] : []),
  ];
  const body = tagged(
    0x30,
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    integer(request.serial),
    algorithm,
    issued ? subjectOf(issued) : subject,
    sequence(time(request.notBefore), time(request.notAfter)),
    subject,
    spki,
    tagged(0xa3, sequence(...extensions)),
  );
  return sequence(body, algorithm, bitString(sign(body)));
}

/** Subject of a certificate. */
function subjectOf(certificate: Buffer): Buffer {
  return (bodyOf(certificate)[5] as DerElement).raw;
}

function bodyOf(certificate: Buffer): DerElement[] {
  return derElements((partsOf(certificate)[0] as DerElement).content);
}

function authorityKey(certificate: Buffer): Buffer[] {
  const wrapped = bodyOf(certificate).find(({ tag }) => tag === 0xa3);
  if (!wrapped) return [];
  const found = partsOf(wrapped.content)
    .map(({ content }) => derElements(content))
    .find(([id]) => id?.raw.equals(objectId('2.5.29.14')));
  const identifier = found && derElements((found.at(-1) as DerElement).content)[0]?.content;
  return identifier ? [extension('2.5.29.35', false, sequence(tagged(0x80, identifier)))] : [];
}
