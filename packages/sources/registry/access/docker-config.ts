import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Access } from './access.ts';
import { credentialsFileInvalid } from './diagnoses.ts';
import { RegistryError } from './registry-error.ts';

type Credentials = Pick<Access, 'username' | 'password' | 'identityToken' | 'from'>;

const helperTimeout = 30_000;
const maxHelperBytes = 1 << 20;

/**
 * The credentials for a registry from files in docker's form (`auths`, `credHelpers`, `credsStore`): the first file that has some
 * wins; none is no fault. Helper programs are run without a shell. Throws for a file that can't be read.
 */
export async function registryCredentials(
  files: readonly string[],
  registry: string,
  signal?: AbortSignal,
): Promise<Credentials | undefined> {
  const address = ['docker.io', 'registry-1.docker.io'].includes(registry) ? 'https://index.docker.io/v1/' : registry;
  for (const file of files) {
    const config = await readConfig(file);
    const helper = config.credHelpers?.[address] || config.credsStore;
    const found = helper
      ? await askHelper(helper, address, file, signal)
      : fromAuths(config.auths ?? {}, address, file);
    if (found) return found;
  }
  return undefined;
}

/**
 * The credentials for an image from the texts of pull Secrets (`.dockerconfigjson`, or the older `.dockercfg`), as a kubelet chooses them: of the
 * entries whose host and path lead to the repository the longest wins, and of equal ones that of the first Secret. Programs are never run.
 * Throws for a text that is none.
 */
export function imageCredentials(
  secrets: readonly { readonly name: string; readonly text: string }[],
  { registry, repository }: { readonly registry: string; readonly repository: string },
): Credentials | undefined {
  const hosts = registry === 'docker.io' ? ['index.docker.io', 'docker.io', 'registry-1.docker.io'] : [registry];
  let best: { readonly length: number; readonly credentials: Credentials } | undefined;
  for (const { name, text } of secrets) {
    const config = decoded(text, name);
    const auths = config.auths ?? (config as Readonly<Record<string, unknown>>);
    for (const key of Object.keys(auths)) {
      const [host = '', ...path] = key
        .replace(/^https?:\/\//, '')
        .replace(/\/(v[12]\/?)?$/, '')
        .split('/');
      const prefix = path.join('/');
      const isLeading = prefix === '' || repository === prefix || repository.startsWith(`${prefix}/`);
      if (!isLeading || !hosts.some((each) => isHostLike(host, each)) || key.length <= (best?.length ?? 0)) continue;
      const credentials = credentialsOf(auths[key], key, name);
      if (credentials) best = { length: key.length, credentials };
    }
  }
  return best?.credentials;
}

/** `*` stands for one part of a name. */
function isHostLike(pattern: string, host: string): boolean {
  const [wanted, found] = [pattern.split('.'), host.split('.')];
  return wanted.length === found.length && wanted.every((part, index) => part === '*' || part === found[index]);
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, unknown>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

async function readConfig(file: string): Promise<DockerConfig> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw invalid(file, `failed to open config file at ${file}: ${code}`, error);
  }
  return decoded(text, file);
}

function decoded(text: string, file: string): DockerConfig {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as DockerConfig;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalid(file, `failed to decode config file ${file}: invalid config format`);
}

function fromAuths(auths: Readonly<Record<string, unknown>>, address: string, file: string): Credentials | undefined {
  const key = Object.hasOwn(auths, address)
    ? address
    : Object.keys(auths).find((name) => name.replace(/^https?:\/\//, '').split('/')[0] === address);
  return key === undefined ? undefined : credentialsOf(auths[key], address, file);
}

function credentialsOf(value: unknown, address: string, file: string): Credentials | undefined {
  const entry = (value ?? {}) as Record<string, unknown>;
  const text = (name: string): string => (typeof entry[name] === 'string' ? entry[name] : '');
  const pair = text('auth') === '' ? '' : Buffer.from(text('auth'), 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (pair !== '' && colon < 0) {
    throw invalid(
      file,
      `failed to decode auth field: invalid config format: the entry of ${address} is not the base64 of "user:password"`,
    );
  }
  const username = colon < 0 ? text('username') : pair.slice(0, colon);
  const password = colon < 0 ? text('password') : pair.slice(colon + 1);
  const identityToken = text('identitytoken');
  if (username === '' && password === '' && identityToken === '') return undefined;
  return {
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(identityToken ? { identityToken } : {}),
    from: file,
  };
}

async function askHelper(
  helper: string,
  address: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<Credentials | undefined> {
  if (!/^[A-Za-z0-9._-]+$/.test(helper)) throw invalid(file, `invalid credential helper ${JSON.stringify(helper)}`);
  const program = `docker-credential-${helper}`;
  const { out, code } = await run(program, address, file, signal);
  if (out.trim() === 'credentials not found in native keychain') return undefined;
  if (code !== 0) throw invalid(file, `error running ${program}: exit status ${code}`);
  try {
    const { Username, Secret } = JSON.parse(out) as { Username?: string; Secret?: string };
    if (Username === '<token>') return { identityToken: Secret ?? '', from: program };
    return Username && Secret ? { username: Username, password: Secret, from: program } : undefined;
  } catch (error) {
    // What it printed may hold a secret.
    throw invalid(file, `${program} did not answer with JSON`, error instanceof SyntaxError ? undefined : error);
  }
}

function run(
  program: string,
  input: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<{ out: string; code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['get'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: helperTimeout,
      ...(signal ? { signal } : {}),
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (out.length < maxHelperBytes) out += chunk.toString('utf8');
    });
    child.on('error', (error) => reject(invalid(file, `error running ${program}: ${error.message}`, error)));
    child.on('close', (code) => resolve({ out, code }));
    child.stdin.on('error', () => child.kill());
    child.stdin.end(input);
  });
}

function invalid(file: string, words: string, cause?: unknown): RegistryError {
  return new RegistryError(
    credentialsFileInvalid,
    words,
    {
      place: { file },
      remedies: [
        'Log in again with `helm registry login`, or correct the file; HELM_REGISTRY_CONFIG names another one',
      ],
    },
    cause === undefined ? {} : { cause },
  );
}
