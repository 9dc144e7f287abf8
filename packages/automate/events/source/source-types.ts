import type { SpecProblem } from '../spec/spec-problem.ts';
import type { Listen } from './source.ts';

/** A type of event source as it is loaded, with the clients that it needs. */
interface Loaded {
  /** What is wrong with the spec of an event; undefined if nothing. */
  readonly problem: (spec: never) => SpecProblem | undefined;
  readonly listen: Listen<never>;
}

export interface SourceType {
  /** The `type` of its events. */
  readonly eventType: string;
  /** Only one replica may listen; the others wait for it to go. */
  readonly isExclusive: boolean;
  /** `filter.expression` drops events before the bus. */
  readonly hasExpression: boolean;
  /** Called only when a spec asks for the type. */
  readonly load: () => Promise<Loaded>;
}

const loaded = (problem: unknown, listen: unknown) => ({ problem, listen }) as Loaded;
const type = (eventType: string, isExclusive: boolean, load: () => Promise<Loaded>): SourceType => ({
  eventType,
  isExclusive,
  // of these `filter` is another thing, or there is none
  hasExpression: !['minio', 'resource', 'storagegrid', 'stripe'].includes(eventType),
  load,
});

/** Every type, by its key in the spec. */
export const sourceTypes: ReadonlyMap<string, SourceType> = new Map<string, SourceType>([
  [
    'amqp',
    type('amqp', true, async () => {
      const found = await import('./queues/amqp.ts');
      return loaded(found.amqpProblem, found.listen);
    }),
  ],
  [
    'azureEventsHub',
    type('azureEventsHub', true, async () => {
      const [specs, clients] = await Promise.all([import('./queues/azure-specs.ts'), import('./queues/azure.ts')]);
      return loaded(specs.eventsHubProblem, clients.listenEventsHub);
    }),
  ],
  [
    'azureQueueStorage',
    type('azureQueueStorage', false, async () => {
      const [specs, clients] = await Promise.all([import('./queues/azure-specs.ts'), import('./queues/azure.ts')]);
      return loaded(specs.queueStorageProblem, clients.listenQueueStorage);
    }),
  ],
  [
    'azureServiceBus',
    type('azureServiceBus', true, async () => {
      const [specs, clients] = await Promise.all([import('./queues/azure-specs.ts'), import('./queues/azure.ts')]);
      return loaded(specs.serviceBusProblem, clients.listenServiceBus);
    }),
  ],
  [
    'bitbucket',
    type('bitbucket', false, async () => {
      const found = await import('./hooks/bitbucket.ts');
      return loaded(found.bitbucketProblem, found.listen);
    }),
  ],
  [
    'bitbucketserver',
    type('bitbucketserver', false, async () => {
      const found = await import('./hooks/bitbucket-server.ts');
      return loaded(found.bitbucketServerProblem, found.listen);
    }),
  ],
  [
    'calendar',
    type('calendar', true, async () => {
      const found = await import('./calendar.ts');
      return loaded(found.calendarProblem, found.listen);
    }),
  ],
  [
    'emitter',
    type('emitter', true, async () => {
      const found = await import('./queues/mqtt.ts');
      return loaded(found.emitterProblem, found.listenEmitter);
    }),
  ],
  [
    'file',
    type('file', true, async () => {
      const found = await import('./files/file.ts');
      return loaded(found.fileProblem, found.listen);
    }),
  ],
  [
    'generic',
    type('generic', true, async () => {
      const found = await import('./queues/generic.ts');
      return loaded(found.genericProblem, found.listen);
    }),
  ],
  [
    'gerrit',
    type('gerrit', false, async () => {
      const found = await import('./hooks/gerrit.ts');
      return loaded(found.gerritProblem, found.listen);
    }),
  ],
  [
    'github',
    type('github', false, async () => {
      const found = await import('./hooks/github.ts');
      return loaded(found.githubProblem, found.listen);
    }),
  ],
  [
    'gitlab',
    type('gitlab', false, async () => {
      const found = await import('./hooks/gitlab.ts');
      return loaded(found.gitlabProblem, found.listen);
    }),
  ],
  [
    'hdfs',
    type('hdfs', true, async () => {
      const found = await import('./files/hdfs.ts');
      return loaded(found.hdfsProblem, found.listen);
    }),
  ],
  [
    'kafka',
    type('kafka', true, async () => {
      const found = await import('./queues/kafka.ts');
      return loaded(found.kafkaProblem, found.listen);
    }),
  ],
  [
    'minio',
    type('minio', true, async () => {
      const found = await import('./files/minio.ts');
      return loaded(found.minioProblem, found.listen);
    }),
  ],
  [
    'mns',
    type('mns', false, async () => {
      const found = await import('./queues/mns.ts');
      return loaded(found.mnsProblem, found.listen);
    }),
  ],
  [
    'mqtt',
    type('mqtt', true, async () => {
      const found = await import('./queues/mqtt.ts');
      return loaded(found.mqttProblem, found.listen);
    }),
  ],
  [
    'nats',
    type('nats', true, async () => {
      const found = await import('./queues/nats.ts');
      return loaded(found.natsProblem, found.listen);
    }),
  ],
  [
    'nsq',
    type('nsq', true, async () => {
      const found = await import('./queues/nsq.ts');
      return loaded(found.nsqProblem, found.listen);
    }),
  ],
  [
    'pubSub',
    type('pubsub', true, async () => {
      const found = await import('./queues/pub-sub.ts');
      return loaded(found.pubSubProblem, found.listen);
    }),
  ],
  [
    'pulsar',
    type('pulsar', true, async () => {
      const found = await import('./queues/pulsar.ts');
      return loaded(found.pulsarProblem, found.listen);
    }),
  ],
  [
    'redis',
    type('redis', true, async () => {
      const found = await import('./queues/redis.ts');
      return loaded(found.redisProblem, found.listen);
    }),
  ],
  [
    'redisStream',
    type('redisStream', true, async () => {
      const found = await import('./queues/redis.ts');
      return loaded(found.redisStreamProblem, found.listenStreams);
    }),
  ],
  [
    'resource',
    type('resource', true, async () => {
      const found = await import('./resource.ts');
      return loaded(found.resourceProblem, found.listen);
    }),
  ],
  [
    'sftp',
    type('sftp', true, async () => {
      const found = await import('./files/sftp.ts');
      return loaded(found.sftpProblem, found.listen);
    }),
  ],
  [
    'slack',
    type('slack', false, async () => {
      const found = await import('./hooks/slack.ts');
      return loaded(found.slackProblem, found.listen);
    }),
  ],
  [
    'sns',
    type('sns', false, async () => {
      const found = await import('./hooks/aws-sns.ts');
      return loaded(found.snsProblem, found.listen);
    }),
  ],
  [
    'sqs',
    type('sqs', false, async () => {
      const found = await import('./queues/aws-sqs.ts');
      return loaded(found.sqsProblem, found.listen);
    }),
  ],
  [
    'storageGrid',
    type('storagegrid', false, async () => {
      const found = await import('./hooks/storage-grid.ts');
      return loaded(found.storageGridProblem, found.listen);
    }),
  ],
  [
    'stripe',
    type('stripe', false, async () => {
      const found = await import('./hooks/stripe.ts');
      return loaded(found.stripeProblem, found.listen);
    }),
  ],
  [
    'webhook',
    type('webhook', false, async () => {
      const [route, found] = await Promise.all([import('./hooks/webhook-route.ts'), import('./hooks/webhook.ts')]);
      return loaded(route.webhookProblem, found.listen);
    }),
  ],
]);
