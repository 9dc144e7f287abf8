import {
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  generateKeyPair,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';

export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** What a service account's token says. Times in seconds since the epoch. */
export interface TokenClaims {
  iss: string;
  sub: string;
  aud: string[];
  exp: number;
  iat: number;
  nbf: number;
  jti: string;
  'kubernetes.io': {
    namespace: string;
    serviceaccount: { name: string; uid: string };
    pod?: { name: string; uid: string };
    secret?: { name: string; uid: string };
    node?: { name: string; uid?: string };
    /** When a token that outlives its time is reported as stale. */
    warnafter?: number;
  };
}

export const LEGACY_ISSUER = 'kubernetes/serviceaccount';

/** What the token of a Secret says: valid for as long as that Secret holds it. */
export interface LegacyClaims {
  iss: string;
  sub: string;
  'kubernetes.io/serviceaccount/namespace': string;
  'kubernetes.io/serviceaccount/secret.name': string;
  'kubernetes.io/serviceaccount/service-account.name': string;
  'kubernetes.io/serviceaccount/service-account.uid': string;
}

export function isLegacy(claims: TokenClaims | LegacyClaims): claims is LegacyClaims {
  return claims.iss === LEGACY_ISSUER;
}

/** Signs and checks service-account tokens (JWT, RS256) with one key pair, from when it is `ready`. */
export class TokenSigner {
  /** Resolves when the key is there: to make one takes as long as to start a server. */
  readonly ready: Promise<void>;
  #keys: { readonly private: KeyObject; readonly public: KeyObject } | undefined;
  readonly #verified = new Map<string, TokenClaims | LegacyClaims>();

  /** Takes a private key as PEM. */
  constructor(key: string | Promise<string>) {
    this.ready = Promise.resolve(key).then((pem) => {
      const made = createPrivateKey(pem);
      this.#keys = { private: made, public: createPublicKey(made) };
    });
  }

  /** A new private key as PEM. */
  static async generateKey(): Promise<string> {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  }

  get #pair() {
    if (!this.#keys) throw new Error('A token was to be signed or read before the key for that was ready.');
    return this.#keys;
  }

  sign(claims: TokenClaims | LegacyClaims): string {
    const body = `${encode({ alg: 'RS256', kid: 'sandbox', typ: 'JWT' })}.${encode(claims)}`;
    return `${body}.${createSign('RSA-SHA256').update(body).sign(this.#pair.private, 'base64url')}`;
  }

  /** The claims of a token that this key signed, at whatever time; undefined for any other text. */
  verify(token: string): TokenClaims | LegacyClaims | undefined {
    return this.#verified.get(token) ?? this.#check(token);
  }

  /** `/openid/v1/jwks`. */
  jwks(): unknown {
    return {
      keys: [{ use: 'sig', kty: 'RSA', kid: 'sandbox', alg: 'RS256', ...this.#pair.public.export({ format: 'jwk' }) }],
    };
  }

  #check(token: string): TokenClaims | LegacyClaims | undefined {
    const [header, payload, signature, ...rest] = token.split('.');
    if (!header || !payload || !signature || rest.length) return undefined;
    const valid = createVerify('RSA-SHA256')
      .update(`${header}.${payload}`)
      .verify(this.#pair.public, signature, 'base64url');
    if (!valid) return undefined;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenClaims | LegacyClaims;
    if (this.#verified.size > 1000) this.#verified.clear();
    this.#verified.set(token, claims);
    return claims;
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
