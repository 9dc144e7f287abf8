import { Agent as PlainAgent, type AgentOptions as PlainAgentOptions } from 'node:http';
import { type AgentOptions, Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import { guardedLookup, refusedHost } from './dial.ts';

type Created = (error: Error | null, stream: Duplex) => void;

/** Node's agent for `http:`, whose connections are checked; also for clients that take an agent. */
export class GuardedAgent extends PlainAgent {
  override createConnection(options: PlainAgentOptions, done?: Created): Duplex | null | undefined {
    return refuses(options, done) ? undefined : super.createConnection({ ...options, lookup: guardedLookup }, done);
  }
}

/** Node's agent for `https:`, whose connections are checked. */
export class GuardedSecureAgent extends SecureAgent {
  override createConnection(options: AgentOptions, done?: Created): Duplex | null | undefined {
    return refuses(options, done) ? undefined : super.createConnection({ ...options, lookup: guardedLookup }, done);
  }
}

function refuses(options: object, done: Created | undefined): boolean {
  const problem = refusedHost((options as { host?: string | null }).host ?? 'localhost');
  if (!problem) return false;
  if (!done) throw problem;
  process.nextTick(done, problem);
  return true;
}

export interface DispatcherOptions {
  /** For HTTPS_PROXY, HTTP_PROXY and NO_PROXY; of the process if absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Of hosts that are asked, also through a proxy. */
  readonly tls?: {
    readonly rejectUnauthorized?: boolean;
    readonly ca?: string;
    /** Of this side, as PEM. */
    readonly cert?: string;
    readonly key?: string;
  };
  /** Connections to one host; no limit if absent. */
  readonly connections?: number;
  /** Milliseconds that a connection is kept. */
  readonly keepAliveTimeout?: number;
}

/** A dispatcher for undici: through proxies of the environment, else with connections that are checked, those of redirects too. */
export async function guardedDispatcher({
  env = process.env,
  tls = {},
  ...rest
}: DispatcherOptions = {}): Promise<Dispatcher> {
  const { EnvHttpProxyAgent, buildConnector } = await import('undici');
  const dial = buildConnector({ ...tls, lookup: guardedLookup });
  const connect: typeof dial = (target, done) => {
    const problem = refusedHost(target.hostname);
    return problem ? done(problem, null) : dial(target, done);
  };
  return new EnvHttpProxyAgent({
    connect,
    requestTls: tls,
    ...rest,
    httpProxy: env.HTTP_PROXY ?? env.http_proxy ?? '',
    httpsProxy: env.HTTPS_PROXY ?? env.https_proxy ?? '',
    noProxy: env.NO_PROXY ?? env.no_proxy ?? '',
  });
}
