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
  if (key === undefined) return undefined;
  const entry = (auths[key] ?? {}) as Record<string, unknown>;
  const text = (name: string): string => (typeof entry[name] === 'string' ? entry[name] : '');
  const decoded = text('auth') === '' ? '' : Buffer.from(text('auth'), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (decoded !== '' && colon < 0) {
    throw invalid(
      file,
      `failed to decode auth field: invalid config format: the entry of ${address} is not the base64 of "user:password"`,
    );
  }
  const username = colon < 0 ? text('username') : decoded.slice(0, colon);
  const password = colon < 0 ? text('password') : decoded.slice(colon + 1);
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
