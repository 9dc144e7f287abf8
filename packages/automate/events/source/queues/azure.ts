import { EventHubConsumerClient, type EventPosition, earliestEventPosition } from '@azure/event-hubs';
import { DefaultAzureCredential } from '@azure/identity';
import { ServiceBusClient, type ServiceBusReceivedMessage, type ServiceBusReceiver } from '@azure/service-bus';
import { type DequeuedMessageItem, QueueServiceClient } from '@azure/storage-queue';
import { pause } from '@tiphys/kubernetes';
import { checkHosts } from '@tiphys/outbound';
import { eventTime } from '../../event/cloud-event.ts';
import { type AzureTarget, azureFailure, azureRetries, hostOf } from '../../wire/azure.ts';
import { bodyOf, eventData } from '../event-data.ts';
import { type Listen, type SourceContext, untilAborted } from '../source.ts';
import type { EventsHubSpec, QueueStorageSpec, ServiceBusSpec } from './azure-specs.ts';
import { closed } from './closed.ts';
import { take } from './mqtt.ts';

/** The bytes of a body: those of its data, else the JSON of its value. */
function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? null));
}

/** How far each partition is on the bus; kept while the event exists, so that a lost connection leaves nothing out. */
const readPositions = new WeakMap<SourceContext<EventsHubSpec>, Map<string, EventPosition>>();

/** Hears of new events of an Event Hub. */
export const listenEventsHub: Listen<EventsHubSpec> = async (context, ready) => {
  const { spec, keys, signal } = context;
  const { fqdn = '', hubName = '', sharedAccessKeyName, sharedAccessKey } = spec;
  const target = { system: 'Event Hubs', entity: `hub ${hubName}`, host: fqdn, claim: 'Listen' } as const;
  await checkHosts(fqdn);
  const options = { retryOptions: azureRetries };
  const client =
    sharedAccessKeyName && sharedAccessKey
      ? new EventHubConsumerClient(
          '$Default',
          `Endpoint=sb://${fqdn}/;SharedAccessKeyName=${(await keys.secret(sharedAccessKeyName)).trim()};SharedAccessKey=${(await keys.secret(sharedAccessKey)).trim()};EntityPath=${hubName}`,
          options,
        )
      : new EventHubConsumerClient('$Default', fqdn, hubName, new DefaultAzureCredential(), options);
  try {
    await readHub(client, context, ready);
  } catch (error) {
    if (!signal.aborted) throw azureFailure(error, target);
  } finally {
    await closed(client, context.clock);
  }
};

async function readHub(client: EventHubConsumerClient, context: SourceContext<EventsHubSpec>, ready: () => void) {
  const { signal } = context;
  const positions = await positionsOf(client, context);
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  client.subscribe(
    {
      async processEvents(events, { partitionId }) {
        for (const event of events) {
          await take(context, () => hubData(context, event));
          positions.set(partitionId, { offset: event.offset });
        }
      },
      processError: async (error) => broken.reject(error),
    },
    // a connection that is lost is noticed when the wait is over
    { startPosition: Object.fromEntries(positions), skipParsingBodyAsJson: true, maxWaitTimeInSeconds: 2 },
  );
  ready();
  await Promise.race([untilAborted(signal), broken.promise]);
}

/** Where each partition is read on; of one that is new to us what comes from now on. */
async function positionsOf(client: EventHubConsumerClient, context: SourceContext<EventsHubSpec>) {
  const { signal } = context;
  const positions = readPositions.get(context) ?? new Map<string, EventPosition>();
  const { partitionIds } = await client.getEventHubProperties({ abortSignal: signal });
  for (const id of partitionIds) {
    if (positions.has(id)) continue;
    const { isEmpty, lastEnqueuedOffset } = await client.getPartitionProperties(id, { abortSignal: signal });
    positions.set(id, isEmpty ? earliestEventPosition : { offset: lastEnqueuedOffset });
  }
  readPositions.set(context, positions);
  return positions;
}

function hubData(
  { spec }: SourceContext<EventsHubSpec>,
  { messageId, partitionKey, body }: { messageId?: unknown; partitionKey?: string | null; body: unknown },
): string {
  const fields = { id: String(messageId ?? ''), partitionKey: partitionKey ?? '', body: bodyOf(bytesOf(body), false) };
  return eventData(fields, spec.metadata);
}

/** Takes messages of a queue or a subscription of Service Bus. */
export const listenServiceBus: Listen<ServiceBusSpec> = async (context, ready) => {
  const { spec, keys, signal } = context;
  const { connectionString, fullyQualifiedNamespace = '', queueName, topicName = '', subscriptionName = '' } = spec;
  const secret = connectionString ? (await keys.secret(connectionString)).trim() : undefined;
  const host = secret === undefined ? fullyQualifiedNamespace : hostOf(secret);
  const target: AzureTarget = {
    system: 'Service Bus',
    entity: queueName ? `queue ${queueName}` : `subscription ${subscriptionName} of topic ${topicName}`,
    host,
    claim: 'Listen',
  };
  await checkHosts(host);
  const options = { retryOptions: azureRetries };
  const client =
    secret === undefined
      ? new ServiceBusClient(host, new DefaultAzureCredential(), options)
      : new ServiceBusClient(secret, options);
  const how = {
    receiveMode: spec.deferDelete ? 'peekLock' : 'receiveAndDelete',
    // its own JSON would lose how numbers were written
    skipParsingBodyAsJson: true,
    // it renews by the id of a message, which need not have one
    maxAutoLockRenewalDurationInMs: 0,
  } as const;
  const receiver = queueName
    ? client.createReceiver(queueName, how)
    : client.createReceiver(topicName, subscriptionName, how);
  try {
    // asks whether we may read, without taking anything
    await receiver.peekMessages(1, { abortSignal: signal });
    await receive(receiver, context, ready);
  } catch (error) {
    if (!signal.aborted) throw azureFailure(error, target);
  } finally {
    await closed(client, context.clock);
  }
};

async function receive(receiver: ServiceBusReceiver, context: SourceContext<ServiceBusSpec>, ready: () => void) {
  const { signal, clock } = context;
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  let refusals = 0;
  const subscription = receiver.subscribe(
    {
      async processMessage(message) {
        const outcome = await outcomeOf(context, () => serviceBusData(context, message));
        refusals = outcome === 'refused' ? refusals + 1 : 0;
        if (receiver.receiveMode === 'peekLock')
          await (outcome === 'taken' ? receiver.completeMessage(message) : receiver.abandonMessage(message));
        // a queue counts deliveries, and gives up: the bus gets time to come back
        if (outcome === 'refused') await pause(clock, Math.min(30_000, 500 * 2 ** refusals), signal);
      },
      async processError({ error, errorSource }) {
        if (errorSource === 'receive') broken.reject(error);
        // a lock is lost, or could not be given back: it is delivered again
        else context.failed(error);
      },
    },
    { autoCompleteMessages: false, maxConcurrentCalls: 1 },
  );
  ready();
  await Promise.race([untilAborted(signal), broken.promise]);
  await closed(subscription, clock);
}

/** `unreadable` if no event can be made of a message, `refused` if the bus did not take it. */
async function outcomeOf(
  context: SourceContext<unknown>,
  dataOf: () => string,
): Promise<'taken' | 'unreadable' | 'refused'> {
  let data: string;
  try {
    data = dataOf();
  } catch (error) {
    context.failed(error);
    return 'unreadable';
  }
  try {
    await context.dispatch(data);
    return 'taken';
  } catch (error) {
    context.failed(error);
    return 'refused';
  }
}

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
      enqueuedTime: enqueuedTimeUtc ? eventTime(enqueuedTimeUtc.getTime()) : null,
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
  const { connectionString, storageAccountName, queueName = '', waitTimeInSeconds = 3 } = spec;
  const options = {
    retryOptions: { maxTries: azureRetries.maxRetries + 1, retryDelayInMs: azureRetries.retryDelayInMs },
  };
  const service = connectionString
    ? QueueServiceClient.fromConnectionString((await keys.secret(connectionString)).trim(), options)
    : new QueueServiceClient(
        `https://${storageAccountName}.queue.core.windows.net`,
        new DefaultAzureCredential(),
        options,
      );
  const { host } = new URL(service.url);
  await checkHosts(host);
  const queue = service.getQueueClient(queueName);
  try {
    await queue.getProperties({ abortSignal: signal });
    ready();
    while (!signal.aborted) {
      const { receivedMessageItems } = await queue.receiveMessages({
        numberOfMessages: 10,
        visibilityTimeout: 120,
        abortSignal: signal,
      });
      for (const message of receivedMessageItems) {
        const outcome = await outcomeOf(context, () => storedData(context, message));
        // what stays comes again when the queue shows it again
        if (outcome === 'taken' || (outcome === 'unreadable' && !spec.dlq))
          await queue.deleteMessage(message.messageId, message.popReceipt);
      }
      if (receivedMessageItems.length === 0) await pause(clock, waitTimeInSeconds * 1000, signal);
    }
  } catch (error) {
    const entity = `queue ${queueName}`;
    if (!signal.aborted)
      throw azureFailure(error, {
        system: 'Queue Storage',
        entity,
        host,
        claim: 'Storage Queue Data Message Processor',
      });
  }
};

function storedData({ spec }: SourceContext<QueueStorageSpec>, message: DequeuedMessageItem): string {
  const { messageText, messageId, insertedOn } = message;
  if (spec.decodeMessage && !/^[\w+/-]*={0,2}\s*$/.test(messageText))
    throw new Error(`message ${messageId} is no base64, which decodeMessage asks for`);
  const text = spec.decodeMessage ? Buffer.from(messageText, 'base64') : Buffer.from(messageText);
  return eventData(
    {
      body: bodyOf(text, spec.jsonBody),
      messageID: messageId,
      insertionTime: eventTime(insertedOn.getTime()),
    },
    spec.metadata,
  );
}
