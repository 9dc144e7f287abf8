import { EventHubProducerClient } from '@azure/event-hubs';
import { DefaultAzureCredential } from '@azure/identity';
import { buildPayload, withParameters } from '../parameters/parameters.ts';
import type { EventHubsTrigger } from '../spec/sensor.ts';
import type { Act } from './trigger.ts';

/** Sends an event to an Event Hub. */
export const act: Act = async ({ template, events, signal }, { keys, connections }) => {
  const hub = withParameters(template.azureEventHubs as EventHubsTrigger, template.azureEventHubs?.parameters, events);
  const { fqdn, hubName, sharedAccessKeyName, sharedAccessKey } = hub;
  const producer = await connections.get(
    `event hubs ${JSON.stringify([fqdn, hubName, sharedAccessKeyName, sharedAccessKey])}`,
    async () => {
      if (!sharedAccessKeyName || !sharedAccessKey)
        return new EventHubProducerClient(fqdn, hubName, new DefaultAzureCredential());
      const [name, key] = [await keys.secret(sharedAccessKeyName), await keys.secret(sharedAccessKey)];
      return new EventHubProducerClient(
        `Endpoint=sb://${fqdn}/;SharedAccessKeyName=${name};SharedAccessKey=${key};EntityPath=${hubName}`,
      );
    },
    (made) => made.close(),
  );
  const body = Buffer.from(buildPayload(events, hub.payload ?? []) ?? '');
  await producer.sendBatch([{ body }], { abortSignal: signal });
  return `sent ${body.length} bytes to ${hubName}`;
};
