import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type {
  Metadata,
  Server,
  ServerDuplexStream,
  ServerUnaryCall,
  ServiceDefinition,
  sendUnaryData,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { jwtVerify } from 'jose';
import { forgetLongTimers } from './forget-long-timers.ts';
import { trustedCertificates } from './trusted-certificates.ts';

/** What somebody published. */
export interface Published {
  readonly data: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly orderingKey?: string;
}

interface Kept extends Published {
  readonly id: string;
}

interface Subscription {
  readonly topic: string;
  readonly waiting: Kept[];
  readonly delivered: Map<string, Kept>;
}

type Pull = ServerDuplexStream<{ subscription: string }, object>;
type Grpc = typeof import('@grpc/grpc-js');
type Handler = (request: Record<string, unknown>) => object;

const client = createRequire(import.meta.url).resolve('@google-cloud/pubsub');
const transport = createRequire(client).resolve('google-gax');
/** The services that a package of Google's client brings definitions of. */
const services = ({ loadPackageDefinition }: Grpc, main: string, file: string) => {
  const text = readFileSync(join(dirname(main), '..', 'protos', file), 'utf8');
  const json = JSON.parse(text) as Parameters<typeof fromJSON>[0];
  return loadPackageDefinition(fromJSON(json, { defaults: true })) as unknown as {
    google: Record<string, Record<string, Record<string, { service: ServiceDefinition }>>>;
  };
};
const signer = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

const status = { notFound: 5, alreadyExists: 6, permissionDenied: 7, internal: 13, unauthenticated: 16 };

class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Google Pub/Sub on this machine: gRPC by Google's own definitions, with TLS, signed tokens that it verifies and the permissions of IAM,
 * or as an emulator, which has none of these.
 */
export class PubSubDouble {
  /** `projects/P/topics/T`. */
  readonly topics = new Set<string>();
  readonly subscriptions = new Map<string, Subscription>();
  /** What clients did, as `ack 1`, `nack 1`, `CreateTopic projects/p/topics/t`. */
  readonly done: string[] = [];
  /** Permissions that nobody has. */
  readonly withheld = new Set<string>();
  readonly #isEmulator: boolean;
  readonly #pulls = new Map<Pull, string>();
  readonly #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];
  #server: Server | undefined;
  #last = 0;
  #port = 0;

  constructor({ isEmulator }: { isEmulator: boolean }) {
    this.#isEmulator = isEmulator;
  }

  /** `localhost:PORT`; what clients take from `PUBSUB_EMULATOR_HOST`. */
  get address(): string {
    return `localhost:${this.#port}`;
  }

  /** The key of a service account that it knows, as a file of Google has it. */
  get key(): Record<string, string> {
    return {
      type: 'service_account',
      client_email: 'events@p.iam.gserviceaccount.com',
      private_key: signer.privateKey,
      universe_domain: 'localhost',
    };
  }

  /** Listens; its authority is trusted by this process from then on. */
  async start(): Promise<void> {
    forgetLongTimers(20_000);
    // it looks once whose authorities it trusts
    delete process.env.GRPC_DEFAULT_SSL_ROOTS_FILE_PATH;
    const grpc = await import('@grpc/grpc-js');
    const server = new grpc.Server();
    this.#server = server;
    const { google } = services(grpc, client, 'protos.json');
    this.#serve(google.pubsub?.v1?.Publisher?.service, {
      CreateTopic: ({ name }) => this.#createTopic(String(name)),
    });
    this.#serve(google.pubsub?.v1?.Subscriber?.service, {
      CreateSubscription: (request) => this.#createSubscription(String(request.name), String(request.topic)),
      GetSubscription: ({ subscription }) => {
        this.#permit('pubsub.subscriptions.get');
        return { name: subscription, topic: this.#subscription(subscription).topic };
      },
      DeleteSubscription: ({ subscription }) => {
        this.subscriptions.delete(String(subscription));
        return this.#note(`DeleteSubscription ${subscription}`);
      },
      Acknowledge: ({ subscription, ackIds }) => this.#settle(subscription, ackIds, 'ack'),
      ModifyAckDeadline: ({ subscription, ackIds, ackDeadlineSeconds }) =>
        ackDeadlineSeconds === 0 ? this.#settle(subscription, ackIds, 'nack') : {},
    });
    if (!this.#isEmulator)
      this.#serve(services(grpc, transport, 'iam_service.json').google.iam?.v1?.IAMPolicy?.service, {
        TestIamPermissions: ({ resource, permissions }) => {
          this.#subscription(resource);
          return { permissions: (permissions as string[]).filter((each) => !this.withheld.has(each)) };
        },
      });
    const { cert, key } = trustedCertificates();
    const credentials = this.#isEmulator
      ? grpc.ServerCredentials.createInsecure()
      : grpc.ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }]);
    this.#port = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`localhost:${this.#port}`, credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
  }

  /** Closes every connection, and takes no more. */
  stop(): void {
    this.#server?.forceShutdown();
    this.#pulls.clear();
    for (const { waiting, delivered } of this.subscriptions.values()) {
      waiting.unshift(...delivered.values());
      delivered.clear();
    }
  }

  publish(topic: string, ...messages: Published[]): void {
    for (const [name, subscription] of this.subscriptions)
      if (subscription.topic === topic) {
        subscription.waiting.push(...messages.map((message) => ({ ...message, id: String(++this.#last) })));
        this.#deliver(name);
      }
  }

  /** Resolves when it is so. */
  until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ isMet, resolve }));
  }

  #note(text: string): object {
    this.done.push(text);
    for (const each of this.#waiting) if (each.isMet()) each.resolve();
    return {};
  }

  #serve(service: ServiceDefinition | undefined, handlers: Readonly<Record<string, Handler>>): void {
    const unary = (handle: Handler) => (call: ServerUnaryCall<object, object>, answer: sendUnaryData<object>) =>
      void this.#caller(call.metadata)
        .then(() => answer(null, handle(call.request as Record<string, unknown>)))
        .catch(({ code = status.internal, message }: Refusal) => answer({ code, details: message }));
    this.#server?.addService(service ?? {}, {
      ...Object.fromEntries(Object.entries(handlers).map(([name, handle]) => [name, unary(handle)])),
      StreamingPull: (pull: Pull) => this.#pull(pull),
    });
  }

  /** Who calls is known by a token that the account's key signed. */
  async #caller(metadata: Metadata): Promise<void> {
    if (this.#isEmulator) return;
    const token = String(metadata.get('authorization')[0] ?? '').replace(/^Bearer /, '');
    const { payload } = await jwtVerify(token, createPublicKey(signer.publicKey)).catch(() => {
      throw new Refusal(status.unauthenticated, 'Request had invalid authentication credentials.');
    });
    if (payload.iss !== this.key.client_email) throw new Refusal(status.unauthenticated, 'unknown account');
  }

  #permit(permission: string): void {
    if (this.withheld.has(permission)) throw new Refusal(status.permissionDenied, 'User not authorized.');
  }

  #createTopic(name: string): object {
    this.#permit('pubsub.topics.create');
    if (this.topics.has(name)) throw new Refusal(status.alreadyExists, 'Resource already exists in the project.');
    this.topics.add(name);
    this.#note(`CreateTopic ${name}`);
    return { name };
  }

  #createSubscription(name: string, topic: string): object {
    this.#permit('pubsub.subscriptions.create');
    if (this.subscriptions.has(name)) throw new Refusal(status.alreadyExists, 'Resource already exists.');
    if (!this.topics.has(topic)) throw new Refusal(status.notFound, `Resource not found (resource=${topic}).`);
    this.addSubscription(name, topic);
    this.#note(`CreateSubscription ${name}`);
    return { name, topic };
  }

  addSubscription(name: string, topic: string): void {
    this.subscriptions.set(name, { topic, waiting: [], delivered: new Map() });
  }

  #subscription(name: unknown): Subscription {
    const found = this.subscriptions.get(String(name));
    if (!found) throw new Refusal(status.notFound, `Resource not found (resource=${name}).`);
    return found;
  }

  #pull(pull: Pull): void {
    pull.on('error', () => this.#pulls.delete(pull));
    pull.on('end', () => {
      this.#pulls.delete(pull);
      pull.end();
    });
    pull.on('cancelled', () => this.#pulls.delete(pull));
    pull.on('data', ({ subscription }: { subscription: string }) => {
      if (!subscription) return;
      void this.#caller(pull.metadata).then(
        () => {
          if (!this.subscriptions.has(subscription))
            pull.destroy(Object.assign(new Error('Resource not found'), { code: status.notFound }));
          this.#pulls.set(pull, subscription);
          this.#deliver(subscription);
        },
        (error: Error) => pull.destroy(error),
      );
    });
  }

  #deliver(name: string): void {
    const pull = [...this.#pulls].find(([, subscription]) => subscription === name)?.[0];
    const subscription = this.subscriptions.get(name);
    if (!pull || !subscription) return;
    const messages = subscription.waiting.splice(0);
    for (const message of messages) subscription.delivered.set(message.id, message);
    if (messages.length > 0) pull.write({ receivedMessages: messages.map(wire) });
  }

  #settle(name: unknown, ids: unknown, how: 'ack' | 'nack'): object {
    const { waiting, delivered } = this.#subscription(name);
    for (const id of ids as string[]) {
      const message = delivered.get(id);
      delivered.delete(id);
      if (how === 'nack' && message) waiting.push(message);
      this.#note(`${how} ${id}`);
    }
    this.#deliver(String(name));
    return {};
  }
}

function wire({ id, data, attributes = {}, orderingKey = '' }: Kept): object {
  const message = {
    data: Buffer.from(data),
    attributes,
    messageId: id,
    publishTime: { seconds: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000, nanos: 120_500_000 },
    orderingKey,
  };
  return { ackId: id, message, deliveryAttempt: 0 };
}
