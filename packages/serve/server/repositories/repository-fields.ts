import { decodeSecret, encodeSecret, type Secret } from '../settings/control-plane.ts';

type FieldType = 'string' | 'boolean' | 'number';

/** Argo CD's JSON of a repository or credential template; only fields that are set. */
export type RepositoryJson = Record<string, unknown>;

/** Fields of a repository: name in JSON, key in its Secret, type. */
const common: readonly (readonly [json: string, key: string, type: FieldType])[] = [
  ['username', 'username', 'string'],
  ['password', 'password', 'string'],
  ['bearerToken', 'bearerToken', 'string'],
  ['sshPrivateKey', 'sshPrivateKey', 'string'],
  ['tlsClientCertData', 'tlsClientCertData', 'string'],
  ['tlsClientCertKey', 'tlsClientCertKey', 'string'],
  ['type', 'type', 'string'],
  ['enableOCI', 'enableOCI', 'boolean'],
  ['insecureOCIForceHttp', 'insecureOCIForceHttp', 'boolean'],
  ['githubAppPrivateKey', 'githubAppPrivateKey', 'string'],
  ['githubAppID', 'githubAppID', 'number'],
  ['githubAppInstallationID', 'githubAppInstallationID', 'number'],
  ['githubAppEnterpriseBaseUrl', 'githubAppEnterpriseBaseUrl', 'string'],
  ['gcpServiceAccountKey', 'gcpServiceAccountKey', 'string'],
  ['proxy', 'proxy', 'string'],
  ['noProxy', 'noProxy', 'string'],
  ['forceHttpBasicAuth', 'forceHttpBasicAuth', 'boolean'],
  ['useAzureWorkloadIdentity', 'useAzureWorkloadIdentity', 'boolean'],
  ['azureServicePrincipalClientSecret', 'azureServicePrincipalClientSecret', 'string'],
  ['azureActiveDirectoryEndpoint', 'azureActiveDirectoryEndpoint', 'string'],
];

export const repositoryFields = [
  ...common,
  ['name', 'name', 'string'],
  ['project', 'project', 'string'],
  ['repo', 'url', 'string'],
  ['insecureIgnoreHostKey', 'insecureIgnoreHostKey', 'boolean'],
  ['insecure', 'insecure', 'boolean'],
  ['enableLfs', 'enableLfs', 'boolean'],
  ['depth', 'depth', 'number'],
  ['webhookManifestCacheWarmDisabled', 'webhookManifestCacheWarmDisabled', 'boolean'],
  ['azureServicePrincipalClientId', 'azureServicePrincipalClientId', 'string'],
  ['azureServicePrincipalTenantId', 'azureServicePrincipalTenantId', 'string'],
] as const satisfies typeof common;

export const credentialFields = [
  ...common,
  ['url', 'url', 'string'],
  ['azureServicePrincipalClientId', 'azureServicePrincipalClientID', 'string'],
  ['azureServicePrincipalTenantId', 'azureServicePrincipalTenantID', 'string'],
] as const satisfies typeof common;

const credentialNames = [
  'username',
  'password',
  'bearerToken',
  'sshPrivateKey',
  'tlsClientCertData',
  'githubAppPrivateKey',
  'gcpServiceAccountKey',
  'azureServicePrincipalClientSecret',
];

export function hasCredentials(json: RepositoryJson): boolean {
  return credentialNames.some((name) => json[name]) || json.useAzureWorkloadIdentity === true;
}

/** A repository with what it lacks in credentials from a template. */
export function withCredentials(json: RepositoryJson, template: RepositoryJson | undefined): RepositoryJson {
  if (!template || hasCredentials(json)) return json;
  const { url: _url, type: _type, ...credentials } = template;
  return { ...credentials, ...json, inheritedCreds: true };
}

export function fieldsOfSecret(secret: Secret, fields: typeof common): RepositoryJson {
  const data = decodeSecret(secret);
  const json: RepositoryJson = {};
  for (const [name, key, type] of fields) {
    const text = data[key];
    if (text === undefined || text === '') continue;
    if (type === 'string') json[name] = text;
    else if (type === 'number') json[name] = Number(text);
    else if (text === 'true') json[name] = true;
  }
  return json;
}

/** The data of a Secret with the fields of the JSON put in, and those that are unset taken out; other keys stay. */
export function secretData(
  current: Secret | undefined,
  json: RepositoryJson,
  fields: typeof common,
): Record<string, string> {
  const data = { ...(current?.data ?? {}) };
  for (const [name, key] of fields) {
    const value = json[name];
    if (value === undefined || value === null || value === '' || value === false || value === 0) delete data[key];
    else Object.assign(data, encodeSecret({ [key]: String(value) }));
  }
  return data;
}

/** What may be shown of a repository: nothing that is secret (CVE-2025-55190). */
export function sanitizedRepository(json: RepositoryJson): RepositoryJson {
  const shown = [
    'repo',
    'name',
    'insecure',
    'enableLfs',
    'enableOCI',
    'proxy',
    'noProxy',
    'project',
    'forceHttpBasicAuth',
    'inheritedCreds',
    'githubAppID',
    'githubAppInstallationID',
    'githubAppEnterpriseBaseUrl',
    'useAzureWorkloadIdentity',
    'azureActiveDirectoryEndpoint',
    'azureServicePrincipalClientId',
    'azureServicePrincipalTenantId',
    'depth',
  ];
  const kept = Object.fromEntries(shown.flatMap((name) => (json[name] === undefined ? [] : [[name, json[name]]])));
  if (typeof kept.proxy === 'string') kept.proxy = kept.proxy.replace(/\/\/[^/@]*@/, '//');
  return { ...kept, insecure: json.insecure === true || json.insecureIgnoreHostKey === true, type: json.type ?? 'git' };
}
