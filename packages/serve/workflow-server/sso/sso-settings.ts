import { workflowNames } from '@tiphys/api';
import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';
import { goDuration } from '@tiphys/go';
import type { Client } from '@tiphys/kubernetes';
import type { SsoSettings } from '@tiphys/server';
import { RE2JS, RE2JSException } from 're2js';

const ssoInvalid = defineDiagnosis(
  'WorkflowSsoSettingsInvalid',
  'sso of workflow-controller-configmap cannot be used as it is written',
);

/** `sso` of workflow-controller-configmap, with what its Secrets have. */
export interface FlowSsoSettings {
  readonly provider: SsoSettings;
  /** Where the provider sends browsers back to; empty: where the request came in. */
  readonly redirectUrl: string;
  /** Annotations of ServiceAccounts say whose rights a user has; else users have those of the server. */
  readonly hasRules: boolean;
  readonly sessionMilliseconds: number;
  /** The claim that has the groups, where it is not `groups`. */
  readonly groupsClaim: string;
  /** Only groups that one of them fits are kept; none keeps all. */
  readonly groupFilters: readonly RE2JS[];
}

type Json = Readonly<Record<string, unknown>>;

const usualSession = 10 * 3_600_000;

/** Reads the settings, once, when the server starts. Throws a diagnosis for what cannot be honoured. */
export async function readSsoSettings(
  client: Client,
  namespace: string,
  sso: Json | undefined,
): Promise<FlowSsoSettings> {
  if (!sso) throw invalid('sso', 'the mode sso needs the settings of a provider, and there are none');
  const issuer = httpUrl(sso.issuer, 'sso.issuer');
  const alias = text(sso.issuerAlias);
  const clientId = await secretText(client, namespace, { selector: sso.clientId, field: 'sso.clientId' });
  const clientSecret = await secretText(client, namespace, { selector: sso.clientSecret, field: 'sso.clientSecret' });
  const rootCa = text(sso.rootCA);
  const userInfoPath = text(sso.userInfoPath);
  return {
    provider: {
      name: '',
      issuer: alias ? httpUrl(alias, 'sso.issuerAlias') : issuer,
      ...(alias ? { discoveredAt: issuer } : {}),
      clientId,
      clientSecret,
      cliClientId: '',
      requestedScopes: [],
      scopes: [...new Set([...texts(sso.scopes), 'openid'])],
      requestedClaims: {},
      pkce: true,
      audiences: [clientId],
      skipAudienceCheckWhenAbsent: false,
      ...(rootCa ? { rootCa } : {}),
      insecure: sso.insecureSkipVerify === true,
      logoutUrl: '',
      ...(userInfoPath ? { userInfo: { url: `${issuer}${userInfoPath}`, cacheSeconds: 0 } } : {}),
      refreshThreshold: 0,
      domainHint: '',
      azureWorkloadIdentity: false,
      azureGroupOverage: false,
      dex: false,
      key: '',
    },
    redirectUrl: sso.redirectUrl ? httpUrl(sso.redirectUrl, 'sso.redirectUrl') : '',
    hasRules: (sso.rbac as Json | undefined)?.enabled === true,
    sessionMilliseconds: sessionOf(sso.sessionExpiry),
    groupsClaim: text(sso.customGroupClaimName),
    groupFilters: texts(sso.filterGroupsRegex).map(filterOf),
  };
}

function filterOf(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw invalid('sso.filterGroupsRegex', `"${pattern}" is no regular expression: ${error.message}`);
  }
}

function sessionOf(value: unknown): number {
  if (value === undefined || value === null || value === '') return usualSession;
  const found = goDuration(String(value));
  if (found === undefined || found < 0)
    throw invalid('sso.sessionExpiry', `"${String(value)}" is no duration such as 10h`);
  return found || usualSession;
}

async function secretText(
  client: Client,
  namespace: string,
  { selector, field }: { selector: unknown; field: string },
): Promise<string> {
  const { name, key } = (selector ?? {}) as { name?: string; key?: string };
  if (!name || !key) throw invalid(field, `${field} has to name a Secret and a key of it`);
  const secret = await client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  const value = ((secret?.data ?? {}) as Readonly<Record<string, string>>)[key];
  if (value === undefined)
    throw invalid(
      field,
      secret
        ? `Secret ${namespace}/${name} has no key ${key}`
        : `there is no Secret ${name} in the namespace ${namespace}`,
    );
  return Buffer.from(value, 'base64').toString('utf8').trim();
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(text).filter(Boolean) : [];
}

function httpUrl(value: unknown, field: string): string {
  const url = text(value);
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !new URL(url).username) return url;
  throw invalid(field, `${field} is no http(s) URL: "${url}"`);
}

function invalid(field: string, message: string): DiagnosisError {
  return failure(ssoInvalid, {
    message,
    place: { object: `ConfigMap ${workflowNames.configMap}`, field },
    remedies: [
      `Correct ${field} of ${workflowNames.configMap}, and start the server again`,
      'Or leave sso out of ARGO_AUTH_MODE',
    ],
  });
}
