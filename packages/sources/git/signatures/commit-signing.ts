import { failure } from '@tiphys/diagnosis';
import { invalidCredentials } from '../repository/diagnoses.ts';

/** A private key that commits are signed with. */
export interface SigningKey {
  /** Armored OpenPGP. */
  readonly privateKey: string;
  readonly passphrase?: string;
}

/** The raw commit with a signature by the key. Throws a diagnosis if the key cannot be used. */
export async function signCommit(content: Buffer, key: SigningKey, now: number): Promise<Buffer> {
  const openpgp = await import('openpgp');
  try {
    const locked = await openpgp.readPrivateKey({ armoredKey: key.privateKey });
    const signingKeys = locked.isDecrypted()
      ? locked
      : await openpgp.decryptKey({ privateKey: locked, passphrase: key.passphrase ?? '' });
    const message = await openpgp.createMessage({ binary: new Uint8Array(content) });
    const signature = (await openpgp.sign({ message, signingKeys, detached: true, date: new Date(now) })) as string;
    const text = content.toString('latin1');
    const end = text.indexOf('\n\n');
    const header = `gpgsig ${signature.replaceAll('\r', '').trimEnd().replaceAll('\n', '\n ')}`;
    return Buffer.from(`${text.slice(0, end)}\n${header}${text.slice(end)}`, 'latin1');
  } catch (error) {
    throw failure(
      invalidCredentials,
      {
        message: `The key that commits are to be signed with cannot be used: ${error instanceof Error ? error.message : 'it cannot be read'}`,
        place: { field: 'gpgSigningKey' },
        remedies: ['Give an armored OpenPGP private key that can sign, and its passphrase in gpgSigningPassphrase'],
      },
      { cause: error },
    );
  }
}
