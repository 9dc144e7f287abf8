import { readFile } from 'node:fs/promises';
import { parseYaml, YamlError } from '@tiphys/yaml';
import type { Key, PublicKey } from 'openpgp';
import { sha256 } from '../access/archive-cache.ts';
import { signatureRefused } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import { splitKeyRing } from './key-ring.ts';

/** What a valid provenance file proves. */
export interface Verification {
  /** `Name <mail>` of each identity of the key that signed. */
  readonly signedBy: readonly string[];
  /** In capitals. */
  readonly fingerprint: string;
  /** `sha256:…` of the package. */
  readonly digest: string;
}

export interface SignedPackage {
  readonly archive: Uint8Array;
  /** The content of the `.prov` file. */
  readonly provenance: Uint8Array;
  /** `web-1.2.3.tgz`: the signature is of this name. */
  readonly fileName: string;
  /** Path of the file with the public keys that are trusted, or these keys in armour. */
  readonly keyRing: string | { readonly armored: readonly string[] };
}

/** Proves that a trusted key signed exactly this package, or throws a `RegistryError` in Helm's words: it fails closed. */
export async function verifyProvenance(signed: SignedPackage): Promise<Verification> {
  // Few need it, and it is the largest library of all.
  const openpgp = await import('openpgp');
  const keys = await loadKeys(signed.keyRing, openpgp);
  const text = Buffer.from(signed.provenance).toString('utf8');
  const block = signedBlock(text.replaceAll('\r\n', '\n'));
  if (block === undefined) throw refuse('signature block not found', signed);
  let message: Awaited<ReturnType<typeof openpgp.readCleartextMessage>>;
  try {
    message = await openpgp.readCleartextMessage({ cleartextMessage: block });
  } catch (error) {
    throw refuse('signature block not found', signed, { reason: messageOf(error) }, error);
  }
  const { signatures } = await openpgp.verify({
    message,
    verificationKeys: keys,
    // Old signatures stay valid after their key expired, as Go's library has it.
    date: null as unknown as Date,
    config: { allowInsecureVerificationWithReformattedKeys: true, minRSABits: 1024 },
  });
  const [first] = signatures;
  if (!first) throw refuse('openpgp: signature made by unknown entity', signed);
  const signer = keys.find((key) => key.getKeys(first.keyID).length > 0);
  if (!signer) {
    throw refuse('openpgp: signature made by unknown entity', signed, {
      'signed with': first.keyID.toHex().toUpperCase(),
      'key ring': keys.map((key) => key.getKeyID().toHex().toUpperCase()).join(', ') || 'empty',
    });
  }
  try {
    await first.verified;
  } catch (error) {
    const reason = messageOf(error);
    const words = /digest/i.test(reason)
      ? "openpgp: invalid signature: hash tag doesn't match"
      : `openpgp: invalid signature: ${reason}`;
    throw refuse(words, signed, { reason }, error);
  }
  const digest = `sha256:${sha256(signed.archive)}`;
  checkSum(message.getText(), digest, signed);
  return {
    signedBy: signer.getUserIDs(),
    fingerprint: signer.getFingerprint().toUpperCase(),
    digest,
  };
}

const begin = '-----BEGIN PGP SIGNED MESSAGE-----';
const end = '-----END PGP SIGNATURE-----';

/** From the first beginning to the last end. */
function signedBlock(text: string): string | undefined {
  const [from, to] = [text.indexOf(begin), text.lastIndexOf(end)];
  return from < 0 || to < from ? undefined : text.slice(from, to + end.length);
}

async function loadKeys(keyRing: SignedPackage['keyRing'], openpgp: typeof import('openpgp')): Promise<PublicKey[]> {
  if (typeof keyRing === 'string') return loadKeyFile(keyRing, openpgp);
  // a key that cannot be read is one that is not there
  const read = keyRing.armored.map((armoredKeys) => openpgp.readKeys({ armoredKeys }).catch(() => []));
  return (await Promise.all(read)).flat().map((key) => key.toPublic());
}

async function loadKeyFile(path: string, openpgp: typeof import('openpgp')): Promise<PublicKey[]> {
  const fail = (reason: string, cause?: unknown): RegistryError =>
    new RegistryError(
      signatureRefused,
      `failed to load keyring: ${reason}`,
      {
        message: `The key ring ${path} can not be used: ${reason}`,
        place: { file: path },
        remedies: [
          {
            text: 'Export the public keys that you trust and name the file with --keyring',
            paste: 'gpg --export > keyring.gpg',
          },
        ],
      },
      cause === undefined ? {} : { cause },
    );
  let data: Buffer;
  try {
    data = await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw fail(code === 'ENOENT' ? `open ${path}: no such file or directory` : `open ${path}: ${code}`, error);
  }
  try {
    const ring = splitKeyRing(data);
    const keys: Key[] = [];
    if ('binary' in ring) keys.push(...(await openpgp.readKeys({ binaryKeys: ring.binary })));
    else for (const armored of ring.armored) keys.push(...(await openpgp.readKeys({ armoredKeys: armored })));
    return keys.map((key) => key.toPublic());
  } catch (error) {
    throw fail(messageOf(error), error);
  }
}

/** The signed text is Chart.yaml, a line of three dots, and the sums of the files. */
function checkSum(text: string, digest: string, signed: SignedPackage): void {
  const parts = text.split('\n...\n');
  if (parts.length < 2) throw refuse('message block must have at least two parts', signed);
  let files: unknown;
  try {
    files = (parseYaml(parts[1] ?? '') as { files?: unknown } | null)?.files;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw refuse(`error converting YAML to JSON: ${error.goMessage}`, signed, {}, error);
  }
  const sums = (typeof files === 'object' && files !== null ? files : {}) as Record<string, unknown>;
  const name = signed.fileName;
  if (!Object.hasOwn(sums, name))
    throw refuse(`provenance does not contain a SHA for a file named ${JSON.stringify(name)}`, signed, {
      'files signed': Object.keys(sums).join(', ') || 'none',
    });
  const sum = String(sums[name]);
  if (sum !== digest) {
    throw refuse(`sha256 sum does not match for ${name}: ${JSON.stringify(sum)} != ${JSON.stringify(digest)}`, signed, {
      signed: sum,
      found: digest,
    });
  }
}

function refuse(
  words: string,
  { fileName, keyRing }: SignedPackage,
  evidence: Readonly<Record<string, string>> = {},
  cause?: unknown,
): RegistryError {
  return new RegistryError(
    signatureRefused,
    words,
    {
      message: `The provenance of ${fileName} does not prove who made it: ${words}`,
      place: { file: `${fileName}.prov` },
      evidence: { ...evidence, ...(typeof keyRing === 'string' ? { 'keys from': keyRing } : {}) },
      remedies: [
        "Use a package signed by a key that you trust; import the key only if you know that it is its maker's",
      ],
    },
    cause === undefined ? {} : { cause },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
