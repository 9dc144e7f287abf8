import { createHash } from 'node:crypto';
import { invalidArgument } from '../rpc/rpc-error.ts';

/** One line of a known-hosts file. */
export interface HostKey {
  /** As the file has it: `host` or `[host]:port`, maybe several with commas. */
  readonly host: string;
  /** `ssh-ed25519`, `ecdsa-sha2-nistp256` … */
  readonly type: string;
  /** Base64 */
  readonly data: string;
}

export function parseHostKeys(text: string): HostKey[] {
  return text.split('\n').flatMap((line) => {
    const [host, type, data] = line.trim().split(/\s+/);
    return host && type && data && !host.startsWith('#') && !host.startsWith('@') ? [{ host, type, data }] : [];
  });
}

export function formatHostKeys(keys: readonly HostKey[]): string {
  return keys.map(({ host, type, data }) => `${host} ${type} ${data}\n`).join('');
}

/** `SHA256:…`, as ssh-keygen prints it. */
export function fingerprint(key: HostKey): string {
  return `SHA256:${createHash('sha256')
    .update(Buffer.from(key.data, 'base64'))
    .digest('base64')
    .replace(/(?<!=)=+$/, '')}`;
}

/** Throws unless the data is a public key of the type: its first field repeats the type's name. */
export function assertHostKey(key: HostKey): void {
  const bytes = Buffer.from(key.data, 'base64');
  const length = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0;
  const name = bytes.subarray(4, 4 + length).toString('latin1');
  if (length === 0 || name !== key.type)
    throw invalidArgument(`the key of ${key.host} is not a public key of type ${key.type}`);
}
