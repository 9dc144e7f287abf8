import { type RedisOptions as ClientOptions, Cluster, Redis } from 'ioredis';

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Where a Redis is, and how it is spoken to. */
export interface RedisOptions {
  /** The server; of a Redis Cluster, nodes that tell of the others; of sentinels, those that tell where the master is. */
  readonly servers: readonly [HostAndPort, ...HostAndPort[]];
  readonly kind: 'server' | 'cluster' | 'sentinels';
  /** Name of the master that the sentinels watch, and how they let in. */
  readonly sentinels?: { readonly master: string; readonly username?: string; readonly password?: string };
  readonly username?: string;
  readonly password?: string;
  readonly database?: number;
  /** TLS, verified by the given authorities or those of the system, with a certificate of the client where the server asks for one. */
  readonly tls?: { readonly ca?: string; readonly insecure?: boolean; readonly cert?: string; readonly key?: string };
  /** Milliseconds for one command, connecting included. */
  readonly timeout: number;
}

/** A client that fails at once where the server is away: anyone who asks it decides when to ask again. */
export function redisClient(options: RedisOptions): Redis | Cluster {
  const { servers, kind, sentinels, timeout } = options;
  const never = () => null;
  const client = clientOptions(options);
  if (kind === 'cluster')
    return new Cluster([...servers], {
      redisOptions: client,
      clusterRetryStrategy: never,
      lazyConnect: true,
      slotsRefreshTimeout: timeout,
    });
  const reconnecting = { retryStrategy: never, lazyConnect: true };
  if (kind === 'server') return new Redis({ ...client, ...servers[0], ...reconnecting });
  return new Redis({
    ...client,
    ...reconnecting,
    sentinels: [...servers],
    name: sentinels?.master ?? 'master',
    sentinelRetryStrategy: never,
    sentinelReconnectStrategy: never,
    sentinelCommandTimeout: timeout,
    ...(sentinels?.username ? { sentinelUsername: sentinels.username } : {}),
    ...(sentinels?.password ? { sentinelPassword: sentinels.password } : {}),
    ...(client.tls ? { enableTLSForSentinelMode: true, sentinelTLS: client.tls } : {}),
  });
}

function clientOptions({
  username,
  password,
  database,
  tls,
  timeout,
}: RedisOptions): ClientOptions & { replyMapping: 'legacy' } {
  return {
    connectTimeout: timeout,
    commandTimeout: timeout,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
    protocol: 2,
    replyMapping: 'legacy',
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    ...(database ? { db: database } : {}),
    ...(tls ? { tls: tlsOptions(tls) } : {}),
  };
}

function tlsOptions({ ca, insecure, cert, key }: NonNullable<RedisOptions['tls']>): NonNullable<ClientOptions['tls']> {
  return { rejectUnauthorized: !insecure, ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}
