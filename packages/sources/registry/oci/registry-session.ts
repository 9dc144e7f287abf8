import type { Access } from '../access/access.ts';
import { accessKey, basicAuthorization, describeAccess } from '../access/access.ts';
import { registryAnswerRefused, registryCredentialRefused } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { isSameOrigin } from '../http/http-client.ts';
import { refused } from '../http/http-failure.ts';
import { readFields } from '../http/read-fields.ts';
import { withoutSecrets } from '../http/without-secrets.ts';
import { parseChallenge } from './challenge.ts';
import { checkedRealm } from './token-realm.ts';

/** One request to a registry. */
export interface RegistryCall {
  readonly url: string;
  readonly method?: 'GET' | 'HEAD';
  readonly accept?: string;
  readonly maxBytes: number;
  /** `repository:name:pull`; empty where no repository is meant. */
  readonly scope: string;
  readonly access: Access;
  readonly signal?: AbortSignal | undefined;
}

const maxTokenBytes = 1 << 20;

/** Sends requests to registries with the authorization that each wants: none, basic, or a bearer token for the scope. */
export class RegistrySession {
  readonly #http: HttpClient;
  readonly #authorizations = new Map<string, string>();

  constructor(http: HttpClient) {
    this.#http = http;
  }

  async send(call: RegistryCall): Promise<HttpAnswer> {
    const key = `${new URL(call.url).origin} ${call.scope} ${accessKey(call.access)}`;
    const known = this.#authorizations.get(key);
    const answer = await this.#attempt(call, known);
    if (answer.status !== 401) return answer;
    // A host to which we were sent may not ask for what is meant for the registry.
    if (!isSameOrigin(new URL(answer.url), new URL(call.url))) return answer;
    this.#authorizations.delete(key);
    const authorization = await this.#authorize(call, answer);
    if (authorization === undefined) return answer;
    const second = await this.#attempt(call, authorization);
    if (second.status !== 401) this.#remember(key, authorization);
    return second;
  }

  #remember(key: string, authorization: string): void {
    const [oldest] = this.#authorizations.keys();
    if (this.#authorizations.size >= 1000 && oldest !== undefined) this.#authorizations.delete(oldest);
    this.#authorizations.set(key, authorization);
  }

  #attempt(call: RegistryCall, authorization: string | undefined): Promise<HttpAnswer> {
    return this.#http.send({
      url: call.url,
      method: call.method ?? 'GET',
      headers: call.accept === undefined ? {} : { accept: call.accept },
      ...(authorization === undefined ? {} : { authorization }),
      access: call.access,
      maxBytes: call.maxBytes,
      signal: call.signal,
    });
  }

  async #authorize(call: RegistryCall, answer: HttpAnswer): Promise<string | undefined> {
    const challenge = parseChallenge(answer.headers['www-authenticate'] ?? '');
    if (challenge.scheme === 'unknown') return undefined;
    if (challenge.scheme === 'basic') return this.#basic(call, answer);
    const shown = withoutSecrets(call.url);
    const realm = checkedRealm(challenge.realm, new URL(call.url), shown);
    const scopes = [...new Set([call.scope, ...challenge.scope.split(' ')].filter((scope) => scope !== ''))].sort();
    return `Bearer ${await this.#token(call, realm, challenge.service, scopes)}`;
  }

  #basic(call: RegistryCall, answer: HttpAnswer): string {
    const { access } = call;
    const authorization = basicAuthorization(access);
    if (authorization !== '') return authorization;
    const words =
      access.username || access.password ? 'missing username or password for basic auth' : 'basic credential not found';
    const inner = refused(answer, access, words);
    return raise(inner.wrapped(() => `${answer.method} "${withoutSecrets(call.url)}": ${words}`));
  }

  async #token(call: RegistryCall, realm: URL, service: string, scopes: readonly string[]): Promise<string> {
    const { access, signal } = call;
    const { identityToken } = access;
    const form = new URLSearchParams();
    if (service !== '') form.set('service', service);
    let answer: HttpAnswer;
    if (identityToken) {
      form.set('grant_type', 'refresh_token');
      form.set('refresh_token', identityToken);
      form.set('client_id', 'tiphys');
      form.set('scope', scopes.join(' '));
      answer = await this.#http.send({
        url: realm.href,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
        access,
        maxBytes: maxTokenBytes,
        signal,
      });
    } else {
      for (const scope of scopes) form.append('scope', scope);
      const url = new URL(realm);
      for (const [name, value] of form) url.searchParams.append(name, value);
      const authorization = basicAuthorization(access);
      answer = await this.#http.send({
        url: url.href,
        ...(authorization === '' ? {} : { authorization }),
        access,
        maxBytes: maxTokenBytes,
        signal,
      });
    }
    const asked = `${call.method ?? 'GET'} "${withoutSecrets(call.url)}"`;
    const evidence = { realm: withoutSecrets(realm.href), service, scope: scopes.join(' ') };
    if (answer.status !== 200) {
      const query = identityToken || form.size === 0 ? '' : `?${sortedQuery(form)}`;
      const inner = registryFailure(answer, access, evidence, `${evidence.realm}${query}`);
      throw inner.wrapped((words) => `${asked}: ${words}`);
    }
    const token = tokenOf(answer.body);
    if (token !== undefined) return token;
    throw new RegistryError(registryAnswerRefused, `${asked}: empty token returned`, {
      message: `The token service of ${new URL(call.url).host} gave no token`,
      place: { remote: withoutSecrets(realm.href) },
      evidence: { ...evidence, credentials: describeAccess(access) },
      remedies: ['Check the settings of the registry'],
    });
  }
}

function raise(error: unknown): never {
  throw error;
}

/** As Go prints a query: by the names of its parameters. */
function sortedQuery(form: URLSearchParams): string {
  const sorted = new URLSearchParams(form);
  sorted.sort();
  return sorted.toString();
}

function tokenOf(body: Buffer): string | undefined {
  const { token, access_token: accessToken } = readFields(body) ?? {};
  const found = accessToken || token;
  return typeof found === 'string' && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
}

/** The failure that a registry's error answer stands for, in the words of helm's OCI library. */
export function registryFailure(
  answer: HttpAnswer,
  access: Access,
  evidence: Readonly<Record<string, string | undefined>> = {},
  shown: string = withoutSecrets(answer.url),
): RegistryError {
  const said = errorsOf(answer.body);
  const words = `${answer.method} "${shown}": response status code ${answer.status}: ${said || answer.statusText.replace(/^\d+ /, '')}`;
  const failure = refused(answer, access, words, { ...evidence, said: said || undefined });
  if (/\bdenied\b/.test(said) && answer.status !== 401 && answer.status !== 403)
    return new RegistryError(registryCredentialRefused, words, failure.diagnosis);
  return failure;
}

function errorsOf(body: Buffer): string {
  const { errors } = readFields(body.subarray(0, 8192)) ?? {};
  if (!Array.isArray(errors)) return '';
  return errors
    .slice(0, 10)
    .map((error: unknown) => {
      const { code, message, detail } = (error ?? {}) as Record<string, unknown>;
      const name = typeof code === 'string' ? code.replaceAll('_', ' ').toLowerCase() : '';
      if (typeof message !== 'string' || message === '') return name;
      return detail === undefined || detail === null
        ? `${name}: ${message}`
        : `${name}: ${message}: ${goValue(detail, maxDetailDepth)}`;
    })
    .join('; ');
}

const maxDetailDepth = 100;

/** A JSON value as Go's `%v` prints it, down to a depth. */
function goValue(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return value === null ? '<nil>' : String(value);
  if (depth === 0) return '…';
  if (Array.isArray(value)) return `[${value.map((item) => goValue(item, depth - 1)).join(' ')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goValue(item, depth - 1)}`).join(' ')}]`;
}
