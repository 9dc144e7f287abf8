import { createHash, createPrivateKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, isAlreadyExists } from '@tiphys/kubernetes';
import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from 'jose';

const keyInvalid = defineDiagnosis(
  'WorkflowSsoKeyInvalid',
  'The Secret with which the workflow server seals sessions has no key that can be used',
);

/** Upstream's Secret and its key; who has it makes sessions for anybody. */
const secretName = 'sso';
const secretKey = 'cookieEncryptionPrivateKey';

/** Sealed by the server for itself: who has such a token can neither read nor change it. */
export class SealedTokens {
  readonly #key: Uint8Array;

  private constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** With the key of the installation, which is made if there is none: all servers of an installation open each other's tokens. */
  static async open(client: Client, namespace: string): Promise<SealedTokens> {
    const der = await installationKey(client, namespace);
    return new SealedTokens(createHash('sha256').update(der).digest());
  }

  /** `audience` tells apart what tokens are for; sessions are upstream's, which have none. */
  async seal(claims: JWTPayload, { audience, until }: { audience?: string; until: number }): Promise<string> {
    const token = new EncryptJWT(claims)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', zip: 'DEF' })
      .setIssuer(issuer)
      .setExpirationTime(Math.floor(until / 1000));
    if (audience) token.setAudience(audience);
    return await token.encrypt(this.#key);
  }

  /** The claims; undefined for what was not sealed here, for something else, or has ended. */
  async unseal(token: string, { audience, now }: { audience?: string; now: number }): Promise<JWTPayload | undefined> {
    try {
      const { payload } = await jwtDecrypt(token, this.#key, {
        issuer,
        currentDate: new Date(now),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        requiredClaims: ['exp'],
        ...(audience ? { audience } : {}),
      });
      return !audience && payload.aud !== undefined ? undefined : payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

const issuer = 'argo-server';

/** The private key as upstream keeps it, PKCS #1 in DER; others are derived from its bytes. */
async function installationKey(client: Client, namespace: string): Promise<Buffer> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName };
  const found = await client.find(ref);
  if (!found) {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    const der = privateKey.export({ type: 'pkcs1', format: 'der' });
    try {
      await client.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secretName, namespace },
        data: { [secretKey]: der.toString('base64') },
      });
      return der;
    } catch (error) {
      // another server was first: its key is the one
      if (!isAlreadyExists(error)) throw error;
    }
  }
  const secret = found ?? (await client.get(ref));
  const der = Buffer.from(((secret.data ?? {}) as Readonly<Record<string, string>>)[secretKey] ?? '', 'base64');
  try {
    createPrivateKey({ key: der, format: 'der', type: 'pkcs1' });
  } catch (error) {
    throw failure(
      keyInvalid,
      {
        message: `${secretKey} of Secret ${namespace}/${secretName} is no RSA key (PKCS #1)`,
        place: { object: `Secret ${namespace}/${secretName}`, field: `data.${secretKey}` },
        remedies: ['If nothing else uses this Secret, delete it and start the server again: it makes a new key'],
      },
      { cause: error },
    );
  }
  return der;
}
