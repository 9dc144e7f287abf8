import { buildPayload, withParameters } from '../parameters/parameters.ts';
import type { NatsTrigger } from '../spec/sensor.ts';
import { connectNats, natsAuth } from '../wire/nats.ts';
import type { Act } from './trigger.ts';

/** Publishes on a subject. */
export const act: Act = async ({ template, events }, { connections, keys }) => {
  const nats = withParameters(template.nats as NatsTrigger, template.nats?.parameters, events);
  const { url, tls, auth, subject } = nats;
  const connection = await connections.get(
    `nats ${JSON.stringify([url, tls, auth])}`,
    async () => connectNats({ url, tls, auth: await natsAuth(auth, keys), keys }),
    (made) => made.close(),
  );
  connection.publish(subject, buildPayload(events, nats.payload ?? []) ?? '');
  await connection.flush();
  return `published on ${subject}`;
};
