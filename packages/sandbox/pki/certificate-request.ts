import { createPublicKey, createVerify, type KeyObject, verify } from 'node:crypto';
import { isIP } from 'node:net';
import { type DerElement, derElements, TruncatedDer } from '@tiphys/der';

/** What a PKCS#10 request asks a certificate for. */
export interface ParsedRequest {
  /** DER of the distinguished name. */
  readonly subject: Buffer;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DER of the SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** DER of the value of the subjectAltName extension; undefined for none. */
  readonly alternativeNames: Buffer | undefined;
}

/** A request that is none; the message is that of Go where that can be known. */
export class BadCertificateRequest extends Error {}

const COMMON_NAME = '550403';
const ORGANIZATION = '55040a';
const EXTENSION_REQUEST = '2a864886f70d01090e';
const ALTERNATIVE_NAME = '551d11';

/** Digest by the object id of the signature's algorithm; null where the algorithm brings its own. */
const DIGESTS: Readonly<Record<string, string | null>> = {
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b6570': null,
};

/** Reads the `spec.request` of a CertificateSigningRequest (PEM) and checks that it is signed by its own key. */
export function parseCertificateRequest(pem: string): ParsedRequest {
  const [, type, base64 = ''] = /-----BEGIN ([^-]+)-----\s((?:(?!-----)[\s\S])*)-----END \1-----/.exec(pem) ?? [];
  if (type !== 'CERTIFICATE REQUEST') throw new BadCertificateRequest('PEM block type must be CERTIFICATE REQUEST');
  try {
    return read(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (error instanceof BadCertificateRequest) throw error;
    const problem =
      error instanceof TruncatedDer ? 'syntax error: data truncated' : "structure error: tags don't match";
    throw new BadCertificateRequest(`asn1: ${problem}`, { cause: error });
  }
}

function read(der: Buffer): ParsedRequest {
  const [request] = derElements(der);
  const [info, algorithm, signature] = children(request);
  const [, subject, publicKey, attributes] = children(info);
  if (!info || !subject || !publicKey || !signature) throw new RangeError('parts are missing');
  const key = createPublicKey({ key: publicKey.raw, type: 'spki', format: 'der' });
  const [oid] = children(algorithm);
  if (!isSigned(info.raw, signature.content.subarray(1), key, oid?.content.toString('hex') ?? ''))
    throw new BadCertificateRequest(
      key.asymmetricKeyType === 'rsa' ? 'crypto/rsa: verification error' : 'x509: ECDSA verification failure',
    );
  const names = alternativeNames(attributes);
  const of = (tag: number) => names.elements.filter((element) => element.tag === tag);
  const texts = (tag: number) => of(tag).map(({ content }) => content.toString());
  return {
    subject: subject.raw,
    commonName: attributeValues(subject, COMMON_NAME).at(-1) ?? '',
    organizations: attributeValues(subject, ORGANIZATION),
    publicKey: publicKey.raw,
    dnsNames: texts(0x82),
    emailAddresses: texts(0x81),
    uris: texts(0x86),
    ipAddresses: of(0x87).map(({ content }) => ipText(content)),
    alternativeNames: names.value,
  };
}

function children(element: DerElement | undefined): DerElement[] {
  if (!element) throw new RangeError('an element is missing');
  return derElements(element.content);
}

function isSigned(body: Buffer, signature: Buffer, key: KeyObject, algorithm: string): boolean {
  const digest = DIGESTS[algorithm];
  if (digest === undefined) throw new BadCertificateRequest('x509: cannot verify signature: algorithm unimplemented');
  return digest === null
    ? verify(null, body, key, signature)
    : createVerify(digest).update(body).verify(key, signature);
}

function attributeValues(name: DerElement, id: string): string[] {
  return children(name)
    .flatMap((set) => children(set))
    .flatMap((pair) => {
      const [type, value] = children(pair);
      return type?.content.toString('hex') === id && value ? [value.content.toString()] : [];
    });
}

function alternativeNames(attributes: DerElement | undefined): { value: Buffer | undefined; elements: DerElement[] } {
  for (const attribute of attributes ? children(attributes) : []) {
    const [type, values] = children(attribute);
    if (type?.content.toString('hex') !== EXTENSION_REQUEST) continue;
    for (const extension of children(children(values)[0])) {
      const parts = children(extension);
      const value = parts.at(-1);
      if (parts[0]?.content.toString('hex') === ALTERNATIVE_NAME && value)
        return { value: value.content, elements: children(derElements(value.content)[0]) };
    }
  }
  return { value: undefined, elements: [] };
}

function ipText(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.');
  const text = (bytes.toString('hex').match(/.{4}/g) ?? []).join(':');
  return isIP(text) ? text : '';
}
