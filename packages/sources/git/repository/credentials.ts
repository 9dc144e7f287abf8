import { createHash } from 'node:crypto';
import { failure } from '@tiphys/diagnosis';
import { invalidCredentials } from './diagnoses.ts';

/** How a repository is reached; names and meanings are those of Argo CD's repository Secrets. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly bearerToken?: string;
  /** PEM or OpenSSH. */
  readonly sshPrivateKey?: string;
  /** Content of a known_hosts file; absent: no host is known. */
  readonly knownHosts?: string;
  readonly tlsClientCertData?: string;
  readonly tlsClientCertKey?: string;
  /** PEM of the authorities for this host; absent: those of the system. */
  readonly ca?: string;
  /** Neither certificates nor SSH host keys are verified. */
  readonly insecure?: boolean;
  readonly githubApp?: GitHubApp;
  /** JSON key, as Google Cloud gives it. */
  readonly googleServiceAccount?: string;
  readonly azure?: AzureIdentity;
  /** `http://`, `https://`, `socks5://` or `socks5h://`. */
  readonly proxy?: string;
  /** Comma-separated hosts that are reached without proxy. */
  readonly noProxy?: string;
  /** Commits of history to fetch; 0 or absent: all. */
  readonly depth?: number;
  /** Files of Git LFS are fetched: `enableLfs`. */
  readonly lfs?: boolean;
  /** Sends user name and password without being asked. */
  readonly forceHttpBasicAuth?: boolean;
  /** Name of the Secret that they come from, for diagnoses. */
  readonly from?: string;
}

/** Who asks Microsoft Entra: the pod's own workload identity, or a service principal with its secret. */
export type AzureIdentity =
  | { readonly kind: 'workload' }
  | {
      readonly kind: 'servicePrincipal';
      readonly tenantId: string;
      readonly clientId: string;
      readonly clientSecret: string;
      /** `https://login.microsoftonline.com` if absent. */
      readonly endpoint?: string;
    };

export interface GitHubApp {
  readonly id: number;
  /** Found by the repository's owner if absent. */
  readonly installationId?: number;
  /** PEM. */
  readonly privateKey: string;
  /** API of GitHub Enterprise, such as `https://ghe.example.com/api/v3`; absent: github.com. */
  readonly baseUrl?: string;
}

/** A repository and how it is reached. */
export interface Repository {
  readonly url: string;
  readonly credentials?: Credentials;
}

/**
 * The credentials that a repository Secret holds, its data decoded. `extra` adds what comes from elsewhere:
 * the host's CA, the known hosts, the Secret's name. Throws a diagnosis for what cannot be honoured.
 */
export function readCredentials(
  settings: Readonly<Record<string, string>>,
  extra: Pick<Credentials, 'ca' | 'knownHosts' | 'from'> = {},
): Credentials {
  const text = (key: string) => (settings[key] ? { [key]: settings[key] } : {});
  const yes = (key: string) => settings[key] === 'true';
  const depth = settings.depth ? Number(settings.depth) : 0;
  if (!Number.isSafeInteger(depth) || depth < 0)
    throw invalid(
      'depth',
      'The repository setting depth is not a number of commits',
      'Set depth to a whole number, or remove it',
      extra.from,
    );
  const githubApp = readGitHubApp(settings, extra.from);
  const azure = readAzure(settings, extra.from);
  if (azure?.kind === 'workload' && (settings.type === 'helm' || settings.type === 'oci'))
    throw invalid(
      'useAzureWorkloadIdentity',
      'Azure workload identity is supported for git alone, not for charts and artifacts of registries',
      'Give the repository user name and password: a token of the registry, or a service principal with the role AcrPull',
      extra.from,
    );
  return {
    ...text('username'),
    ...text('password'),
    ...text('bearerToken'),
    ...text('sshPrivateKey'),
    ...text('tlsClientCertData'),
    ...text('tlsClientCertKey'),
    ...text('proxy'),
    ...text('noProxy'),
    ...(yes('insecure') || yes('insecureIgnoreHostKey') ? { insecure: true } : {}),
    ...(yes('forceHttpBasicAuth') ? { forceHttpBasicAuth: true } : {}),
    ...(depth > 0 ? { depth } : {}),
    ...(yes('enableLfs') ? { lfs: true } : {}),
    ...(githubApp ? { githubApp } : {}),
    ...(settings.gcpServiceAccountKey ? { googleServiceAccount: settings.gcpServiceAccountKey } : {}),
    ...(azure ? { azure } : {}),
    ...extra,
  };
}

function readGitHubApp(settings: Readonly<Record<string, string>>, from?: string): GitHubApp | undefined {
  const { githubAppID, githubAppInstallationID, githubAppPrivateKey, githubAppEnterpriseBaseUrl } = settings;
  if (!githubAppPrivateKey) return undefined;
  const id = Number(githubAppID);
  const installationId = githubAppInstallationID ? Number(githubAppInstallationID) : undefined;
  if (!Number.isSafeInteger(id) || id <= 0)
    throw invalid(
      'githubAppID',
      'githubAppID is not the number of a GitHub App',
      "Set githubAppID to the App's number",
      from,
    );
  return {
    id,
    privateKey: githubAppPrivateKey,
    ...(installationId ? { installationId } : {}),
    ...(githubAppEnterpriseBaseUrl ? { baseUrl: githubAppEnterpriseBaseUrl } : {}),
  };
}

/** Templates spell two of the keys with `ID`. */
function readAzure(settings: Readonly<Record<string, string>>, from?: string): AzureIdentity | undefined {
  if (settings.useAzureWorkloadIdentity === 'true') return { kind: 'workload' };
  const clientId = settings.azureServicePrincipalClientId || settings.azureServicePrincipalClientID;
  const tenantId = settings.azureServicePrincipalTenantId || settings.azureServicePrincipalTenantID;
  const { azureServicePrincipalClientSecret: clientSecret, azureActiveDirectoryEndpoint: endpoint } = settings;
  if (!clientId && !tenantId && !clientSecret) return undefined;
  if (!clientId || !tenantId || !clientSecret)
    throw invalid(
      'azureServicePrincipalClientId',
      'An Azure service principal needs tenant, client and secret, and one of them is missing',
      'Set azureServicePrincipalTenantId, azureServicePrincipalClientId and azureServicePrincipalClientSecret',
      from,
    );
  return { kind: 'servicePrincipal', clientId, tenantId, clientSecret, ...(endpoint ? { endpoint } : {}) };
}

function invalid(field: string, message: string, remedy: string, from: string | undefined) {
  return failure(invalidCredentials, {
    message,
    place: { field, ...(from ? { object: `Secret ${from}` } : {}) },
    remedies: [remedy],
  });
}

/** Two credentials with the same key are the same; nothing can be learnt from the key. */
export function credentialKey(credentials: Credentials | undefined): string {
  const { from: _, ...rest } = credentials ?? {};
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(rest).sort()))
    .digest('hex')
    .slice(0, 24);
}

/** Kind, source and, for long tokens, the last four characters: enough to find it, too little to use it. */
export function describeCredential(credentials: Credentials | undefined): string {
  const from = credentials?.from ? ` from Secret ${credentials.from}` : '';
  if (credentials?.githubApp) return `GitHub App ${credentials.githubApp.id}${from}`;
  if (credentials?.googleServiceAccount) return `Google Cloud key${from}`;
  if (credentials?.azure)
    return `Azure ${credentials.azure.kind === 'workload' ? 'workload identity' : 'service principal'}${from}`;
  if (credentials?.bearerToken) return `bearer token${tail(credentials.bearerToken)}${from}`;
  if (credentials?.sshPrivateKey) return `SSH private key${from}`;
  // A user name without password is often a token.
  if (credentials?.username && !credentials.password) return `user name without password${from}`;
  if (credentials?.password)
    return `user "${credentials.username ?? ''}" with password${tail(credentials.password ?? '')}${from}`;
  if (credentials?.tlsClientCertData) return `TLS client certificate${from}`;
  return 'none';
}

function tail(secret: string): string {
  return secret.length >= 20 ? ` ending in ${secret.slice(-4)}` : '';
}
