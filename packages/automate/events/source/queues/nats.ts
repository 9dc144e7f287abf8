import type { NatsAuth, TlsConfig } from '../../spec/common.ts';
import { missing, type SpecProblem, within, wrong } from '../../spec/spec-problem.ts';
import { connectNats, natsAuth } from '../../wire/nats.ts';
import { tlsProblem } from '../../wire/tls.ts';
import { bodyOf, eventData, type Metadata } from '../event-data.ts';
import type { Listen } from '../source.ts';
import { take } from './mqtt.ts';

export interface NatsSpec {
  readonly url?: string;
  readonly subject?: string;
  readonly queue?: string;
  readonly auth?: NatsAuth;
  readonly tls?: TlsConfig;
  readonly jsonBody?: boolean;
  readonly metadata?: Metadata;
}

export function natsProblem({ url, subject, queue, tls }: NatsSpec): SpecProblem | undefined {
  if (!url) return missing('url', 'url must be specified', 'nats://host:4222');
  if (!subject) return missing('subject', 'subject must be specified');
  if (queue === '') return wrong('queue', 'queue group cannot be empty if specified', 'Name the group, or remove it');
  return within('tls', tlsProblem(tls));
}

/** Subscribes to a subject of NATS. */
export const listen: Listen<NatsSpec> = async (context, ready) => {
  const { spec, keys, signal } = context;
  const { url = '', subject = '', queue, auth, tls, jsonBody, metadata } = spec;
  const connection = await connectNats({ url, tls, auth: await natsAuth(auth, keys), keys });
  const subscription = connection.subscribe(subject, queue ? { queue } : {});
  signal.addEventListener('abort', () => subscription.unsubscribe(), { once: true });
  try {
    await connection.flush();
    ready();
    for await (const message of subscription) {
      const header = message.headers
        ? Object.fromEntries([...message.headers.keys()].sort().map((key) => [key, message.headers?.values(key)]))
        : undefined;
      const dataOf = () =>
        eventData({ subject: message.subject, body: bodyOf(message.data, jsonBody), header }, metadata);
      await take(context, dataOf).catch((error: unknown) => context.failed(error));
    }
  } finally {
    await connection.close();
  }
};
