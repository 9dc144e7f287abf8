import type { Clock } from '@tiphys/kubernetes';
import type { KeyReader } from '../../keys/key-reader.ts';
import { tlsOptions } from '../tls.ts';
import { type PulsarAddress, PulsarConnection, PulsarError } from './connection.ts';
import { command } from './frames.ts';
import { firstOf, type PulsarSpec } from './problem.ts';

const defaultPort = { 'pulsar:': 6650, 'pulsar+ssl:': 6651 } as const;
/** Answers that lead elsewhere, one after the other. */
const mostRedirects = 20;
const [redirect, failed] = [0, 2];

/** Finds the brokers of topics, and connects to them. */
export class PulsarClient {
  readonly #service: PulsarAddress;
  readonly #clock: Clock;
  readonly #open = new Map<string, Promise<PulsarConnection>>();

  private constructor(service: PulsarAddress, clock: Clock) {
    this.#service = service;
    this.#clock = clock;
  }

  static async of(spec: PulsarSpec, keys: KeyReader, clock: Clock): Promise<PulsarClient> {
    const url = new URL(firstOf(spec.url ?? ''));
    const own = spec.tls ? await tlsOptions(spec.tls, keys) : {};
    const token = spec.authTokenSecret ? (await keys.secret(spec.authTokenSecret)).trim() : undefined;
    const isSecure = url.protocol === 'pulsar+ssl:';
    const tls = {
      ...own,
      ...(spec.tlsTrustCertsSecret ? { ca: await keys.secret(spec.tlsTrustCertsSecret) } : {}),
      ...(spec.tlsAllowInsecureConnection ? { rejectUnauthorized: false } : {}),
      ...(spec.tlsValidateHostname ? {} : { checkServerIdentity: () => undefined }),
    };
    const auth =
      token !== undefined
        ? { method: 'token', data: Buffer.from(token) }
        : own.cert
          ? { method: 'tls', data: new Uint8Array() }
          : undefined;
    return new PulsarClient({ ...addressOf(url), tls: isSecure ? tls : undefined, auth }, clock);
  }

  /** The topics that a topic consists of: its partitions, or itself alone. */
  async partitions(topic: string): Promise<readonly string[]> {
    const name = fullName(topic);
    const connection = await this.#connection({});
    const answer = await connection.ask(command.partitionedMetadata, 2, { 1: name });
    if (answer.number(3) === 1) throw new PulsarError(`topic ${name}: ${answer.text(5)}`);
    const count = answer.number(1);
    return count === 0 ? [name] : Array.from({ length: count }, (_, index) => `${name}-partition-${index}`);
  }

  /** A connection to the broker of a topic. */
  async broker(topic: string): Promise<PulsarConnection> {
    let at: { host?: string; port?: number; broker?: string } = {};
    let isAuthoritative = false;
    for (let tries = 0; tries < mostRedirects; tries++) {
      const asked = await this.#connection(at);
      const answer = await asked.ask(command.lookup, 2, { 1: topic, 3: isAuthoritative });
      const outcome = answer.number(3);
      if (outcome === failed) throw new PulsarError(`topic ${topic}: ${answer.text(7)}`);
      const told = this.#service.tls ? answer.text(2) : answer.text(1);
      const { host, port } = addressOf(new URL(told));
      at = answer.number(8) === 1 ? { broker: `${host}:${port}` } : { host, port };
      if (outcome !== redirect) return this.#connection(at);
      isAuthoritative = answer.number(5) === 1;
    }
    throw new PulsarError(`topic ${topic}: ${mostRedirects} brokers have named another one`);
  }

  /** Ends when any of the connections does. */
  async lost(): Promise<never> {
    return Promise.race([...this.#open.values()].map(async (opened) => (await opened).ended));
  }

  async close(): Promise<void> {
    for (const opened of this.#open.values())
      await opened.then(
        (connection) => connection.close(),
        () => undefined,
      );
  }

  #connection(at: { host?: string; port?: number; broker?: string }): Promise<PulsarConnection> {
    const address = { ...this.#service, ...at };
    const key = JSON.stringify([address.host, address.port, address.broker]);
    let opened = this.#open.get(key);
    if (!opened) {
      opened = PulsarConnection.open(address, this.#clock);
      this.#open.set(key, opened);
      opened.then((connection) => connection.ended).catch(() => this.#open.delete(key));
    }
    return opened;
  }
}

function addressOf({ protocol, hostname, port }: URL): { host: string; port: number } {
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || defaultPort[protocol as keyof typeof defaultPort],
  };
}

/** `topic` and `tenant/namespace/topic` are short for persistent topics. */
function fullName(topic: string): string {
  if (topic.includes('://')) return topic;
  return topic.includes('/') ? `persistent://${topic}` : `persistent://public/default/${topic}`;
}
