import type { ParsedRequest } from './certificate-request.ts';
import { objectId, sequence, tagged } from './der.ts';
import { type Certificate, extension, name, signCertificate } from './issue-certificate.ts';

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
  any: '551d2500',
  'server auth': '2b06010505070301',
  'client auth': '2b06010505070302',
  'code signing': '2b06010505070303',
  'email protection': '2b06010505070304',
  's/mime': '2b06010505070304',
  'ipsec end system': '2b06010505070305',
  'ipsec tunnel': '2b06010505070306',
  'ipsec user': '2b06010505070307',
  timestamping: '2b06010505070308',
  'ocsp signing': '2b06010505070309',
  'microsoft sgc': '2b0601040182370a0303',
  'netscape sgc': '6086480186f8420401',
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
      extension('551d0f', true, keyUsage(usages)),
      ...(extended.length ? [extension('551d25', false, sequence(...extended.map(objectId)))] : []),
      extension('551d13', true, sequence()),
      ...(request.alternativeNames ? [extension('551d11', false, request.alternativeNames)] : []),
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
