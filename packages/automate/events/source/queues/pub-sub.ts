import { createHash } from 'node:crypto';
import { type Message, PubSub, type Subscription } from '@google-cloud/pubsub';
import type { KeySelector } from '../../spec/common.ts';
import { bodyOf, eventData, type Metadata } from '../event-data.ts';
import { type Listen, type SourceContext, untilAborted } from '../source.ts';

export interface PubSubSpec {
  readonly projectID?: string;
  readonly topicProjectID?: string;
  readonly topic?: string;
  readonly subscriptionID?: string;
  readonly credentialSecret?: KeySelector;
  readonly deleteSubscriptionOnFinish?: boolean;
  readonly jsonBody?: boolean;
  readonly metadata?: Metadata;
}

export function pubSubProblem({ topic, topicProjectID, subscriptionID }: PubSubSpec): string | undefined {
  if (topicProjectID && !topic) return "you can't specify topicProjectID if you don't specify topic";
  return topic || subscriptionID ? undefined : 'must specify topic or subscriptionID';
}

/** Takes messages of a subscription of Google Pub/Sub, which is made where it is missing. */
export const listen: Listen<PubSubSpec> = async (context, ready) => {
  const { spec, keys, signal } = context;
  const { projectID, credentialSecret, deleteSubscriptionOnFinish } = spec;
  const credentials = credentialSecret
    ? (JSON.parse(await keys.secret(credentialSecret)) as { project_id?: string })
    : undefined;
  const projectId = projectID ?? credentials?.project_id;
  const client = new PubSub({
    ...(projectId ? { projectId } : {}),
    ...(credentials ? { credentials: credentials as object } : {}),
  });
  try {
    const subscription = await subscriptionOf(client, context);
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => undefined);
    subscription.on('error', broken.reject);
    subscription.on('message', (message: Message) => void receive(context, message));
    ready();
    await Promise.race([untilAborted(signal), broken.promise]);
    await subscription.close();
    if (deleteSubscriptionOnFinish && signal.aborted) await subscription.delete();
  } finally {
    await client.close();
  }
};

async function subscriptionOf(client: PubSub, { spec, eventName }: SourceContext<PubSubSpec>): Promise<Subscription> {
  const { topic, topicProjectID, projectID, subscriptionID } = spec;
  const hash = createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 10);
  const subscription = client.subscription(subscriptionID || `${eventName}-${hash}`);
  const [exists] = await subscription.exists();
  if (exists || !topic) return subscription;
  const project = topicProjectID || projectID;
  const source = client.topic(project ? `projects/${project}/topics/${topic}` : topic);
  if ((!topicProjectID || topicProjectID === projectID) && !(await source.exists())[0]) await source.create();
  const [made] = await source.createSubscription(subscription.name);
  return made;
}

async function receive(context: SourceContext<PubSubSpec>, message: Message): Promise<void> {
  const { jsonBody, metadata } = context.spec;
  try {
    const { id, data, attributes, publishTime } = message;
    await context.dispatch(
      eventData({ id, body: bodyOf(data, jsonBody), attributes, publishTime: publishTime.toISOString() }, metadata),
    );
    message.ack();
  } catch (error) {
    context.failed(error);
    message.nack();
  }
}
