import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node';
import { checkHosts } from '@tiphys/outbound';
import type { KeyReader } from '../keys/key-reader.ts';
import type { NatsAuth, TlsConfig } from '../spec/common.ts';
import { tlsOptions } from './tls.ts';

/** The options that an `auth` field asks for. */
export async function natsAuth(auth: NatsAuth | undefined, keys: KeyReader): Promise<ConnectionOptions> {
  if (auth?.basic) {
    const { username, password } = auth.basic;
    return {
      ...(username ? { user: await keys.secret(username) } : {}),
      ...(password ? { pass: await keys.secret(password) } : {}),
    };
  }
  if (auth?.token) return { token: await keys.secret(auth.token) };
  if (auth?.nkey) return { authenticator: nkeyAuthenticator(Buffer.from((await keys.secret(auth.nkey)).trim())) };
  if (auth?.credential) return { authenticator: credsAuthenticator(Buffer.from(await keys.secret(auth.credential))) };
  return {};
}

/** Connects to NATS servers; the connection comes back by itself when it is lost. */
export async function connectNats(options: {
  readonly url: string;
  readonly tls?: TlsConfig | undefined;
  readonly auth: ConnectionOptions;
  readonly keys: KeyReader;
  /** Servers of our own have certificates that nobody has signed. */
  readonly acceptAnyCertificate?: boolean;
}): Promise<NatsConnection> {
  const { url, tls, auth, keys, acceptAnyCertificate } = options;
  await checkHosts(url);
  const secure = tls ? await tlsOptions(tls, keys) : acceptAnyCertificate ? { rejectUnauthorized: false } : undefined;
  const common: ConnectionOptions = {
    servers: url.split(',').map((server) => server.trim()),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 1000,
    // of each request: where one fails, its message says enough
    noAsyncTraces: true,
    ...auth,
  };
  try {
    return await connect(secure ? { ...common, tls: secure as NonNullable<ConnectionOptions['tls']> } : common);
  } catch (error) {
    // a server without TLS is as good where nobody has asked for it
    if (tls || !(error instanceof Error) || !error.message.includes("does not support 'tls'")) throw error;
    return connect(common);
  }
}
