import { readSshSignature, type SshKey } from './ssh-signature.ts';

/** What verifying a signature came to, in upstream's words. */
export type SignatureResult =
  | 'signed'
  | 'bad signature'
  | 'signed with expired key'
  | 'signed with revoked key'
  | 'signed with key not in keyring'
  | 'unsigned';

export interface VerifiedCommit {
  readonly result: SignatureResult;
  /** 16 hexadecimal digits in upper case; empty for an unsigned commit. */
  readonly keyId: string;
  /** `Name <address>` */
  readonly author: string;
}

const tagSignature = /-----BEGIN (?:PGP|SSH) SIGNATURE-----\n/;

/**
 * Parts the raw object of a commit or an annotated tag into what was signed, the signature, and who made it; the signature is
 * absent if it has none.
 */
export function splitSignature(content: Buffer): { payload: Buffer; signature?: string; author: string } {
  if (content.subarray(0, 7).toString('latin1') === 'object ') return splitTag(content);
  // every byte stays one character, so that what was signed keeps its bytes
  const text = content.toString('latin1');
  const end = text.indexOf('\n\n');
  const headers = (end < 0 ? text : text.slice(0, end)).split('\n');
  const kept: string[] = [];
  const signature: string[] = [];
  let inside = false;
  for (const line of headers) {
    const begins = /^gpgsig(-sha256)? /.exec(line);
    inside = begins !== null || (inside && line.startsWith(' '));
    if (inside) signature.push(line.slice(begins ? begins[0].length : 1));
    else kept.push(line);
  }
  const payload = Buffer.from(kept.join('\n') + (end < 0 ? '' : text.slice(end)), 'latin1');
  const author = kept.find((line) => line.startsWith('author ')) ?? '';
  const person = Buffer.from(/^author (.*?>)/.exec(author)?.[1] ?? '', 'latin1').toString('utf8');
  return { payload, author: person, ...(signature.length > 0 ? { signature: `${signature.join('\n')}\n` } : {}) };
}

/** Of a tag the signature is the end of its message. */
function splitTag(content: Buffer): { payload: Buffer; signature?: string; author: string } {
  const text = content.toString('latin1');
  const at = text.search(tagSignature);
  const tagger = text.split('\n').find((line) => line.startsWith('tagger ')) ?? '';
  const author = Buffer.from(/^tagger (.*?>)/.exec(tagger)?.[1] ?? '', 'latin1').toString('utf8');
  if (at < 0) return { payload: content, author };
  return { payload: content.subarray(0, at), signature: text.slice(at), author };
}

/** Public keys that signatures are checked with. */
export interface TrustedKeys {
  /** Armored OpenPGP. */
  readonly openpgp: readonly string[];
  /** In the form of authorized_keys. */
  readonly ssh: readonly SshKey[];
}

/** Verifies a commit's raw object against armored public keys. What is signed otherwise (SSH, X.509) counts as unsigned, as for gpg. */
export function verifyCommit(content: Buffer, armoredKeys: readonly string[]): Promise<VerifiedCommit> {
  return verifySigned(content, { openpgp: armoredKeys, ssh: [] });
}

/**
 * Verifies the raw object of a commit or an annotated tag. Without SSH keys a signature by SSH counts as none, as for gpg; one of
 * X.509 always.
 */
export async function verifySigned(content: Buffer, keys: TrustedKeys): Promise<VerifiedCommit> {
  const { payload, signature, author } = splitSignature(content);
  const ssh = keys.ssh.length > 0 && signature ? readSshSignature(signature) : undefined;
  if (ssh) return { result: ssh.verify(payload, keys.ssh), keyId: ssh.keyId, author };
  if (!signature?.includes('BEGIN PGP SIGNATURE')) return { result: 'unsigned', keyId: '', author };
  return { ...(await verifyOpenPgp(payload, signature, keys.openpgp)), author };
}

async function verifyOpenPgp(
  payload: Buffer,
  armored: string,
  armoredKeys: readonly string[],
): Promise<Omit<VerifiedCommit, 'author'>> {
  const openpgp = await import('openpgp');
  const keys = (
    await Promise.all(
      // a key that cannot be read is one that is not there
      armoredKeys.map((text) => openpgp.readKeys({ armoredKeys: text }).catch(() => [])),
    )
  ).flat();
  const signature = await openpgp.readSignature({ armoredSignature: armored }).catch(() => undefined);
  const keyId = signature?.getSigningKeyIDs()[0]?.toHex().toUpperCase() ?? '';
  const told = (result: SignatureResult) => ({ result, keyId });
  if (!signature) return told('bad signature');
  const key = keys.find((candidate) => candidate.getKeyIDs().some((id) => id.toHex().toUpperCase() === keyId));
  if (!key) return told('signed with key not in keyring');
  if (await key.isRevoked()) return told('signed with revoked key');
  try {
    const message = await openpgp.createMessage({ binary: new Uint8Array(payload) });
    const { signatures } = await openpgp.verify({ message, signature, verificationKeys: [key], format: 'binary' });
    await signatures[0]?.verified;
    return told(signatures.length > 0 ? 'signed' : 'bad signature');
  } catch (error) {
    return told(/expired/i.test((error as Error).message) ? 'signed with expired key' : 'bad signature');
  }
}
