import { hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { diagnosisOf, explainDiagnosis, formatDiagnosis } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { Log } from '../../ports/log.ts';
import type { ControlPlane } from '../../settings/control-plane.ts';
import type { IdentityProvider } from '../../sso/identity-provider.ts';
import { TokenRefused } from '../../sso/provider-failure.ts';
import type { SingleSignOn } from '../../sso/single-sign-on.ts';
import { cookieOf, tokenCookies } from '../../transport/cookies.ts';
import { configuredUrls, externalUrl, isOwnAddress } from '../../transport/external-url.ts';
import type { HttpRequest, HttpResponse } from '../../transport/http-message.ts';
import { parseUrlQuery } from '../../transport/url-query.ts';

export interface SsoLoginOptions {
  readonly sso: SingleSignOn;
  readonly plane: ControlPlane;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether requests come over TLS. */
  readonly secure: boolean;
  /** Path of the web page. */
  readonly page: () => string;
}

interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnUrl: string;
  readonly redirectUri: string;
}

/** An address that the user may do something about. */
class BadRequest extends Error {}

const stateCookie = 'argocd.oauthstate';
/** Seconds between the redirect to the provider and its answer. */
const attemptLasts = 300;

/**
 * `/auth/login` and `/auth/callback`: the authorization code flow with PKCE, state and nonce. What belongs to an attempt is in an
 * encrypted cookie of the browser that began it, so that nobody can finish another one's login.
 */
export class SsoLogin {
  readonly #options: SsoLoginOptions;

  constructor(options: SsoLoginOptions) {
    this.#options = options;
  }

  async login(request: HttpRequest, response: HttpResponse): Promise<void> {
    await this.#guarded(response, async (provider) => {
      const query = parseUrlQuery(request.url);
      const config = this.#options.plane.configMap('argocd-cm');
      const address = this.#address(request);
      const returnUrl = query.get('return_url') || this.#options.page();
      if (!isOwnAddress(returnUrl, [...configuredUrls(config), address]))
        throw new BadRequest(
          'Invalid redirect URL: the protocol and host (including port) must match and the path must be within allowed URLs if provided',
        );
      const attempt: Attempt = {
        state: randomText(),
        nonce: randomText(),
        verifier: randomText(),
        returnUrl,
        redirectUri: `${address}/auth/callback`,
      };
      const target = await provider.authorizationUrl(attempt);
      response.setHeader('Set-Cookie', this.#cookie(await this.#seal(attempt), address, attemptLasts));
      redirect(response, target.toString());
    });
  }

  async callback(request: HttpRequest, response: HttpResponse): Promise<void> {
    await this.#guarded(response, async (provider) => {
      const query = parseUrlQuery(request.url);
      const attempt = await this.#open(cookieOf(request.headers.cookie, stateCookie));
      const state = query.get('state') ?? '';
      if (!attempt || !same(state, attempt.state))
        throw new BadRequest(
          'This login was not begun in this browser, or too long ago: go to the login page and begin again',
        );
      const refusal = query.get('error');
      if (refusal)
        throw new BadRequest(
          `The identity provider refused: ${refusal} ${query.get('error_description') ?? ''}`.trim(),
        );
      if (!query.get('code'))
        throw new BadRequest(
          'The identity provider sent no code: only the authorization code flow is supported, not the implicit one',
        );
      const callback = new URL(attempt.redirectUri);
      callback.search = query.toString();
      const { claims, ...tokens } = await provider.exchange(callback, attempt);
      await this.#options.sso.begin(provider, tokens, claims);
      const secure = this.#options.secure || attempt.redirectUri.startsWith('https:');
      response.setHeader('Set-Cookie', [
        ...tokenCookies(tokens.idToken, secure),
        this.#cookie('', attempt.redirectUri, 0),
      ]);
      this.#options.log('info', 'web login by single sign-on', { sub: claims.sub, iss: claims.iss });
      redirect(response, attempt.returnUrl);
    });
  }

  async #guarded(response: HttpResponse, work: (provider: IdentityProvider) => Promise<void>): Promise<void> {
    const { sso, log } = this.#options;
    try {
      const provider = sso.provider();
      if (!provider)
        return sendText(response, 404, 'Single sign-on is not configured: oidc.config of argocd-cm is empty');
      await work(provider);
    } catch (error) {
      if (error instanceof BadRequest) return sendText(response, 400, error.message);
      if (error instanceof TokenRefused) {
        log('warn', 'a login by single sign-on was refused', { reason: error.message });
        return sendText(response, 401, `The login is not accepted: ${error.message}`);
      }
      log('error', 'a login by single sign-on failed', { error: formatDiagnosis(diagnosisOf(error)) });
      sendText(response, 502, explainDiagnosis(diagnosisOf(error)));
    }
  }

  #address(request: HttpRequest): string {
    const { plane, secure } = this.#options;
    const host = String(request.headers.host ?? request.headers[':authority'] ?? '');
    const address = externalUrl(plane.configMap('argocd-cm'), {
      host,
      path: (request.url ?? '/').split('?')[0] as string,
      secure,
    });
    if (address) return address;
    throw new BadRequest('Single sign-on needs the address of this server: set url in argocd-cm');
  }

  #cookie(value: string, address: string, seconds: number): string {
    const secure = this.#options.secure || address.startsWith('https:');
    return `${stateCookie}=${value}; path=/; Max-Age=${seconds}; SameSite=lax; httpOnly${secure ? '; Secure' : ''}`;
  }

  #key(): Uint8Array {
    const signing = this.#options.plane.secret('argocd-secret')['server.secretkey'];
    if (!signing) throw new Error('Secret argocd-secret has no server.secretkey');
    return new Uint8Array(hkdfSync('sha256', signing, '', 'tiphys sso login attempt', 32));
  }

  async #seal(attempt: Attempt): Promise<string> {
    const now = Math.floor(this.#options.clock.now() / 1000);
    return await new EncryptJWT({ ...attempt })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(now + attemptLasts)
      .encrypt(this.#key());
  }

  async #open(cookie: string | undefined): Promise<Attempt | undefined> {
    if (!cookie) return undefined;
    try {
      const { payload } = await jwtDecrypt(cookie, this.#key(), {
        currentDate: new Date(this.#options.clock.now()),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return payload as unknown as Attempt;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

/** 256 bits. */
function randomText(): string {
  return randomBytes(32).toString('base64url');
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function redirect(response: HttpResponse, target: string): void {
  response.statusCode = 303;
  response.setHeader('Location', target);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.end();
}

/** Plain text: what a provider or a link put into the address must never become a page (CVE-2022-31102). */
function sendText(response: HttpResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Security-Policy', "default-src 'none'");
  response.end(`${text}\n`);
}
