import { names } from '@tiphys/api';
import type { Key } from 'openpgp';
import { Code, invalidArgument, RpcError } from '../rpc/rpc-error.ts';
import type { ControlPlane } from '../settings/control-plane.ts';

/** A public key in Argo CD's JSON. */
export interface GpgKeyJson {
  keyID: string;
  fingerprint: string;
  owner: string;
  trust: string;
  subType: string;
  /** Armored; absent in lists. */
  keyData: string;
}

/** The public keys with which commits may be signed, kept in Argo CD's ConfigMap by their ids. */
export class GpgKeys {
  readonly #plane: ControlPlane;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  /** An entry that is no key, or another one than its name says, fails the whole: nothing is to be trusted by mistake. */
  async list(): Promise<GpgKeyJson[]> {
    const stored = Object.entries(this.#plane.configMap(names.configMaps.gpgKeys)).sort(([a], [b]) => (a < b ? -1 : 1));
    return Promise.all(
      stored.map(async ([name, armored]) => {
        const id = shortId(name);
        const [key] = await read(armored, `error parsing GPG key for entry "${id}"`);
        if (key?.keyID !== id)
          throw new RpcError(
            Code.Unknown,
            `key parsed for entry with key ID '${id}' had different key ID '${key?.keyID ?? ''}'`,
          );
        return { ...key, keyData: armored };
      }),
    );
  }

  async get(id: string): Promise<GpgKeyJson> {
    const wanted = shortId(id);
    const found = (await this.list()).find(({ keyID }) => keyID === wanted);
    if (!found) throw new RpcError(Code.Unknown, `no such key: ${wanted}`);
    return found;
  }

  /** Adds every key of a text; those that are there already are left as they are. */
  async add(text: string): Promise<{ created: GpgKeyJson[]; skipped: string[] }> {
    if (text.trim() === '') throw new RpcError(Code.Unknown, 'submitted key data is empty');
    const keys = await read(text, 'error validating PGP keys from input');
    let created: GpgKeyJson[] = [];
    await this.#plane.change('ConfigMap', names.configMaps.gpgKeys, (data) => {
      created = keys.filter(({ keyID }) => data[keyID] === undefined);
      if (created.length === 0) return undefined;
      return { ...data, ...Object.fromEntries(created.map(({ keyID, keyData }) => [keyID, keyData])) };
    });
    return { created, skipped: keys.filter((key) => !created.includes(key)).map(({ keyID }) => keyID) };
  }

  async remove(id: string): Promise<void> {
    await this.#plane.change('ConfigMap', names.configMaps.gpgKeys, (data) => {
      if (data[id] === undefined) throw new RpcError(Code.Unknown, `no such key configured: ${id}`);
      const { [id]: _, ...rest } = data;
      return rest;
    });
  }
}

async function read(armored: string, failure: string): Promise<GpgKeyJson[]> {
  const { readKeys } = await import('openpgp');
  try {
    const blocks = armored.match(/-----BEGIN PGP [A-Z ]+-----(?:(?!-----)[\s\S])+-----END PGP [A-Z ]+-----/g) ?? [
      armored,
    ];
    const keys = (await Promise.all(blocks.map((block) => readKeys({ armoredKeys: block })))).flat();
    if (keys.some((key) => key.isPrivate())) throw new Error('a private key is not to be given to anybody');
    return await Promise.all(keys.map(describe));
  } catch (error) {
    throw invalidArgument(`${failure}: ${(error as Error).message}`);
  }
}

async function describe(key: Key): Promise<GpgKeyJson> {
  const { algorithm, bits, curve } = key.getAlgorithmInfo() as { algorithm: string; bits?: number; curve?: string };
  const user = await key.getPrimaryUser().catch(() => undefined);
  return {
    keyID: key.getKeyID().toHex().toUpperCase(),
    fingerprint: key.getFingerprint().toUpperCase(),
    owner: user?.user.userID?.userID ?? key.getUserIDs()[0] ?? '',
    trust: 'unknown',
    subType: curve
      ? curve.replace(/Legacy$/, '')
      : `${algorithm.replace(/EncryptSign$|Encrypt$|Sign$/, '')}${bits ?? ''}`,
    keyData: key.armor(),
  };
}

/** The id of a key from it or from its fingerprint. */
function shortId(text: string): string {
  if (/^([0-9A-Fa-f]{24})?[0-9A-Fa-f]{16}$/.test(text)) return text.slice(-16);
  throw invalidArgument(`'${text}' is not a valid GnuPG key ID`);
}
