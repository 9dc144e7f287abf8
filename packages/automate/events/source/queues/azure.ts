import { EventHubConsumerClient, latestEventPosition } from '@azure/event-hubs';
import { DefaultAzureCredential } from '@azure/identity';
import { ServiceBusClient, type ServiceBusReceivedMessage } from '@azure/service-bus';
import { QueueServiceClient } from '@azure/storage-queue';
import { pause } from '@tiphys/kubernetes';
import { bodyOf, eventData } from '../event-data.ts';
import { type Listen, type SourceContext, untilAborted } from '../source.ts';
import type { EventsHubSpec, QueueStorageSpec, ServiceBusSpec } from './azure-specs.ts';

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? null));
}

/** Hears of new events of an Event Hub. */
export const listenEventsHub: Listen<EventsHubSpec> = async (context, ready) => {
  const { spec, keys, signal } = context;
  const { fqdn = '', hubName = '', sharedAccessKeyName, sharedAccessKey, metadata } = spec;
  const client =
    sharedAccessKeyName && sharedAccessKey
      ? new EventHubConsumerClient(
          '$Default',
          `Endpoint=sb://${fqdn}/;SharedAccessKeyName=${await keys.secret(sharedAccessKeyName)};SharedAccessKey=${await keys.secret(sharedAccessKey)};EntityPath=${hubName}`,
        )
      : new EventHubConsumerClient('$Default', fqdn, hubName, new DefaultAzureCredential());
  try {
    await client.getEventHubProperties({ abortSignal: signal });
    const subscription = client.subscribe(
      {
        async processEvents(events) {
          for (const { messageId, partitionKey, body } of events)
            await context
              .dispatch(
                eventData(
                  { id: String(messageId ?? ''), partitionKey: partitionKey ?? '', body: bodyOf(bytesOf(body), true) },
                  metadata,
                ),
              )
              .catch((error: unknown) => context.failed(error));
        },
        processError: async (error) => context.failed(error),
      },
      { startPosition: latestEventPosition },
    );
    ready();
    await untilAborted(signal);
    await subscription.close();
  } finally {
    await client.close();
  }
};

/** Takes messages of a queue or a subscription of Service Bus. */
export const listenServiceBus: Listen<ServiceBusSpec> = async (context, ready) => {
  const { spec, keys, signal } = context;
  const {
    connectionString,
    fullyQualifiedNamespace = '',
    queueName,
    topicName = '',
    subscriptionName = '',
    deferDelete,
  } = spec;
  const client = connectionString
    ? new ServiceBusClient((await keys.secret(connectionString)).trim())
    : new ServiceBusClient(fullyQualifiedNamespace, new DefaultAzureCredential());
  const receiveMode = deferDelete ? 'peekLock' : 'receiveAndDelete';
  const receiver = queueName
    ? client.createReceiver(queueName, { receiveMode })
    : client.createReceiver(topicName, subscriptionName, { receiveMode });
  try {
    ready();
    while (!signal.aborted)
      for (const message of await receiver.receiveMessages(10, { maxWaitTimeInMs: 5000, abortSignal: signal })) {
        try {
          await context.dispatch(serviceBusData(context, message));
          if (deferDelete) await receiver.completeMessage(message);
        } catch (error) {
          context.failed(error);
          if (deferDelete) await receiver.abandonMessage(message);
        }
      }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await client.close();
  }
};

function serviceBusData({ spec }: SourceContext<ServiceBusSpec>, message: ServiceBusReceivedMessage): string {
  const {
    applicationProperties,
    body,
    contentType,
    correlationId,
    enqueuedTimeUtc,
    messageId,
    replyTo,
    sequenceNumber,
    subject,
  } = message;
  return eventData(
    {
      applicationProperties: applicationProperties ?? null,
      body: bodyOf(bytesOf(body), spec.jsonBody),
      contentType: contentType ?? null,
      correlationID: correlationId ?? null,
      enqueuedTime: enqueuedTimeUtc?.toISOString() ?? null,
      messageID: String(messageId ?? ''),
      replyTo: replyTo ?? null,
      sequenceNumber: sequenceNumber === undefined ? null : Number(sequenceNumber),
      subject: subject ?? null,
    },
    spec.metadata,
  );
}

/** Takes messages of a queue of Azure Storage. */
export const listenQueueStorage: Listen<QueueStorageSpec> = async (context, ready) => {
  const { spec, keys, signal, clock } = context;
  const {
    connectionString,
    storageAccountName,
    queueName = '',
    waitTimeInSeconds = 3,
    decodeMessage,
    jsonBody,
    dlq,
    metadata,
  } = spec;
  const service = connectionString
    ? QueueServiceClient.fromConnectionString((await keys.secret(connectionString)).trim())
    : new QueueServiceClient(`https://${storageAccountName}.queue.core.windows.net`, new DefaultAzureCredential());
  const queue = service.getQueueClient(queueName);
  await queue.getProperties({ abortSignal: signal });
  ready();
  while (!signal.aborted) {
    const { receivedMessageItems } = await queue.receiveMessages({
      numberOfMessages: 32,
      visibilityTimeout: 120,
      abortSignal: signal,
    });
    for (const { messageText, messageId, insertedOn, popReceipt } of receivedMessageItems) {
      let data: string | undefined;
      try {
        const text = decodeMessage ? Buffer.from(messageText, 'base64') : Buffer.from(messageText);
        const body = jsonBody ? bodyOf(text, true) : text.toString('base64');
        data = eventData({ body, messageID: messageId, insertionTime: insertedOn.toISOString() }, metadata);
      } catch (error) {
        context.failed(error);
      }
      if (data === undefined && dlq) continue;
      if (data !== undefined) await context.dispatch(data);
      await queue.deleteMessage(messageId, popReceipt);
    }
    if (receivedMessageItems.length === 0) await pause(clock, waitTimeInSeconds * 1000, signal);
  }
};
