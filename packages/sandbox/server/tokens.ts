import {
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import type { Clock } from '@tiphys/kubernetes';

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
  };
}

/** Signs and checks service-account tokens (JWT, RS256) with one key pair. */
export class TokenSigner {
  readonly #private: KeyObject;
  readonly #public: KeyObject;
  readonly #clock: Clock;
  readonly #verified = new Map<string, TokenClaims>();

  constructor(privateKeyPem: string, clock: Clock) {
    this.#private = createPrivateKey(privateKeyPem);
    this.#public = createPublicKey(this.#private);
    this.#clock = clock;
  }

  /** A new private key as PEM. */
  static generateKey(): string {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  }

  sign(claims: TokenClaims): string {
    const body = `${encode({ alg: 'RS256', kid: 'sandbox', typ: 'JWT' })}.${encode(claims)}`;
    return `${body}.${createSign('RSA-SHA256').update(body).sign(this.#private, 'base64url')}`;
  }

  /** The claims of a token that this key signed and that is valid now; undefined for any other text. */
  verify(token: string): TokenClaims | undefined {
    const claims = this.#verified.get(token) ?? this.#check(token);
    const seconds = this.#clock.now() / 1000;
    return claims && claims.exp > seconds && claims.nbf <= seconds + 10 ? claims : undefined;
  }

  /** `/openid/v1/jwks`. */
  jwks(): unknown {
    return { keys: [{ use: 'sig', kid: 'sandbox', alg: 'RS256', ...this.#public.export({ format: 'jwk' }) }] };
  }

  #check(token: string): TokenClaims | undefined {
    const [header, payload, signature, ...rest] = token.split('.');
    if (!header || !payload || !signature || rest.length) return undefined;
    const valid = createVerify('RSA-SHA256')
      .update(`${header}.${payload}`)
      .verify(this.#public, signature, 'base64url');
    if (!valid) return undefined;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenClaims;
    if (this.#verified.size > 1000) this.#verified.clear();
    this.#verified.set(token, claims);
    return claims;
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
