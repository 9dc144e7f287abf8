import { fileURLToPath } from 'node:url';
import { failure } from '@tiphys/diagnosis';
import type { Credentials } from '../repository/credentials.ts';
import { invalidCredentials } from '../repository/diagnoses.ts';
import type { RepositoryUrl } from '../repository/repository-url.ts';
import type { CacheFolder } from './cache-folder.ts';
import type { PinnedAddress } from './pinned-address.ts';

/** Variables of this process that git may see: where programs are, and how the operator set up proxies and authorities. */
const inherited = [
  'PATH',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_EXEC_PATH',
  'LD_LIBRARY_PATH',
  'SYSTEMROOT',
];

/** The environment of every git: none of the user's configuration, no prompts, English messages. */
export function baseEnvironment(folder: CacheFolder): Record<string, string> {
  const environment: Record<string, string> = {
    HOME: folder.path,
    LANG: 'C',
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: folder.config,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: folder.askPass,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
  };
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/**
 * The environment in which git reaches the remote with the credentials; secrets are in variables or in files that only
 * this user reads, never in arguments. `dispose` removes the files.
 */
export function remoteEnvironment(
  folder: CacheFolder,
  remote: RepositoryUrl,
  credentials: Credentials,
  lowSpeedSeconds: number,
  pinned?: PinnedAddress,
): { environment: Record<string, string>; dispose(): void } {
  const environment = baseEnvironment(folder);
  const files: { remove(): void }[] = [];
  const config: [string, string][] = [['http.lowSpeedTime', String(lowSpeedSeconds)]];
  if (pinned?.curl) config.push(['http.curloptResolve', pinned.curl]);
  if (pinned?.ssh) {
    environment.TIPHYS_SSH_ADDRESS = pinned.ssh.address;
    environment.TIPHYS_SSH_ALIAS = pinned.ssh.alias;
  }
  const file = (content: string) => {
    const written = folder.writeSecret(content);
    files.push(written);
    return written.path;
  };
  if (remote.transport === 'ssh') sshVariables(environment, credentials, file, folder);
  else if (remote.transport !== 'local') httpVariables(environment, config, remote, credentials, file);
  if (credentials.proxy) proxyVariables(environment, config, remote, credentials);
  environment.GIT_CONFIG_COUNT = String(config.length);
  for (const [index, [key, value]] of config.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return {
    environment,
    dispose: () => {
      for (const written of files) written.remove();
    },
  };
}

/** User name and password that are sent by HTTP; those of the URL serve where none are given. */
export function basicCredentials(
  remote: RepositoryUrl,
  credentials: Credentials,
): { username: string; password: string } | undefined {
  // a password alone is a token: hosts take any user name with it, but not none
  const username = credentials.username ?? (credentials.password ? 'x-access-token' : remote.username);
  const password = credentials.password ?? (credentials.username ? '' : remote.password);
  return username === undefined && password === undefined
    ? undefined
    : { username: username ?? '', password: password ?? '' };
}

function httpVariables(
  environment: Record<string, string>,
  config: [string, string][],
  remote: RepositoryUrl,
  credentials: Credentials,
  file: (content: string) => string,
): void {
  const basic = basicCredentials(remote, credentials);
  for (const [name, value] of Object.entries({
    'user name': basic?.username,
    password: basic?.password,
    'bearer token': credentials.bearerToken,
  })) {
    if (value && /[\r\n\0]/.test(value))
      throw invalid(`The ${name} of the repository has a line break`, 'Remove the line break at its end');
  }
  if (credentials.bearerToken) config.push(['http.extraHeader', `Authorization: Bearer ${credentials.bearerToken}`]);
  else if (basic) {
    environment.TIPHYS_GIT_USERNAME = basic.username;
    environment.TIPHYS_GIT_PASSWORD = basic.password;
    if (credentials.forceHttpBasicAuth) {
      config.push([
        'http.extraHeader',
        `Authorization: Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`,
      ]);
    }
  }
  if (credentials.ca) config.push(['http.sslCAInfo', file(credentials.ca)]);
  if (credentials.tlsClientCertData && credentials.tlsClientCertKey) {
    config.push(
      ['http.sslCert', file(credentials.tlsClientCertData)],
      ['http.sslKey', file(credentials.tlsClientCertKey)],
    );
  }
  if (credentials.insecure) config.push(['http.sslVerify', 'false']);
}

function sshVariables(
  environment: Record<string, string>,
  credentials: Credentials,
  file: (content: string) => string,
  folder: CacheFolder,
): void {
  environment.GIT_SSH = folder.ssh;
  environment.GIT_SSH_VARIANT = 'ssh';
  environment.TIPHYS_SSH_KEY = credentials.sshPrivateKey
    ? file(credentials.sshPrivateKey.replaceAll('\r\n', '\n'))
    : '/dev/null';
  environment.TIPHYS_SSH_KNOWN_HOSTS =
    credentials.insecure || !credentials.knownHosts ? '/dev/null' : file(credentials.knownHosts);
  environment.TIPHYS_SSH_STRICT = credentials.insecure ? 'no' : 'yes';
}

const proxyPattern = /^(?:https?|socks5h?|socks4a?):$/;

function proxyVariables(
  environment: Record<string, string>,
  config: [string, string][],
  remote: RepositoryUrl,
  credentials: Credentials,
): void {
  checkProxy(credentials.proxy ?? '');
  if (remote.transport === 'ssh') {
    if (isExempt(remote.host, credentials.noProxy)) return;
    // ssh takes a proxy only as a command line for a shell: ours is always the same, and reads the URL itself (CVE-2026-55797)
    environment.TIPHYS_SSH_PROXY = credentials.proxy ?? '';
    environment.TIPHYS_SSH_PROXY_COMMAND = fileURLToPath(new URL('ssh-proxy-command.ts', import.meta.url));
    environment.TIPHYS_NODE = process.execPath;
    environment.SHELL = '/bin/sh';
    return;
  }
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'])
    delete environment[name];
  config.push(['http.proxy', credentials.proxy ?? '']);
  environment.no_proxy = credentials.noProxy ?? '';
  environment.NO_PROXY = credentials.noProxy ?? '';
}

/** As curl reads no_proxy: hosts, domains with or without a dot in front, `*`. */
export function isExempt(host: string, noProxy = ''): boolean {
  return noProxy
    .split(',')
    .map((item) =>
      item
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ''),
    )
    .some((item) => item === '*' || (item !== '' && (host === item || host.endsWith(`.${item}`))));
}

/** Throws a diagnosis unless the text is a plain proxy URL: scheme, host and port with nothing that a shell would read. */
export function checkProxy(proxy: string): void {
  let parsed: URL | undefined;
  try {
    parsed = new URL(proxy);
  } catch {
    parsed = undefined;
  }
  const safe =
    parsed !== undefined &&
    !/[\s'"`$;|&<>(){}\\]/.test(proxy) &&
    proxyPattern.test(parsed.protocol) &&
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])$/.test(parsed.hostname) &&
    (parsed.pathname === '' || parsed.pathname === '/');
  if (!safe)
    throw invalid(
      'The proxy of the repository is not a proxy URL',
      'Use http://host:port, https://host:port or socks5://host:port',
    );
}

function invalid(message: string, remedy: string) {
  return failure(invalidCredentials, { message, remedies: [remedy] });
}
