import { createHash } from 'node:crypto';

/** A key that signs charts. */
export interface ChartSigner {
  /** The public key as OpenPGP packets, and in armour. */
  readonly publicKey: Uint8Array;
  readonly armoredKey: string;
  readonly fingerprint: string;
  /** The provenance of a package of this name. */
  sign(archive: Uint8Array, fileName: string): Promise<string>;
}

/** Makes a key for `Tests <tests@example.com>`. */
export async function makeSigner(kind: 'rsa' | 'ecc' = 'ecc'): Promise<ChartSigner> {
  const openpgp = await import('openpgp');
  const { privateKey, publicKey } = await openpgp.generateKey({
    userIDs: [{ name: 'Tests', email: 'tests@example.com' }],
    format: 'object',
    ...(kind === 'rsa' ? { type: 'rsa', rsaBits: 2048 } : { type: 'ecc', curve: 'ed25519Legacy' }),
  });
  return {
    publicKey: publicKey.write(),
    armoredKey: publicKey.armor(),
    fingerprint: publicKey.getFingerprint().toUpperCase(),
    async sign(archive, fileName) {
      const digest = createHash('sha256').update(archive).digest('hex');
      const text = `apiVersion: v2\nname: signed\nversion: 1.0.0\n\n...\nfiles:\n  ${fileName}: sha256:${digest}\n`;
      const message = await openpgp.createCleartextMessage({ text });
      return openpgp.sign({ message, signingKeys: privateKey });
    },
  };
}
