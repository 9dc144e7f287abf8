import { createHash } from 'node:crypto';
import { type Diagnosis, DiagnosisError, failure } from '@tiphys/diagnosis';
import { parseYaml } from '@tiphys/yaml';
import type { ControlPlane } from '../settings/control-plane.ts';
import { durationSeconds } from '../settings/duration.ts';
import { ssoSettingsInvalid } from './diagnoses.ts';

/** A claim that is asked for in the ID token. */
interface RequestedClaim {
  readonly essential?: boolean;
  readonly value?: string;
  readonly values?: readonly string[];
}

/** The identity provider as `oidc.config`, or else `dex.config`, declares it; references to Secrets are resolved. */
export interface SsoSettings {
  /** Shown on the button of the login page. */
  readonly name: string;
  readonly issuer: string;
  /** Where the provider's configuration is read, if it is not below the issuer that tokens name. */
  readonly discoveredAt?: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly cliClientId: string;
  /** As configured; empty means the defaults. */
  readonly requestedScopes: readonly string[];
  /** What is asked of the provider. */
  readonly scopes: readonly string[];
  readonly requestedClaims: Readonly<Record<string, RequestedClaim | null>>;
  readonly pkce: boolean;
  readonly audiences: readonly string[];
  readonly skipAudienceCheckWhenAbsent: boolean;
  /** PEM of the authorities that may sign the provider's certificate; absent: those of the system. */
  readonly rootCa?: string;
  readonly insecure: boolean;
  readonly logoutUrl: string;
  /** Where groups are asked for; absent: they are in the ID token. */
  readonly userInfo?: { readonly url: string; readonly cacheSeconds: number };
  /** A token is renewed this many seconds before it ends. */
  readonly refreshThreshold: number;
  readonly domainHint: string;
  readonly azureWorkloadIdentity: boolean;
  /** Tokens of users with too many groups to be listed are refused rather than read without groups. */
  readonly azureGroupOverage: boolean;
  /** Requests to the issuer go to `dexServer` instead. */
  readonly dex: boolean;
  /** Two settings with the same key are the same. */
  readonly key: string;
}

const defaultScopes = ['openid', 'profile', 'email', 'groups'];

type Config = Readonly<Record<string, unknown>>;

/** Reads the settings of single sign-on; undefined if there are none. Throws a diagnosis for what cannot be honoured. */
export class SsoSettingsReader {
  readonly #plane: ControlPlane;
  #parsed: { readonly text: string; readonly config: Config } | undefined;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  read(): SsoSettings | undefined {
    const config = this.#plane.configMap('argocd-cm');
    const insecure = config['oidc.tls.insecure.skip.verify'] === 'true';
    const settings = config['oidc.config']?.trim()
      ? oidcSettings(this.#resolve(this.#parse('oidc.config', config['oidc.config'])), insecure)
      : config['dex.config']?.trim() && config.url
        ? dexSettings(config.url, this.#dexSecret())
        : undefined;
    if (!settings) return undefined;
    return { ...settings, key: createHash('sha256').update(JSON.stringify(settings)).digest('hex') };
  }

  /** Name and type of Dex's connectors, for login pages. */
  connectors(): { name: string; type: string }[] {
    const text = this.#plane.configMap('argocd-cm')['dex.config'];
    if (!text?.trim()) return [];
    const { connectors } = this.#parse('dex.config', text);
    return (Array.isArray(connectors) ? (connectors as Config[]) : []).map(({ name, type }) => ({
      name: string(name),
      type: string(type),
    }));
  }

  #parse(field: string, text: string): Config {
    if (this.#parsed?.text === text) return this.#parsed.config;
    let value: unknown;
    try {
      value = parseYaml(text, { file: field });
    } catch (error) {
      throw invalid(field, `${field} of argocd-cm is not YAML: ${error instanceof Error ? error.message : error}`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalid(field, `${field} of argocd-cm is not a map`);
    this.#parsed = { text, config: value as Config };
    return this.#parsed.config;
  }

  /** Texts `$key` are keys of argocd-secret, `$secret:key` of Secrets that are labelled as part of argocd. */
  #resolve(config: Config, path = 'oidc.config'): Config {
    return Object.fromEntries(
      Object.entries(config).map(([key, value]) => [key, this.#resolveValue(value, `${path}.${key}`)]),
    );
  }

  #resolveValue(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item, index) => this.#resolveValue(item, `${path}[${index}]`));
    if (typeof value === 'object' && value !== null) return this.#resolve(value as Config, path);
    if (typeof value !== 'string' || !value.startsWith('$')) return value;
    const reference = value.slice(1);
    const colon = reference.indexOf(':');
    const [secret, key] =
      colon < 0 ? ['argocd-secret', reference] : [reference.slice(0, colon), reference.slice(colon + 1)];
    const found = this.#plane.referencedSecret(secret)?.[key];
    if (found !== undefined) return found.trim();
    throw invalid(
      path,
      `${path} refers to ${key} of Secret ${secret}, which is not there`,
      `Add the key ${key} to Secret ${secret}${secret === 'argocd-secret' ? '' : ', which needs the label app.kubernetes.io/part-of: argocd'}`,
    );
  }

  /** Derived from the signing key, so that Dex's own start comes to the same. */
  #dexSecret(): string {
    const key = this.#plane.secret('argocd-secret')['server.secretkey'] ?? '';
    const digest = createHash('sha256').update(key).digest('base64');
    return digest.replaceAll('+', '-').replaceAll('/', '_').slice(0, 40);
  }
}

function oidcSettings(config: Config, insecure: boolean): Omit<SsoSettings, 'key'> {
  const issuer = httpUrl(config.issuer, 'oidc.config.issuer');
  const clientId = string(config.clientID);
  if (!clientId) throw invalid('oidc.config.clientID', 'oidc.config has no clientID');
  const cliClientId = string(config.cliClientID);
  const allowed = strings(config.allowedAudiences);
  const requestedScopes = strings(config.requestedScopes);
  const rootCa = string(config.rootCA);
  if (rootCa && !rootCa.includes('-----BEGIN CERTIFICATE-----'))
    throw invalid('oidc.config.rootCA', 'oidc.config.rootCA is not a PEM certificate');
  const azure = (config.azure ?? {}) as Config;
  const path = string(config.userInfoPath);
  const base = string(config.userInfoBaseURL);
  return {
    name: string(config.name),
    issuer,
    clientId,
    clientSecret: string(config.clientSecret),
    cliClientId,
    requestedScopes,
    scopes: requestedScopes.length > 0 ? requestedScopes : defaultScopes,
    requestedClaims: (config.requestedIDTokenClaims ?? {}) as SsoSettings['requestedClaims'],
    pkce: config.enablePKCEAuthentication === true,
    audiences: allowed.length > 0 ? allowed : [clientId, ...(cliClientId ? [cliClientId] : [])],
    skipAudienceCheckWhenAbsent: config.skipAudienceCheckWhenTokenHasNoAudience === true,
    ...(rootCa ? { rootCa } : {}),
    insecure,
    logoutUrl: string(config.logoutURL),
    ...(config.enableUserInfoGroups === true && path
      ? {
          userInfo: {
            url: `${base ? httpUrl(base, 'oidc.config.userInfoBaseURL') : issuer}${path}`,
            cacheSeconds: seconds(config.userInfoCacheExpiration, 'oidc.config.userInfoCacheExpiration'),
          },
        }
      : {}),
    refreshThreshold: seconds(config.refreshTokenThreshold, 'oidc.config.refreshTokenThreshold'),
    domainHint: string(config.domainHint).trim(),
    azureWorkloadIdentity: azure.useWorkloadIdentity === true,
    azureGroupOverage: azure.enableUserGroupOverageClaim === true,
    dex: false,
  };
}

function dexSettings(url: string, clientSecret: string): Omit<SsoSettings, 'key'> {
  return {
    name: '',
    issuer: `${httpUrl(url, 'url').replace(/(?<!\/)\/+$/, '')}/api/dex`,
    clientId: 'argo-cd',
    clientSecret,
    cliClientId: 'argo-cd-cli',
    requestedScopes: [],
    scopes: [...defaultScopes, 'federated:id'],
    requestedClaims: {},
    pkce: false,
    audiences: ['argo-cd', 'argo-cd-cli'],
    skipAudienceCheckWhenAbsent: false,
    insecure: false,
    logoutUrl: '',
    refreshThreshold: 0,
    domainHint: '',
    azureWorkloadIdentity: false,
    azureGroupOverage: false,
    dex: true,
  };
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(string).filter(Boolean) : [];
}

function seconds(value: unknown, field: string): number {
  if (value === undefined || value === '' || value === null) return 0;
  const found = durationSeconds(string(value));
  if (found === undefined || found < 0)
    throw invalid(field, `${field} is not a duration such as 5m: "${string(value)}"`);
  return found;
}

function httpUrl(value: unknown, field: string): string {
  const text = string(value);
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol) && !parsed.username) return text;
  throw invalid(field, `${field} of argocd-cm is not an http(s) URL: "${text}"`);
}

function invalid(field: string, message: string, remedy?: string): DiagnosisError {
  return failure(ssoSettingsInvalid, {
    message,
    place: { object: 'ConfigMap argocd-cm', field },
    remedies: [remedy ?? `Correct ${field}; local accounts can log in meanwhile`],
  });
}

/** Why nobody can log in by single sign-on as it is set; whoever tries is told the same. */
export function signOnProblems(plane: ControlPlane): Diagnosis[] {
  try {
    new SsoSettingsReader(plane).read();
    return [];
  } catch (error) {
    if (!(error instanceof DiagnosisError)) throw error;
    return [error.diagnosis];
  }
}
