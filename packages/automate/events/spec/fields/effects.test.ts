import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldProblems } from './field-problem.ts';

const key = { name: 'n', key: 'k' };
const url = 'http://here';

/** Each part with a field that has no effect, why, and the same where it has one. */
const cases: readonly [string, object, string, RegExp, object | undefined][] = [
  ['Tls', { insecureSkipVerify: true, caCertSecret: key }, 'caCertSecret', /any certificate/, { caCertSecret: key }],
  ['NatsAuth', { basic: {}, token: key }, 'token', /beside basic, which counts/, { token: key }],
  ['NatsAuth', { token: key, credential: key }, 'credential', /beside basic or token or nkey/, { credential: key }],
  ['S3', { bucket: { key: 'a' } }, 'bucket.key', /whole bucket/, { bucket: { name: 'a' } }],
  ['S3Object', { events: ['x'] }, 'events', /object that is read/, { bucket: { key: 'a' } }],
  ['S3Object', { insecure: true, caCertificate: key }, 'caCertificate', /without TLS/, { caCertificate: key }],
  ['WebhookContext', { metadata: { a: 'b' } }, 'metadata', /here$/, { url }],
  ['WebhookSource', { url }, 'url', /no hook is registered/, { metadata: { a: 'b' } }],
  ['CalendarSource', { schedule: '* * * * *', interval: '1s' }, 'interval', /beside schedule/, { interval: '1s' }],
  ['EventPersistence', { catchup: { enabled: true } }, 'catchup', /without configMap/, { configMap: { name: 'a' } }],
  [
    'CatchupConfiguration',
    { maxDuration: '1h' },
    'maxDuration',
    /without enabled/,
    { enabled: true, maxDuration: '1h' },
  ],
  ['WatchPathConfig', { path: 'sub/a' }, 'path', /never matches/, { path: '/a' }],
  ['AmqpSource', { url: 'amqp://h', tls: {} }, 'tls', /without TLS/, { url: 'amqps://h', tls: {} }],
  ['KafkaSource', { partition: '0', consumerGroup: {} }, 'partition', /consumerGroup, which/, { partition: '0' }],
  ['KafkaSource', { schemaRegistry: {} }, 'schemaRegistry', /without jsonBody/, { schemaRegistry: {}, jsonBody: true }],
  ['MqttSource', { url: 'tcp://h', tls: {} }, 'tls', /without TLS/, { url: 'h:8883', tls: {} }],
  ['SnsSource', { accessKey: key }, 'accessKey', /without secretKey/, { accessKey: key, secretKey: key }],
  [
    'SqsSource',
    { sessionToken: key },
    'sessionToken',
    /without accessKey/,
    { accessKey: key, secretKey: key, sessionToken: key },
  ],
  ['GithubSource', { id: 1 }, 'id', /has no effect$/, undefined],
  [
    'GithubSource',
    { events: ['push'] },
    'events',
    /every event that is sent/,
    { events: ['push'], apiToken: key, webhook: { url } },
  ],
  [
    'GitlabSource',
    { groups: ['a'] },
    'groups',
    /no hook is registered/,
    { groups: ['a'], accessToken: key, webhook: { url } },
  ],
  [
    'GerritSource',
    { sslVerify: true },
    'sslVerify',
    /no hook is registered/,
    { sslVerify: true, auth: {}, webhook: { url } },
  ],
  ['BitbucketSource', { projectKey: 'A' }, 'projectKey', /owner and repositorySlug/, undefined],
  ['BitbucketServerSource', { projectKey: 'A' }, 'projectKey', /without repositorySlug/, undefined],
  [
    'BitbucketServerSource',
    { skipBranchRefsChangedOnOpenPR: true },
    'skipBranchRefsChangedOnOpenPR',
    /without accessToken/,
    { skipBranchRefsChangedOnOpenPR: true, accessToken: key },
  ],
  ['SlackSource', { metadata: { a: 'b' } }, 'metadata', /what Slack sends/, undefined],
  ['StorageGridSource', { region: 'x' }, 'region', /has no effect/, undefined],
  [
    'AzureQueueStorageSource',
    { storageAccountName: 'a', connectionString: key },
    'storageAccountName',
    /connectionString/,
    { storageAccountName: 'a' },
  ],
  ['StripeSource', { apiKey: key }, 'apiKey', /without createWebhook/, { apiKey: key, createWebhook: true }],
  ['StripeSource', { webhook: { url } }, 'webhook.url', /no hook/, { webhook: { url }, createWebhook: true }],
  ['RedisSource', { namespace: 'a' }, 'namespace', /without password/, { namespace: 'a', password: key }],
  [
    'PulsarSource',
    { url: 'pulsar://h', tlsTrustCertsSecret: key },
    'tlsTrustCertsSecret',
    /without TLS/,
    { url: 'pulsar+ssl://h', tlsTrustCertsSecret: key },
  ],
  ['ContextFilter', { type: 'a', id: 'b' }, 'id', /not compared/, { type: 'a' }],
  ['DataFilter', { type: 'nubmer' }, 'type', /none of bool, number and string/, { type: 'number' }],
  [
    'DataFilter',
    { type: 'bool', comparator: '!=' },
    'comparator',
    /compared as with =/,
    { type: 'bool', comparator: '=' },
  ],
  [
    'DataFilter',
    { type: 'string', comparator: '>' },
    'comparator',
    /never matches/,
    { type: 'string', comparator: '!=' },
  ],
  ['Transform', { jq: '.', script: 'return event' }, 'script', /beside jq/, { script: 'return event' }],
  [
    'Trigger',
    { retryStrategy: { steps: 3 } },
    'retryStrategy',
    /without atLeastOnce/,
    { retryStrategy: {}, atLeastOnce: true },
  ],
  [
    'Trigger',
    { dlqTrigger: { rateLimit: {} } },
    'dlqTrigger.rateLimit',
    /runs when its trigger has failed/,
    { dlqTrigger: {} },
  ],
  [
    'Trigger',
    { template: { http: {} }, policy: { k8s: {} } },
    'policy.k8s',
    /k8s and argoWorkflow/,
    { template: { k8s: {} }, policy: { k8s: {} } },
  ],
  [
    'Trigger',
    { template: { nats: {} }, policy: { status: {} } },
    'policy.status',
    /http, awsLambda/,
    { template: { http: {} }, policy: { status: {} } },
  ],
  ['Template', { http: {}, k8s: {} }, 'http', /beside k8s/, { http: {} }],
  [
    'Template',
    { conditions: 'a || b', conditionsReset: [{}] },
    'conditionsReset',
    /wait for nothing/,
    { conditions: 'a && b', conditionsReset: [{}] },
  ],
  ['KubernetesTrigger', { group: 'apps' }, 'group', /the object of source/, undefined],
  [
    'KubernetesTrigger',
    { operation: 'update', patchStrategy: 'x' },
    'patchStrategy',
    /without operation: patch/,
    { operation: 'patch', patchStrategy: 'x' },
  ],
  [
    'KubernetesTrigger',
    { liveObject: true },
    'liveObject',
    /without operation: update/,
    { operation: 'update', liveObject: true },
  ],
  ['WorkflowTrigger', { resource: 'workflows' }, 'resource', /the object of source/, undefined],
  ['Artifact', { inline: 'a', resource: {} }, 'resource', /which counts/, { resource: {} }],
  ['GitArtifact', { tag: 'a', branch: 'b' }, 'branch', /beside ref or tag/, { branch: 'b' }],
  ['PayloadEntry', { operation: 'append' }, 'operation', /no value before/, { operation: 'overwrite' }],
  ['ParameterSource', { dataKey: 'a', contextKey: 'b' }, 'contextKey', /beside dataKey/, { contextKey: 'b' }],
  [
    'ParameterSource',
    { dataTemplate: 'a', useRawData: true },
    'useRawData',
    /is a text/,
    { dataKey: 'a', useRawData: true },
  ],
  ['HttpTrigger', { url, tls: {} }, 'tls', /without TLS/, { url: 'https://here', tls: {} }],
  [
    'CustomTrigger',
    { serverNameOverride: 'a' },
    'serverNameOverride',
    /without secure/,
    { serverNameOverride: 'a', secure: true },
  ],
  ['KafkaTrigger', { partition: 1, partitioningKey: 'a' }, 'partition', /partitioningKey/, { partition: 1 }],
  ['SlackThread', { broadcastMessageToChannel: true }, 'broadcastMessageToChannel', /messageAggregationKey/, undefined],
  ['AzureServiceBusTrigger', { topicName: 'a', queueName: 'b' }, 'topicName', /beside queueName/, { topicName: 'a' }],
  ['EmailTrigger', { username: 'a' }, 'username', /without smtpPassword/, { username: 'a', smtpPassword: key }],
  ['NativeStrategy', { replicas: 1 }, 'replicas', /there are 3/, { replicas: 3 }],
  ['NatsConfig', { auth: 'token' }, 'auth', /without accessSecret/, { auth: 'token', accessSecret: key }],
];

describe('fields that have no effect beside others', () => {
  for (const [part, value, field, words, good] of cases)
    it(`${part}: ${field} is told, with what to do${good ? ', and not where it counts' : ''}`, () => {
      const told = (from: object) => fieldProblems(from, part, 'x').filter((each) => each.field === `x.${field}`);
      const [found] = told(value);
      assert.match(found?.text ?? '', words);
      assert.equal(found?.isRefused, false);
      assert.notEqual(found?.remedy, '');
      if (good) assert.deepEqual(told(good), []);
    });
});
