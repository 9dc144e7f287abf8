import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { addressBytes, bitString, extension, integer, objectId, sequence, TRUE, tagged, time } from '@tiphys/der';

/** A key and its certificate, both PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses a server answers to. */
  readonly hosts?: readonly string[];
  readonly use: 'ca' | 'server' | 'client';
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly issuer?: Certificate & { commonName: string };
}

const DAY = 86_400_000;

/** Issues an ECDSA P-256 certificate that is valid for ten years, signed by `issuer` or by itself. */
export function issueCertificate(request: CertificateRequest): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const issuerName = request.issuer?.commonName ?? request.commonName;
  const cert = signCertificate({
    issuer: name(issuerName, request.issuer ? [] : (request.organizations ?? [])),
    subject: name(request.commonName, request.organizations ?? []),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    notBefore: request.now - DAY,
    notAfter: request.now + 3650 * DAY,
    extensions: extensions(request, publicKey),
    key: request.issuer?.key ?? key,
  });
  return { key, cert };
}

const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));

/** What a certificate says, in DER where it is not a time. */
export interface CertificateContent {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: Buffer;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Buffer[];
  /** PEM of the issuer's key, ECDSA P-256. */
  readonly key: string;
}

/** A certificate as PEM. */
export function signCertificate(content: CertificateContent): string {
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ECDSA_SHA256,
    content.issuer,
    sequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    content.publicKey,
    tagged(0xa3, sequence(...content.extensions)),
  );
  const signature = createSign('SHA256').update(body).sign(content.key);
  const der = sequence(body, ECDSA_SHA256, bitString(signature));
  const lines = (der.toString('base64').match(/.{1,64}/g) as string[]).join('\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** Sixteen random bytes: never zero, and positive. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes;
}

function extensions({ use, hosts = [] }: CertificateRequest, publicKey: KeyObject): Buffer[] {
  const isCa = use === 'ca';
  const list = [
    extension('2.5.29.19', true, isCa ? sequence(TRUE) : sequence()),
    // keyCertSign, cRLSign and digitalSignature for the authority; digitalSignature for the rest.
    extension('2.5.29.15', true, isCa ? Buffer.from([0x03, 0x02, 0x01, 0x86]) : Buffer.from([0x03, 0x02, 0x07, 0x80])),
    extension(
      '2.5.29.14',
      false,
      tagged(
        0x04,
        createHash('sha1')
          .update(publicKey.export({ type: 'spki', format: 'der' }))
          .digest(),
      ),
    ),
  ];
  if (!isCa)
    list.push(
      extension('2.5.29.37', false, sequence(objectId(use === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2'))),
    );
  if (hosts.length) list.push(extension('2.5.29.17', false, sequence(...hosts.map(alternativeName))));
  return list;
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 0 ? tagged(0x82, Buffer.from(host)) : tagged(0x87, addressBytes(host));
}

export function name(commonName: string, organizations: readonly string[]): Buffer {
  const part = (id: string, value: string) => tagged(0x31, sequence(objectId(id), tagged(0x0c, Buffer.from(value))));
  return sequence(...organizations.map((organization) => part('2.5.4.10', organization)), part('2.5.4.3', commonName));
}
