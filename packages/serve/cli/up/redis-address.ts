import { readFileSync } from 'node:fs';
import type { ApplicationsOptions } from '@tiphys/applications';
import type { UpOptions } from './up-options.ts';

type Address = NonNullable<ApplicationsOptions['redis']>;
type Env = Readonly<Record<string, string | undefined>>;
type Flags = Pick<
  UpOptions,
  | 'redis'
  | 'redisdb'
  | 'redisUseTls'
  | 'redisInsecureSkipTlsVerify'
  | 'redisCaCertificate'
  | 'redisClientCertificate'
  | 'redisClientKey'
  | 'redisCluster'
  | 'sentinel'
  | 'sentinelmaster'
>;

/**
 * The Redis of `--redis` or REDIS_SERVER, or of `--sentinel`, with REDIS_USERNAME, REDIS_PASSWORD, REDISDB, REDIS_SENTINEL_USERNAME and
 * REDIS_SENTINEL_PASSWORD, as Argo CD reads them; undefined without.
 */
export function redisAddress(flags: Flags, env: Env): Address | undefined {
  const servers = serversOf(flags, env);
  if (!servers) return undefined;
  const { REDIS_USERNAME: username, REDIS_PASSWORD: password, REDISDB } = env;
  const database = Number(flags.redisdb ?? REDISDB ?? 0);
  return {
    ...servers,
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(database > 0 ? { database } : {}),
    ...(flags.redisUseTls ? { tls: tlsOf(flags) } : {}),
  };
}

function serversOf(flags: Flags, env: Env): Pick<Address, 'kind' | 'servers' | 'sentinels'> | undefined {
  const [sentinel, ...others] = flags.sentinel ?? [];
  if (sentinel) {
    const { REDIS_SENTINEL_USERNAME: username, REDIS_SENTINEL_PASSWORD: password } = env;
    return {
      kind: 'sentinels',
      servers: [hostAndPort(sentinel, 26_379), ...others.map((one) => hostAndPort(one, 26_379))],
      sentinels: {
        master: flags.sentinelmaster || 'master',
        ...(username ? { username } : {}),
        ...(password ? { password } : {}),
      },
    };
  }
  const text = flags.redis || env.REDIS_SERVER;
  if (!text) return undefined;
  if (!flags.redisCluster) return { kind: 'server', servers: [hostAndPort(text, 6379)] };
  const [first = '', ...rest] = text.split(',');
  return { kind: 'cluster', servers: [hostAndPort(first, 6379), ...rest.map((one) => hostAndPort(one, 6379))] };
}

function hostAndPort(text: string, usual: number): { host: string; port: number } {
  const [, host = text, port = String(usual)] = /^(.*?)(?::(\d+))?$/.exec(text.trim()) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

function tlsOf(flags: Flags): NonNullable<Address['tls']> {
  const read = (file: string | undefined) => (file ? readFileSync(file, 'utf8') : undefined);
  const ca = read(flags.redisCaCertificate);
  const cert = read(flags.redisClientCertificate);
  const key = read(flags.redisClientKey);
  return {
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(flags.redisInsecureSkipTlsVerify ? { insecure: true } : {}),
  };
}
