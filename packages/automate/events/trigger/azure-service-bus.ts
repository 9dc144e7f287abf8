import { ServiceBusClient } from '@azure/service-bus';
import { buildPayload, withParameters } from '../parameters/parameters.ts';
import type { ServiceBusTrigger } from '../spec/sensor.ts';
import { noServiceBusTls } from '../wire/tls.ts';
import { eventsHash } from './once.ts';
import { type Act, ActionError } from './trigger.ts';

/** Sends a message to a queue or a topic of Service Bus. */
export const act: Act = async (action, { keys, connections, isOnce }) => {
  const { template, events, signal } = action;
  const bus = withParameters(
    template.azureServiceBus as ServiceBusTrigger,
    template.azureServiceBus?.parameters,
    events,
  );
  const { connectionString, queueName, topicName, tls } = bus;
  if (tls) throw new ActionError(noServiceBusTls);
  if (!connectionString) throw new ActionError('connectionString is not specified');
  const target = queueName || topicName || '';
  const client = await connections.get(
    `service bus ${JSON.stringify(connectionString)}`,
    async () => new ServiceBusClient((await keys.secret(connectionString)).trim()),
    (made) => made.close(),
  );
  const sender = client.createSender(target);
  try {
    await sender.sendMessages(
      {
        body: Buffer.from(buildPayload(events, bus.payload ?? []) ?? ''),
        ...(isOnce ? { messageId: eventsHash(action, 32) } : {}),
      },
      { abortSignal: signal },
    );
  } finally {
    await sender.close();
  }
  return `sent a message to ${target}`;
};
