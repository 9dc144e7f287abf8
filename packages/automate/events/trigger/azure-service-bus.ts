import { ServiceBusClient } from '@azure/service-bus';
import { checkHosts } from '@tiphys/outbound';
import { buildPayload, withParameters } from '../parameters/parameters.ts';
import type { ServiceBusTrigger } from '../spec/sensor.ts';
import { azureFailure, azureRetries, hostOf } from '../wire/azure.ts';
import { serviceBusTlsRefused } from '../wire/tls.ts';
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
  if (tls) throw new ActionError(serviceBusTlsRefused.text);
  if (!connectionString) throw new ActionError('connectionString is not specified');
  const name = queueName || topicName || '';
  const secret = (await keys.secret(connectionString)).trim();
  const host = hostOf(secret);
  await checkHosts(host);
  const client = await connections.get(
    `service bus ${secret}`,
    async () => new ServiceBusClient(secret, { retryOptions: azureRetries }),
    (made) => made.close(),
  );
  const sender = client.createSender(name);
  try {
    await sender.sendMessages(
      {
        body: Buffer.from(buildPayload(events, bus.payload ?? []) ?? ''),
        ...(isOnce ? { messageId: eventsHash(action, 32) } : {}),
      },
      { abortSignal: signal },
    );
  } catch (error) {
    const entity = `${queueName ? 'queue' : 'topic'} ${name}`;
    throw azureFailure(error, { system: 'Service Bus', entity, host, claim: 'Send' });
  } finally {
    await sender.close().catch(() => undefined);
  }
  return `sent a message to ${name}`;
};
