import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { sequence, tagged } from '@tiphys/der';

/** A public key of `ssh-ed25519 AAAA… comment`. */
export interface SshKey {
  /** `SHA256:…`, as ssh-keygen prints it. */
  readonly id: string;
  /** As the wire has it. */
  readonly blob: Buffer;
}

/** What a signature by SSH says before it is verified. */
export interface SshSignature {
  readonly keyId: string;
  verify(payload: Buffer, keys: readonly SshKey[]): 'signed' | 'bad signature' | 'signed with key not in keyring';
}

/** The public keys of a text in the form of authorized_keys or allowed_signers; what is none is left out. */
export function readSshKeys(text: string): SshKey[] {
  return text.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/);
    const at = words.findIndex((word) => supported.has(word));
    const blob = Buffer.from(words[at + 1] ?? '', 'base64');
    return at < 0 || line.trim().startsWith('#') || blob.length < 16 ? [] : [{ id: fingerprint(blob), blob }];
  });
}

const supported = new Set([
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
]);

/** Reads an armored signature (PROTOCOL.sshsig) of the namespace `git`; undefined if it is none. */
export function readSshSignature(armored: string): SshSignature | undefined {
  const body = /-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----/.exec(armored)?.[1];
  if (!body) return undefined;
  try {
    const reader = new Reader(Buffer.from(body, 'base64'));
    if (reader.bytes(6).toString('latin1') !== 'SSHSIG' || reader.uint32() !== 1) return undefined;
    const blob = reader.string();
    const namespace = reader.string().toString('utf8');
    reader.string();
    const hash = reader.string().toString('latin1');
    const signature = reader.string();
    const keyId = fingerprint(blob);
    return {
      keyId,
      verify: (payload, keys) => {
        if (!keys.some((key) => key.blob.equals(blob))) return 'signed with key not in keyring';
        if (namespace !== 'git' || (hash !== 'sha512' && hash !== 'sha256')) return 'bad signature';
        const digest = createHash(hash).update(payload).digest();
        const signed = Buffer.concat([Buffer.from('SSHSIG'), ...['git', '', hash].map(packed), packed(digest)]);
        return isValid(blob, signed, signature) ? 'signed' : 'bad signature';
      },
    };
  } catch {
    // a signature that ends too early is none
    return undefined;
  }
}

function isValid(blob: Buffer, signed: Buffer, signature: Buffer): boolean {
  try {
    const reader = new Reader(signature);
    const algorithm = reader.string().toString('latin1');
    const value = reader.string();
    const key = publicKey(blob);
    if (algorithm === 'ssh-ed25519') return key.asymmetricKeyType === 'ed25519' && verify(null, signed, key, value);
    if (algorithm === 'rsa-sha2-512' || algorithm === 'rsa-sha2-256')
      return (
        key.asymmetricKeyType === 'rsa' &&
        verify(algorithm === 'rsa-sha2-512' ? 'sha512' : 'sha256', signed, key, value)
      );
    const hash = { nistp256: 'sha256', nistp384: 'sha384', nistp521: 'sha512' }[algorithm.replace('ecdsa-sha2-', '')];
    if (!hash || key.asymmetricKeyType !== 'ec') return false;
    const parts = new Reader(value);
    return verify(hash, signed, key, derSignature(parts.string(), parts.string()));
  } catch {
    // what cannot be read proves nothing
    return false;
  }
}

function publicKey(blob: Buffer): KeyObject {
  const reader = new Reader(blob);
  const type = reader.string().toString('latin1');
  const url = (bytes: Buffer) => bytes.toString('base64url');
  if (type === 'ssh-ed25519')
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: url(reader.string()) }, format: 'jwk' });
  if (type === 'ssh-rsa') {
    const [e, n] = [reader.string(), reader.string()];
    return createPublicKey({ key: { kty: 'RSA', e: url(unsigned(e)), n: url(unsigned(n)) }, format: 'jwk' });
  }
  const curve = reader.string().toString('latin1');
  const point = reader.string();
  const size = (point.length - 1) / 2;
  const crv = { nistp256: 'P-256', nistp384: 'P-384', nistp521: 'P-521' }[curve] ?? '';
  const [x, y] = [url(point.subarray(1, 1 + size)), url(point.subarray(1 + size))];
  return createPublicKey({ key: { kty: 'EC', crv, x, y }, format: 'jwk' });
}

function unsigned(bytes: Buffer): Buffer {
  return bytes[0] === 0 ? bytes.subarray(1) : bytes;
}

function derSignature(r: Buffer, s: Buffer): Buffer {
  // SSH writes numbers with the bytes that DER has
  return sequence(tagged(0x02, r), tagged(0x02, s));
}

function fingerprint(blob: Buffer): string {
  return `SHA256:${createHash('sha256')
    .update(blob)
    .digest('base64')
    .replace(/(?<!=)=+$/, '')}`;
}

function packed(data: string | Buffer): Buffer {
  const bytes = Buffer.from(data as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Fields as SSH writes them, one after the other; throws at the end of the bytes. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  bytes(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError('the data ends too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  uint32(): number {
    return this.bytes(4).readUInt32BE();
  }

  string(): Buffer {
    return this.bytes(this.uint32());
  }
}
