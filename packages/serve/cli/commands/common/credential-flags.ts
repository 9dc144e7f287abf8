import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { pair } from '../../terminal/flag-values.ts';

/** How a flag becomes a field of the API. `file`: the flag names a file whose text is the value. */
interface CredentialFlag {
  readonly flags: string;
  readonly description: string;
  readonly field: string;
  readonly takes: 'text' | 'file' | 'number' | 'switch';
}

const flag = (
  flags: string,
  description: string,
  { field, takes = 'text' }: { readonly field: string; readonly takes?: CredentialFlag['takes'] },
): CredentialFlag => ({ flags, description, field, takes });

/** The flags of `argocd repo add` and `argocd repocreds add` that say how a repository is read. */
const credentialFlags: readonly CredentialFlag[] = [
  flag('--type <type>', 'git, helm or oci', { field: 'type' }),
  flag('--username <name>', 'User name', { field: 'username' }),
  flag('--password <password>', 'Password or token', { field: 'password' }),
  flag('--bearer-token <token>', 'Token of Bitbucket Data Center', { field: 'bearerToken' }),
  flag('--ssh-private-key-path <file>', 'SSH key', { field: 'sshPrivateKey', takes: 'file' }),
  flag('--tls-client-cert-path <file>', 'Client certificate, PEM', { field: 'tlsClientCertData', takes: 'file' }),
  flag('--tls-client-cert-key-path <file>', 'Key of the client certificate, PEM', {
    field: 'tlsClientCertKey',
    takes: 'file',
  }),
  flag('--github-app-id <id>', 'GitHub App', { field: 'githubAppID', takes: 'number' }),
  flag('--github-app-installation-id <id>', 'Installation of the GitHub App; looked up if absent', {
    field: 'githubAppInstallationID',
    takes: 'number',
  }),
  flag('--github-app-private-key-path <file>', 'Key of the GitHub App', {
    field: 'githubAppPrivateKey',
    takes: 'file',
  }),
  flag('--github-app-enterprise-base-url <url>', 'API of a GitHub Enterprise', { field: 'githubAppEnterpriseBaseUrl' }),
  flag('--gcp-service-account-key-path <file>', 'Key of a service account of Google Cloud', {
    field: 'gcpServiceAccountKey',
    takes: 'file',
  }),
  flag('--force-http-basic-auth', 'Send user and password without being asked for them', {
    field: 'forceHttpBasicAuth',
    takes: 'switch',
  }),
  flag('--use-azure-workload-identity', 'Use the workload identity of Azure', {
    field: 'useAzureWorkloadIdentity',
    takes: 'switch',
  }),
  flag('--azure-service-principal-client-id <id>', 'Service principal of Azure', {
    field: 'azureServicePrincipalClientId',
  }),
  flag('--azure-service-principal-client-secret <secret>', 'Its secret', {
    field: 'azureServicePrincipalClientSecret',
  }),
  flag('--azure-service-principal-tenant-id <id>', 'Its tenant', { field: 'azureServicePrincipalTenantId' }),
  flag('--azure-active-directory-endpoint <url>', 'Its login, if it is not of the public cloud', {
    field: 'azureActiveDirectoryEndpoint',
  }),
  flag('--enable-oci', 'The Helm repository is an OCI registry', { field: 'enableOCI', takes: 'switch' }),
  flag('--insecure-oci-force-http', 'Read the OCI registry by HTTP', {
    field: 'insecureOCIForceHttp',
    takes: 'switch',
  }),
];

export function addCredentialFlags(command: Command): Command {
  for (const { flags, description } of credentialFlags) command.addOption(new Option(flags, description));
  return command;
}

/** The fields of the API that were given. Reports what does not fit together as wrong usage. */
export function credentialsOf(own: Command, url: string, workdir: string): Record<string, unknown> {
  const given = own.opts<Record<string, string | boolean | undefined>>();
  if (given['sshPrivateKeyPath'] && !isSsh(url))
    own.error('error: --ssh-private-key-path is only supported for SSH repositories');
  if (Boolean(given['tlsClientCertPath']) !== Boolean(given['tlsClientCertKeyPath']))
    own.error('error: --tls-client-cert-path and --tls-client-cert-key-path must be specified together');
  const fields: Record<string, unknown> = {};
  for (const { flags, field, takes } of credentialFlags) {
    const value = given[new Option(flags).attributeName()];
    if (value === undefined) continue;
    fields[field] =
      takes === 'file'
        ? readFileSync(resolve(workdir, String(value)), 'utf8')
        : takes === 'number'
          ? Number(value)
          : value;
    if (takes === 'number' && !Number.isSafeInteger(fields[field])) own.error(`error: ${pair(flags)[0]}: no number`);
  }
  return { type: 'git', ...fields };
}

function isSsh(url: string): boolean {
  return url.startsWith('ssh://') || (!url.includes('://') && url.includes('@'));
}
