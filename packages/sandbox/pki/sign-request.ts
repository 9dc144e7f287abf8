import { extension, objectId, sequence, tagged } from '@tiphys/der';
import type { ParsedRequest } from './certificate-request.ts';
import { type Certificate, name, signCertificate } from './issue-certificate.ts';

const KEY_USAGES: Readonly<Record<string, number>> = {
  'digital signature': 0,
  signing: 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};
const EXTENDED_USAGES: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};
const BACKDATE = 5 * 60_000;
const SHORT = 8 * 3600_000;
const YEAR = 365 * 86_400_000;

/** Signs what a request asks for; as PEM. For a year, or for a shorter time that was asked for, but ten minutes at least. */
export function signRequest(
  request: ParsedRequest,
  options: {
    usages: readonly string[];
    expirationSeconds: number | undefined;
    now: number;
    authority: Certificate & { readonly commonName: string };
  },
): string {
  const { usages, expirationSeconds, now, authority } = options;
  const life = Math.max(600_000, Math.min((expirationSeconds ?? YEAR) * 1000, YEAR));
  const backdate = life < SHORT ? Math.min(BACKDATE, life / 2) : BACKDATE;
  const extended = [...new Set(usages.flatMap((usage) => EXTENDED_USAGES[usage] ?? []))];
  return signCertificate({
    issuer: name(authority.commonName, []),
    subject: request.subject,
    publicKey: request.publicKey,
    notBefore: now - backdate,
    notAfter: now - (life < SHORT ? 0 : backdate) + life,
    extensions: [
      extension('2.5.29.15', true, keyUsage(usages)),
      ...(extended.length ? [extension('2.5.29.37', false, sequence(...extended.map(objectId)))] : []),
      extension('2.5.29.19', true, sequence()),
      ...(request.alternativeNames ? [extension('2.5.29.17', false, request.alternativeNames)] : []),
    ],
    key: authority.key,
  });
}

/** A bit string: the first usage is the highest bit. */
function keyUsage(usages: readonly string[]): Buffer {
  const bits = usages.flatMap((usage) => KEY_USAGES[usage] ?? []);
  const bytes = Buffer.alloc(Math.max(...bits, 0) > 7 ? 2 : 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] as number) | (0x80 >> (bit & 7));
  const last = bytes[bytes.length - 1] as number;
  const unused = last === 0 ? 0 : Math.log2(last & -last);
  return tagged(0x03, Buffer.concat([Buffer.from([unused]), bytes]));
}
