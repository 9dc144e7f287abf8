import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Access, HttpClient, OciRegistry, RegistryError } from '@tiphys/registry';
import { logLine } from '../problems/log.ts';
import { readArguments } from './command-arguments.ts';
import type { CommandSurroundings } from './command-surroundings.ts';
import { plainFlags, registryLoginFlags } from './flag-tables.ts';
import { FlagError, type ParsedFlags } from './flags.ts';
import { helmPaths } from './helm-environment.ts';
import { tlsFiles } from './repositories-file.ts';

/** `helm registry login HOST`: proves the credentials and stores them where helm and others find them. */
export async function registryLogin(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm registry login', usage: '[host] [flags]', flags: registryLoginFlags, least: 1 };
  const flags = readArguments(argv, shape, surroundings);
  if (!flags) return 0;
  const { out, error, signal } = surroundings;
  const host = flags.args[0] ?? '';
  const { username, password } = credentialsOf(flags, error);
  if (host.includes('/')) {
    error(
      logLine('registry login currently only supports registry hostname, not a repository path', {
        attributes: { host, suggested: host.split('/')[0] ?? '' },
      }),
    );
    throw new FlagError(`invalid reference: invalid registry ${JSON.stringify(host)}`);
  }
  const access = accessOf(flags, { username, password }, surroundings);
  try {
    await new OciRegistry(new HttpClient()).ping(host, access, { signal });
  } catch (caught) {
    if (!(caught instanceof RegistryError)) throw caught;
    throw caught.wrapped((words) => `authenticating to ${JSON.stringify(host)}: ${words}`);
  }
  const file = helmPaths(flags, surroundings).registryConfigs[0];
  changeAuths(file, (auths) => {
    auths[addressOf(host)] = { auth: Buffer.from(`${username}:${password}`).toString('base64') };
  });
  out('Login Succeeded\n');
  return 0;
}

/** `helm registry logout HOST` */
export async function registryLogout(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm registry logout', usage: '[host] [flags]', flags: plainFlags, least: 1 };
  const flags = readArguments(argv, shape, surroundings);
  if (!flags) return 0;
  const host = flags.args[0] ?? '';
  const file = helmPaths(flags, surroundings).registryConfigs[0];
  if (existsSync(file)) changeAuths(file, (auths) => delete auths[addressOf(host)]);
  surroundings.out(`Removing login credentials for ${host}\n`);
  return 0;
}

function credentialsOf(flags: ParsedFlags, error: (text: string) => void): { username: string; password: string } {
  const username = flags.text('username');
  if (flags.flag('password-stdin')) {
    return { username, password: readFileSync(0, 'utf8').replace(/\n$/, '').replace(/\r$/, '') };
  }
  const password = flags.text('password');
  if (password === '')
    throw new FlagError(username === '' ? 'token required' : 'password required', 'Give it with --password-stdin');
  error(logLine('using --password via the CLI is insecure. Use --password-stdin'));
  return { username, password };
}

function accessOf(
  flags: ParsedFlags,
  credentials: { username: string; password: string },
  { workdir }: CommandSurroundings,
): Access {
  const file = (name: string): string => (flags.text(name) === '' ? '' : resolve(workdir, flags.text(name)));
  return {
    ...credentials,
    ...(flags.flag('insecure') ? { insecure: true } : {}),
    ...(flags.flag('plain-http') ? { plainHttp: true } : {}),
    ...tlsFiles(file('cert-file'), file('key-file'), file('ca-file')),
    from: '--username and --password',
  };
}

function addressOf(host: string): string {
  return ['docker.io', 'registry-1.docker.io'].includes(host) ? 'https://index.docker.io/v1/' : host;
}

function changeAuths(file: string, change: (auths: Record<string, unknown>) => void): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  let config: { auths?: Record<string, unknown>; credsStore?: string };
  try {
    config = text === '' ? {} : (JSON.parse(text) as typeof config);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FlagError(`failed to decode config file ${file}: invalid config format`);
  }
  if (config.credsStore)
    throw new FlagError(
      `credentials of ${file} are kept by docker-credential-${config.credsStore}`,
      'Use helm itself, which asks that program',
    );
  const auths = { ...config.auths };
  change(auths);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, JSON.stringify({ ...config, auths }, undefined, '\t'), { mode: 0o600 });
  renameSync(draft, file);
}
