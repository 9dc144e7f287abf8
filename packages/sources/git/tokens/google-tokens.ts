import { sign } from 'node:crypto';
import { type Diagnosis, failure } from '@tiphys/diagnosis';
import { invalidCredentials } from '../repository/diagnoses.ts';
import type { AccessTokens, AccessTokensOptions } from './access-tokens.ts';
import { TokenService } from './token-service.ts';

interface GoogleKey {
  readonly type?: string;
  readonly client_email?: string;
  readonly private_key_id?: string;
  readonly private_key?: string;
  readonly token_uri?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly refresh_token?: string;
}

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const tokenEndpoint = 'https://oauth2.googleapis.com/token';

/** Tokens for a Google Cloud key: of a service account, or of a user who gave one to gcloud. */
export class GoogleTokens implements AccessTokens {
  readonly #service: TokenService;
  readonly #user: string;

  constructor(options: AccessTokensOptions, json: string) {
    const key = readKey(json, options.credentials.from);
    this.#user = key.client_email ?? '';
    const url = key.token_uri || tokenEndpoint;
    this.#service = new TokenService({
      name: 'Google',
      url,
      credentials: options.credentials,
      clock: options.clock,
      timeout: options.timeout,
      remote: options.remote.display,
      form: (now) =>
        key.type === 'authorized_user'
          ? {
              grant_type: 'refresh_token',
              client_id: key.client_id ?? '',
              client_secret: key.client_secret ?? '',
              refresh_token: key.refresh_token ?? '',
            }
          : {
              grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
              assertion: assertion(key, url, now, options.credentials.from),
            },
      remedy: 'Make a new key of the service account and put it whole into gcpServiceAccountKey',
    });
  }

  async credentials(signal?: AbortSignal): Promise<{ username: string; password: string }> {
    return { username: this.#user, password: await this.#service.token(signal) };
  }

  forget(): void {
    this.#service.forget();
  }

  notices(): Diagnosis[] {
    return this.#service.notices();
  }
}

function readKey(json: string, from: string | undefined): GoogleKey {
  let key: GoogleKey;
  try {
    key = JSON.parse(json) as GoogleKey;
  } catch {
    throw invalid('gcpServiceAccountKey is not JSON', from);
  }
  const url = key.token_uri ?? tokenEndpoint;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const loopback = parsed?.hostname === '127.0.0.1' || parsed?.hostname === 'localhost';
  if (parsed?.protocol !== 'https:' && !(parsed?.protocol === 'http:' && loopback))
    throw invalid('token_uri of gcpServiceAccountKey is not an https URL', from);
  if (key.type === 'authorized_user' && key.refresh_token) return key;
  if ((key.type ?? 'service_account') === 'service_account' && key.client_email && key.private_key) return key;
  throw invalid(
    `gcpServiceAccountKey is of type ${JSON.stringify(key.type ?? '')} or lacks fields: only keys of service accounts and users are supported`,
    from,
  );
}

/** As a service account signs for itself (RFC 7523); backdated, since clocks differ. */
function assertion(key: GoogleKey, audience: string, now: number, from: string | undefined): string {
  const seconds = Math.floor(now / 1000);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = { alg: 'RS256', typ: 'JWT', ...(key.private_key_id ? { kid: key.private_key_id } : {}) };
  const claims = { iss: key.client_email, scope, aud: audience, iat: seconds - 60, exp: seconds + 3000 };
  const text = `${encode(header)}.${encode(claims)}`;
  try {
    return `${text}.${sign('sha256', Buffer.from(text), key.private_key ?? '').toString('base64url')}`;
  } catch {
    throw invalid('private_key of gcpServiceAccountKey is not a PEM private key', from);
  }
}

function invalid(message: string, from: string | undefined) {
  return failure(invalidCredentials, {
    message,
    place: { field: 'gcpServiceAccountKey', ...(from ? { object: `Secret ${from}` } : {}) },
    remedies: ['Put the JSON key of a service account, as Google Cloud gives it, into gcpServiceAccountKey'],
  });
}
