import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const maxBytes = 512 * 1024 * 1024;

/** The key of one secret; `purpose` keeps apart what the secret is used for elsewhere. */
export function sealingKey(secret: Uint8Array | string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'tiphys render cache', 32));
}

/**
 * A value as bytes that say nothing without the key and can not be altered: rendered manifests hold Secrets, and who can write
 * to the store must not be able to write to clusters (CVE-2024-31989). `name` is bound to them.
 */
export function seal(value: unknown, name: string, key: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(name));
  const content = deflateRawSync(serialize(value), { level: 1 });
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** The value; undefined for bytes that were altered, cut off, or sealed with another key or name. */
export function unseal(bytes: Buffer, name: string, key: Buffer): unknown {
  if (bytes.length < 28) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(-16));
  let content: Buffer;
  try {
    content = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  } catch (error) {
    // It is not what we sealed: as if it was not there.
    if (error instanceof Error) return undefined;
    throw error;
  }
  return deserialize(inflateRawSync(content, { maxOutputLength: maxBytes }));
}
