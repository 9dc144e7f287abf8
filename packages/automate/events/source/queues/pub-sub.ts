import { type ClientConfig, type Message, PubSub, type Subscription } from '@google-cloud/pubsub';
import { diagnosisOf } from '@tiphys/diagnosis';
import { fnv32a } from '@tiphys/go';
import { checkHosts } from '@tiphys/outbound';
import { goJson, goMapJson } from '../../json/go-json.ts';
import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem, wrong } from '../../spec/spec-problem.ts';
import { type GoogleKey, googleCode, googleCodes, googleFailure, googleKey } from '../../wire/google.ts';
import { bodyOf, eventData, type Metadata, RawJson } from '../event-data.ts';
import { type Listen, type SourceContext, untilAborted } from '../source.ts';
import { closed } from './closed.ts';

export interface PubSubSpec {
  readonly projectID?: string;
  readonly topicProjectID?: string;
  readonly topic?: string;
  readonly subscriptionID?: string;
  readonly credentialSecret?: KeySelector;
  readonly deleteSubscriptionOnFinish?: boolean;
  readonly jsonBody?: boolean;
  readonly metadata?: Metadata;
  readonly filter?: { readonly expression?: string };
}

export function pubSubProblem({ topic, topicProjectID, subscriptionID }: PubSubSpec): SpecProblem | undefined {
  if (topicProjectID && !topic)
    return wrong(
      'topicProjectID',
      "you can't specify topicProjectID if you don't specify topic",
      'Set topic, or remove it',
    );
  return topic || subscriptionID ? undefined : missing('topic', 'must specify topic or subscriptionID');
}

/** One question each: what lasts longer is reported, and tried again by who called. */
const once = { timeout: 20_000, retry: null };

/** Takes messages of a subscription of Google Pub/Sub, which is made where it is missing. */
export const listen: Listen<PubSubSpec> = async (context, ready) => {
  const { spec, keys, signal, clock } = context;
  const key = spec.credentialSecret ? googleKey(await keys.secret(spec.credentialSecret)) : undefined;
  const client = new PubSub(optionsOf(spec, key));
  const host = hostOf(client, key);
  await checkHosts(host);
  try {
    const place = { client, host, context, projectID: await projectOf(client, spec) };
    const stopped = untilAborted(signal).then(() => undefined);
    const subscription = await Promise.race([stopped, subscriptionOf(place)]);
    if (subscription) await receive(subscription, place, ready);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await closed(client, clock);
  }
};

interface Place {
  readonly client: PubSub;
  readonly host: string;
  readonly projectID: string;
  readonly context: SourceContext<PubSubSpec>;
}

function optionsOf({ projectID }: PubSubSpec, key: GoogleKey | undefined): ClientConfig {
  const projectId = projectID || key?.project_id;
  return {
    ...(projectId ? { projectId } : {}),
    ...(key ? { credentials: key } : {}),
    ...(key?.universe_domain ? { universeDomain: key.universe_domain } : {}),
  };
}

function hostOf({ options }: PubSub, key: GoogleKey | undefined): string {
  const { servicePath, port } = options;
  if (servicePath) return port ? `${servicePath}:${port}` : servicePath;
  return `pubsub.${key?.universe_domain ?? 'googleapis.com'}`;
}

async function projectOf(client: PubSub, { projectID }: PubSubSpec): Promise<string> {
  if (projectID) return projectID;
  try {
    return (await client.getClientConfig()).projectId || '';
  } catch (error) {
    throw new Error(
      `projectID is missing, and neither credentialSecret nor the metadata server names a project: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/**
 * The subscription's name where the spec has none: that of upstream, so that anyone who changes over reads on where its pod stopped. It is a
 * hash of the JSON that Go writes of the spec with its defaults.
 */
function generatedName(eventName: string, spec: PubSubSpec, projectID: string): string {
  const { topic = '', credentialSecret, deleteSubscriptionOnFinish, jsonBody, metadata, filter } = spec;
  const { name, key, optional } = (credentialSecret ?? {}) as KeySelector & { optional?: boolean };
  const json = goJson({
    projectID,
    topicProjectID: spec.topicProjectID || (topic ? projectID : ''),
    topic,
    subscriptionID: '',
    ...(credentialSecret
      ? { credentialSecret: { ...(name ? { name } : {}), key, ...(optional === undefined ? {} : { optional }) } }
      : {}),
    ...(deleteSubscriptionOnFinish ? { deleteSubscriptionOnFinish } : {}),
    ...(jsonBody ? { jsonBody } : {}),
    ...(metadata && Object.keys(metadata).length > 0 ? { metadata: JSON.parse(goMapJson(metadata)) as object } : {}),
    ...(filter ? { filter: filter.expression ? { expression: filter.expression } : {} } : {}),
  });
  return `${eventName}-${fnv32a(eventName + json)}`;
}

/** The subscription that is to be read; made, as its topic is, where there is none. */
async function subscriptionOf(place: Place): Promise<Subscription> {
  const { client, projectID, context } = place;
  const { topic, topicProjectID, subscriptionID } = context.spec;
  const id = subscriptionID || generatedName(context.eventName, context.spec, projectID);
  const subscription = client.subscription(`projects/${projectID}/subscriptions/${id}`);
  const entity = `subscription ${subscription.name}`;
  const isThere = await attempt(place, entity, 'pubsub.subscriptions.consume', () => exists(subscription, place));
  if (!topic) {
    if (isThere) return subscription;
    throw googleFailure(
      { code: googleCodes.notFound, details: 'no topic is given from which it could be made' },
      { entity, host: place.host, permission: '' },
    );
  }
  const topicName = `projects/${topicProjectID || projectID}/topics/${topic}`;
  const known = isThere || !(await makeSubscription(place, subscription, topicName));
  if (known) await verifyTopic(place, subscription, topicName);
  return subscription;
}

/** Whether it exists; the right to read from it is asked for, which needs no right to look at it. */
async function exists(subscription: Subscription, { host }: Place): Promise<boolean> {
  try {
    const [granted] = await subscription.iam.testPermissions(['pubsub.subscriptions.consume'], once);
    if (Object.values(granted).every(Boolean)) return true;
  } catch (error) {
    if (googleCode(error) === googleCodes.notFound) return false;
    // emulators know of no permissions
    if (googleCode(error) !== googleCodes.unimplemented) throw error;
    return isFound(() => subscription.getMetadata(once));
  }
  throw googleFailure(
    { code: googleCodes.permissionDenied, details: 'you lack permission to pull from it' },
    { entity: `subscription ${subscription.name}`, host, permission: 'pubsub.subscriptions.consume' },
  );
}

async function isFound(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    if (googleCode(error) === googleCodes.notFound) return false;
    throw error;
  }
}

/** Makes the subscription, and the topic where that is missing. False if the subscription is there already. */
async function makeSubscription(place: Place, subscription: Subscription, topicName: string): Promise<boolean> {
  const topic = place.client.topic(topicName);
  const make = async () => {
    try {
      await topic.createSubscription(subscription.name, { gaxOpts: once });
      return true;
    } catch (error) {
      if (googleCode(error) === googleCodes.alreadyExists) return false;
      throw error;
    }
  };
  const entity = `topic ${topicName}`;
  try {
    return await make();
  } catch (error) {
    if (googleCode(error) !== googleCodes.notFound)
      throw googleFailure(error, {
        entity: `${entity} for subscription ${subscription.name}`,
        host: place.host,
        permission: 'pubsub.subscriptions.create on the project, and pubsub.topics.attachSubscription',
      });
  }
  await attempt(place, entity, 'pubsub.topics.create on the project, which is needed', async () => {
    try {
      await topic.create(once);
    } catch (error) {
      if (googleCode(error) !== googleCodes.alreadyExists) throw error;
    }
  });
  return attempt(place, `${entity} for subscription ${subscription.name}`, 'pubsub.topics.attachSubscription', make);
}

async function verifyTopic(place: Place, subscription: Subscription, topicName: string): Promise<void> {
  const entity = `subscription ${subscription.name}`;
  const [{ topic }] = await attempt(place, entity, 'pubsub.subscriptions.get', () => subscription.getMetadata(once));
  if (topic === '_deleted-topic_')
    throw new Error(`the topic of ${entity} has been deleted; make the subscription anew`);
  if (topic !== topicName)
    throw new Error(`${entity} belongs to topic ${topic}, wanted ${topicName}; correct topic or subscriptionID`);
}

async function attempt<T>(place: Place, entity: string, permission: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw googleFailure(error, { entity, host: place.host, permission });
  }
}

async function receive(subscription: Subscription, place: Place, ready: () => void): Promise<void> {
  const { signal, spec, clock } = place.context;
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  subscription.on('error', (error) =>
    broken.reject(
      googleFailure(error, {
        entity: `subscription ${subscription.name}`,
        host: place.host,
        permission: 'pubsub.subscriptions.consume',
      }),
    ),
  );
  const inOrder = new Map<string, Promise<void>>();
  subscription.on('message', (message: Message) => {
    const { orderingKey } = message;
    if (!orderingKey) {
      void take(place.context, message);
      return;
    }
    const taken = (inOrder.get(orderingKey) ?? Promise.resolve()).then(() => take(place.context, message));
    inOrder.set(orderingKey, taken);
    void taken.finally(() => {
      if (inOrder.get(orderingKey) === taken) inOrder.delete(orderingKey);
    });
  });
  ready();
  try {
    await Promise.race([untilAborted(signal), broken.promise]);
  } finally {
    await closed(subscription, clock);
  }
  if (spec.deleteSubscriptionOnFinish)
    await subscription.delete(once).catch((error: unknown) =>
      place.context.log('error', 'failed to delete the PubSub subscription', {
        error: diagnosisOf(error).message,
      }),
    );
}

/** Acknowledges a message when it is on the bus; what is not comes again. */
async function take(context: SourceContext<PubSubSpec>, message: Message): Promise<void> {
  const { jsonBody, metadata } = context.spec;
  try {
    const { id, data, attributes, publishTime } = message;
    const fields = {
      id,
      body: bodyOf(data, jsonBody),
      attributes: Object.keys(attributes).length > 0 ? new RawJson(goMapJson(attributes)) : null,
      publishTime: goUtc(publishTime.toISOString()),
    };
    await context.dispatch(eventData(fields, metadata));
    message.ack();
  } catch (error) {
    context.failed(error);
    message.nack();
  }
}

/** `2026-01-02T03:04:05.120000000Z` as Go's `time.String` writes it. */
function goUtc(text: string): string {
  const [, day, time, fraction = ''] = /^([\d-]+)T([\d:]+)(\.\d+)?Z$/.exec(text) ?? [];
  return `${day} ${time}${fraction.replace(/\.?0+$/, '')} +0000 UTC`;
}
