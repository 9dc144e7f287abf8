import { EventHubProducerClient } from '@azure/event-hubs';
import { DefaultAzureCredential } from '@azure/identity';
import { checkHosts } from '@tiphys/outbound';
import { buildPayload, withParameters } from '../parameters/parameters.ts';
import type { EventHubsTrigger } from '../spec/sensor.ts';
import { azureFailure, azureRetries } from '../wire/azure.ts';
import type { Act } from './trigger.ts';

/** Sends an event to an Event Hub. */
export const act: Act = async ({ template, events, signal }, { keys, connections }) => {
  const hub = withParameters(template.azureEventHubs as EventHubsTrigger, template.azureEventHubs?.parameters, events);
  const { fqdn, hubName, sharedAccessKeyName, sharedAccessKey } = hub;
  const target = { system: 'Event Hubs', entity: `hub ${hubName}`, host: fqdn, claim: 'Send' } as const;
  const options = { retryOptions: azureRetries };
  await checkHosts(fqdn);
  const claims =
    sharedAccessKeyName && sharedAccessKey
      ? `SharedAccessKeyName=${(await keys.secret(sharedAccessKeyName)).trim()};SharedAccessKey=${(await keys.secret(sharedAccessKey)).trim()}`
      : undefined;
  const producer = await connections.get(
    `event hubs ${JSON.stringify([fqdn, hubName, claims])}`,
    async () =>
      claims === undefined
        ? new EventHubProducerClient(fqdn, hubName, new DefaultAzureCredential(), options)
        : new EventHubProducerClient(`Endpoint=sb://${fqdn}/;${claims};EntityPath=${hubName}`, options),
    (made) => made.close(),
  );
  const body = Buffer.from(buildPayload(events, hub.payload ?? []) ?? '');
  try {
    await producer.sendBatch([{ body }], { abortSignal: signal });
  } catch (error) {
    throw azureFailure(error, target);
  }
  return `sent ${body.length} bytes to ${hubName}`;
};
