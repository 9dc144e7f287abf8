import type { FieldSpec, Values } from '../components/forms/form-fields.ts';

/** How a repository is reached and what of it is asked for. */
export const ways = [
  { value: 'https', label: 'Git by HTTPS' },
  { value: 'ssh', label: 'Git by SSH' },
  { value: 'github', label: 'Git by a GitHub App' },
  { value: 'google', label: 'Git by a Google Cloud service account' },
  { value: 'azure', label: 'Git by a service principal of Azure' },
  { value: 'helm', label: 'Helm repository' },
  { value: 'oci', label: 'OCI registry' },
] as const;

/** Ways to what nobody pushes to. */
const published: ReadonlySet<string> = new Set(['helm', 'oci']);

const is =
  (...wanted: string[]) =>
  ({ way = 'https' }: Values) =>
    wanted.includes(way);

const isGit = is('https', 'ssh', 'github', 'google', 'azure');

function urlProblem(value: string, { way }: Values): string | undefined {
  if (/[\s\u0000-\u001f]/.test(value)) return 'An address has no spaces';
  if (way === 'ssh')
    return /^(ssh:\/\/|[^/@:\s]+@[^/:\s]+:)/.test(value)
      ? undefined
      : 'Such as git@example.com:team/app.git or ssh://…';
  if (way === 'oci')
    return /^(oci:\/\/)?[^/]+(\/|$)/.test(value) && !/^https?:/.test(value)
      ? undefined
      : 'Such as oci://registry.example.com/team/charts';
  return /^https?:\/\/[^/]+/.test(value) || value.startsWith('/') || value.startsWith('file:')
    ? undefined
    : 'Such as https://example.com/team/app.git';
}

const number = (value: string) => (/^\d{1,18}$/.test(value) ? undefined : 'A whole number');
const key = (value: string) =>
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value)
    ? undefined
    : 'A private key in PEM begins with -----BEGIN … PRIVATE KEY-----';
const certificate = (value: string) =>
  value.includes('-----BEGIN CERTIFICATE-----')
    ? undefined
    : 'A certificate in PEM begins with -----BEGIN CERTIFICATE-----';

const byPrincipal = ({ way, useAzureWorkloadIdentity }: Values) =>
  way === 'azure' && useAzureWorkloadIdentity !== 'true';

function serviceAccountProblem(value: string): string | undefined {
  try {
    const { type } = JSON.parse(value) as { type?: unknown };
    return type === 'service_account' ? undefined : 'It says type: service_account';
  } catch {
    return 'It is JSON, as Google Cloud gives it out';
  }
}

const credentials: readonly FieldSpec[] = [
  {
    name: 'username',
    label: 'User name',
    shown: is('https', 'helm', 'oci'),
    check: (_value, { bearerToken }) => (bearerToken ? 'Either a user and a password, or a bearer token' : undefined),
  },
  { name: 'password', label: 'Password or token', kind: 'secret', shown: is('https', 'helm', 'oci') },
  { name: 'bearerToken', label: 'Bearer token', kind: 'secret', shown: is('https') },
  {
    name: 'sshPrivateKey',
    label: 'SSH private key',
    kind: 'secret-area',
    required: true,
    shown: is('ssh'),
    check: key,
  },
  { name: 'githubAppID', label: 'App ID', kind: 'number', required: true, shown: is('github'), check: number },
  {
    name: 'githubAppInstallationID',
    label: 'Installation ID',
    kind: 'number',
    help: 'Empty: it is looked up',
    shown: is('github'),
    check: number,
  },
  {
    name: 'githubAppEnterpriseBaseUrl',
    label: 'API of GitHub Enterprise',
    placeholder: 'https://github.example.com/api/v3',
    shown: is('github'),
    wide: true,
  },
  {
    name: 'githubAppPrivateKey',
    label: 'Private key of the app',
    kind: 'secret-area',
    required: true,
    shown: is('github'),
    check: key,
  },
  {
    name: 'gcpServiceAccountKey',
    label: 'Key of the service account',
    kind: 'secret-area',
    help: 'The JSON that Google Cloud gives out',
    required: true,
    shown: is('google'),
    check: serviceAccountProblem,
  },
  {
    name: 'useAzureWorkloadIdentity',
    label: 'By the workload identity of the control plane',
    kind: 'check',
    shown: is('azure', 'helm', 'oci'),
  },
  {
    name: 'azureServicePrincipalTenantId',
    label: 'Tenant ID',
    shown: byPrincipal,
    required: true,
  },
  { name: 'azureServicePrincipalClientId', label: 'Client ID', shown: byPrincipal, required: true },
  {
    name: 'azureServicePrincipalClientSecret',
    label: 'Client secret',
    kind: 'secret',
    shown: byPrincipal,
    required: true,
  },
  {
    name: 'azureActiveDirectoryEndpoint',
    label: 'Endpoint of the directory',
    placeholder: 'https://login.microsoftonline.com',
    shown: byPrincipal,
    wide: true,
  },
  {
    name: 'tlsClientCertData',
    label: 'TLS client certificate',
    kind: 'area',
    shown: is('https', 'helm', 'oci'),
    check: certificate,
  },
  {
    name: 'tlsClientCertKey',
    label: 'Key of the client certificate',
    kind: 'secret-area',
    shown: ({ way = 'https', tlsClientCertData = '' }) =>
      ['https', 'helm', 'oci'].includes(way) && tlsClientCertData !== '',
    required: true,
    check: key,
  },
];

const network: readonly FieldSpec[] = [
  { name: 'proxy', label: 'Proxy', placeholder: 'http://proxy:3128' },
  { name: 'noProxy', label: 'Without the proxy', placeholder: '.internal,10.0.0.0/8' },
];

/** What is asked for to register a repository. */
export const repositoryFields: readonly FieldSpec[] = [
  { name: 'way', label: 'How it is reached', kind: 'choice', required: true, choices: ways },
  { name: 'repo', label: 'Address', required: true, check: urlProblem },
  {
    name: 'name',
    label: 'Name',
    help: 'Needed by Helm repositories alone',
    shown: is('helm', 'oci', 'https', 'ssh', 'github', 'google', 'azure'),
  },
  { name: 'project', label: 'Project', help: 'Empty: for all projects' },
  ...credentials,
  ...network,
  {
    name: 'insecure',
    label: 'Do not check who the server is',
    kind: 'check',
    help: 'Anyone between can then change what is deployed',
  },
  { name: 'enableLfs', label: 'Fetch large files (LFS)', kind: 'check', shown: isGit },
  { name: 'insecureOCIForceHttp', label: 'Ask the registry without TLS', kind: 'check', shown: is('oci') },
  {
    name: 'depth',
    label: 'Only the newest commits',
    kind: 'number',
    help: 'How many are fetched; empty: all',
    shown: isGit,
    check: number,
  },
  { name: 'forceHttpBasicAuth', label: 'Send the password at once', kind: 'check', shown: is('https') },
];

/** What is asked for to push to a repository what the hydrator makes. */
export const writeFields: readonly FieldSpec[] = repositoryFields
  .map(
    (field): FieldSpec =>
      field.name === 'way' ? { ...field, choices: ways.filter(({ value }) => !published.has(value)) } : field,
  )
  .filter(({ name }) => !['name', 'depth', 'enableLfs'].includes(name));

/** What is asked for to keep credentials for all repositories whose address begins so. */
export const templateFields: readonly FieldSpec[] = [
  { name: 'way', label: 'How it is reached', kind: 'choice', required: true, choices: ways },
  {
    name: 'url',
    label: 'Beginning of addresses',
    required: true,
    placeholder: 'https://example.com/team',
    check: urlProblem,
  },
  ...credentials,
  ...network,
];

/** The body of the API for a form's values. */
export function repositoryBody({
  way = 'https',
  githubAppID,
  githubAppInstallationID,
  depth,
  ...values
}: Values): Record<string, unknown> {
  const checks = new Set([
    'insecure',
    'enableLfs',
    'forceHttpBasicAuth',
    'insecureOCIForceHttp',
    'useAzureWorkloadIdentity',
  ]);
  return {
    ...Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        checks.has(name) ? value === 'true' : value.trim() === value ? value : keepEnd(value),
      ]),
    ),
    type: way === 'helm' ? 'helm' : way === 'oci' ? 'oci' : 'git',
    ...(githubAppID ? { githubAppID } : {}),
    ...(githubAppInstallationID ? { githubAppInstallationID } : {}),
    ...(depth ? { depth } : {}),
  };
}

/** Keys end with a new line, which programs need; what else stands around a value is not meant. */
function keepEnd(value: string): string {
  return value.includes('-----BEGIN') ? `${value.trim()}\n` : value.trim();
}
