import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { buildPayload, withParameters } from '../parameters/parameters.ts';
import type { NatsTrigger } from '../spec/sensor.ts';
import { connectNats, natsAuth } from '../wire/nats.ts';
import { eventsHash } from './once.ts';
import type { Act, Action } from './trigger.ts';

/** Publishes on a subject. */
export const act: Act = async (action, { connections, keys, isOnce }) => {
  const { template, events } = action;
  const nats = withParameters(template.nats as NatsTrigger, template.nats?.parameters, events);
  const { url, tls, auth, subject } = nats;
  const connection = await connections.get(
    `nats ${JSON.stringify([url, tls, auth])}`,
    async () => connectNats({ url, tls, auth: await natsAuth(auth, keys), keys }),
    (made) => made.close(),
  );
  connection.publish(subject, buildPayload(events, nats.payload ?? []) ?? '', isOnce ? { headers: idOf(action) } : {});
  await connection.flush();
  return `published on ${subject}`;
};

/** A stream of JetStream keeps one message of an id. */
function idOf(action: Action): MsgHdrs {
  const id = headers();
  id.set('Nats-Msg-Id', eventsHash(action, 32));
  return id;
}
