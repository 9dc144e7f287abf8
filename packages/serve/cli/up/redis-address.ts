import { readFileSync } from 'node:fs';
import type { ApplicationsOptions } from '@tiphys/applications';
import type { UpOptions } from './up-options.ts';

type Address = NonNullable<ApplicationsOptions['redis']>;

/** The Redis of `--redis` or REDIS_SERVER with REDIS_USERNAME, REDIS_PASSWORD and REDISDB, as Argo CD reads them; undefined without. */
export function redisAddress(
  options: Pick<UpOptions, 'redis' | 'redisdb' | 'redisUseTls' | 'redisInsecureSkipTlsVerify' | 'redisCaCertificate'>,
  env: Readonly<Record<string, string | undefined>>,
): Address | undefined {
  const server = options.redis || env.REDIS_SERVER;
  if (!server) return undefined;
  const [, host = server, port = '6379'] = /^(.*?)(?::(\d+))?$/.exec(server) ?? [];
  const { REDIS_USERNAME: username, REDIS_PASSWORD: password, REDISDB } = env;
  const database = Number(options.redisdb ?? REDISDB ?? 0);
  const ca = options.redisCaCertificate ? readFileSync(options.redisCaCertificate, 'utf8') : undefined;
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(database > 0 ? { database } : {}),
    ...(options.redisUseTls
      ? { tls: { ...(ca ? { ca } : {}), ...(options.redisInsecureSkipTlsVerify ? { insecure: true } : {}) } }
      : {}),
  };
}
