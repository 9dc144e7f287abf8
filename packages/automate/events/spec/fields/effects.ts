import { triggerKinds } from '../sensor.ts';
import { valueAt } from '../value-at.ts';

/** A field that is one of its part, and has no effect beside the others. */
interface Ineffective {
  /** Path inside the part. */
  readonly field: string;
  /** What of it, as the end of a sentence that begins with the field. */
  readonly says: string;
  /** What to do, as the end of a sentence. */
  readonly remedy: string;
}

type Fields = Readonly<Record<string, unknown>>;

interface Rule extends Ineffective {
  /** Whether it is so where the field is given; always where this is absent. */
  readonly when: (part: Fields) => boolean;
}

/** Where upstream leaves a field out in silence, it is told: a rule for each, by the part of the spec. */
export function withoutEffect(part: string, value: object): Ineffective[] {
  const fields = value as Fields;
  return (rules.get(part) ?? []).filter(({ field, when }) => isGiven(valueAt(fields, field)) && when(fields));
}

/** False for what says the same as nothing. */
function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  return !Array.isArray(value) || value.length > 0;
}

const has =
  (...paths: string[]) =>
  (part: Fields) =>
    paths.some((path) => isGiven(valueAt(part, path)));
const hasAll =
  (...paths: string[]) =>
  (part: Fields) =>
    paths.every((path) => isGiven(valueAt(part, path)));
const not = (test: (part: Fields) => boolean) => (part: Fields) => !test(part);
const begins = (path: string, pattern: RegExp) => (part: Fields) => {
  const value = valueAt(part, path);
  return typeof value === 'string' && pattern.test(value);
};
const always = () => true;

function rule(field: string, when: Rule['when'], why: string, remedy: string): Rule {
  return { field, when, says: `has no effect${why && !why.startsWith(':') ? ` ${why}` : why}`, remedy };
}

/** A field that another one is taken instead of. */
const beside = (field: string, ...others: string[]): Rule =>
  rule(field, has(...others), `beside ${others.join(' or ')}, which counts`, 'remove one of them');

/** A field that counts with another one alone. */
const needs = (field: string, other: string, remedy = `set ${other}, or remove it`): Rule =>
  rule(field, not(has(other)), `without ${other}`, remedy);

/** Settings of TLS of an address that is without. */
const plain = (field: string, address: string, pattern: RegExp, secure: string): Rule =>
  rule(field, begins(address, pattern), `with this ${address}, which is without TLS`, `write ${secure}`);

/** What counts for a hook that is registered, where none is. */
const hooked = (field: string, registers: (part: Fields) => boolean, needed: string, more = ''): Rule =>
  rule(field, not(registers), `as no hook is registered${more}`, `set ${needed}, or remove it`);

/** Of values that exclude each other the first counts. */
const firstOf = (...fields: string[]): Rule[] =>
  fields.slice(1).map((field, i) => beside(field, ...fields.slice(0, i + 1)));

const awsKeys = [needs('accessKey', 'secretKey'), needs('secretKey', 'accessKey')];
const allSent = ': every event that is sent is taken';
const noUrl = rule('webhook.url', always, ': no hook is registered at its sender', 'remove it');
const hookMetadata = rule('metadata', always, 'here', 'write it beside webhook');
const bySlug = 'a repository is found by owner and repositorySlug';
const oldForm = ['group', 'version', 'resource'].map((field) =>
  rule(field, always, ': the object of source says it', 'remove it'),
);

const github = (part: Fields) => isGiven(valueAt(part, 'webhook.url')) && has('apiToken', 'githubApp.privateKey')(part);
const gitlab = hasAll('webhook.url', 'accessToken');
const gerrit = hasAll('webhook.url', 'auth');
const bitbucket = (part: Fields) => isGiven(valueAt(part, 'webhook.url')) && has('auth.oauthToken', 'auth.basic')(part);
const bitbucketServer = hasAll('webhook.url', 'accessToken');

const pulsarTls = [
  ...['tls', 'tlsTrustCertsSecret', 'tlsAllowInsecureConnection', 'tlsValidateHostname'].map((field) =>
    plain(field, 'url', /^pulsar:/, 'pulsar+ssl://'),
  ),
  beside('tls.caCertSecret', 'tlsTrustCertsSecret'),
];

const oneTime = (field: string): Rule =>
  rule(field, has('dlqTrigger'), ': it runs when its trigger has failed, at once', 'remove it');

const rules: ReadonlyMap<string, readonly Rule[]> = new Map([
  // what several kinds have
  [
    'Tls',
    [
      rule(
        'caCertSecret',
        has('insecureSkipVerify'),
        'with insecureSkipVerify, which takes any certificate',
        'remove one of them',
      ),
    ],
  ],
  ['NatsAuth', firstOf('basic', 'token', 'nkey', 'credential')],
  [
    'S3',
    [
      rule('bucket.key', always, ': events are those of the whole bucket', 'set filter.prefix'),
      rule('caCertificate', has('insecure'), 'with insecure: true, which is without TLS', 'remove one of them'),
    ],
  ],
  [
    'S3Object',
    [
      ...['events', 'filter', 'metadata'].map((field) => rule(field, always, 'on an object that is read', 'remove it')),
      rule('caCertificate', has('insecure'), 'with insecure: true, which is without TLS', 'remove one of them'),
    ],
  ],
  // event sources
  ['WebhookContext', [hookMetadata]],
  ['WebhookSource', [rule('url', always, ': no hook is registered at a sender', 'remove it')]],
  ['CalendarSource', [beside('interval', 'schedule')]],
  ['EventPersistence', [needs('catchup', 'configMap', 'set configMap, which remembers the last time')]],
  ['CatchupConfiguration', [needs('maxDuration', 'enabled', 'set enabled: true')]],
  [
    'WatchPathConfig',
    [
      {
        field: 'path',
        when: begins('path', /[^/]\/[^/]/),
        says: 'never matches: files of subfolders are not watched',
        remedy: 'set directory to the subfolder',
      },
    ],
  ],
  [
    'AmqpSource',
    [
      plain('tls', 'url', /^amqp:/, 'amqps://'),
      ...['exchangeDeclare', 'queueBind'].map((field) =>
        rule(
          field,
          not(has('exchangeName')),
          'without exchangeName: the default exchange is there',
          'set exchangeName',
        ),
      ),
    ],
  ],
  ['KafkaSource', [beside('partition', 'consumerGroup'), needs('schemaRegistry', 'jsonBody', 'set jsonBody: true')]],
  ['MqttSource', [plain('tls', 'url', /^(?:tcp|mqtt|ws):/, 'ssl:// or wss://')]],
  ['EmitterSource', [plain('tls', 'broker', /^(?:tcp|mqtt|ws):/, 'ssl:// or wss://')]],
  ['SnsSource', awsKeys],
  [
    'SqsSource',
    [
      ...awsKeys,
      rule(
        'sessionToken',
        not(hasAll('accessKey', 'secretKey')),
        'without accessKey and secretKey',
        'set them, or remove it',
      ),
    ],
  ],
  [
    'GithubSource',
    [
      rule('id', always, '', 'remove it'),
      beside('githubApp', 'apiToken'),
      ...['owner', 'repository'].map((field) => beside(field, 'repositories', 'organizations')),
      hooked('events', github, 'apiToken or githubApp, and webhook.url', allSent),
      ...['deleteHookOnFinish', 'active', 'insecure', 'contentType'].map((field) =>
        hooked(field, github, 'apiToken or githubApp, and webhook.url'),
      ),
    ],
  ],
  [
    'GitlabSource',
    [
      beside('projectID', 'projects'),
      hooked('events', gitlab, 'accessToken and webhook.url', allSent),
      ...['projectID', 'projects', 'groups', 'deleteHookOnFinish', 'enableSSLVerification'].map((field) =>
        hooked(field, gitlab, 'accessToken and webhook.url'),
      ),
    ],
  ],
  [
    'GerritSource',
    ['deleteHookOnFinish', 'sslVerify', 'maxTries', 'hookName'].map((field) =>
      hooked(field, gerrit, 'auth and webhook.url'),
    ),
  ],
  [
    'BitbucketSource',
    [
      rule('projectKey', always, `: ${bySlug}`, 'remove it'),
      beside('owner', 'repositories'),
      beside('repositorySlug', 'repositories'),
      beside('auth.basic', 'auth.oauthToken'),
      hooked('events', bitbucket, 'auth and webhook.url', allSent),
      hooked('deleteHookOnFinish', bitbucket, 'auth and webhook.url'),
    ],
  ],
  [
    'BitbucketServerSource',
    [
      needs('projectKey', 'repositorySlug'),
      needs('repositorySlug', 'projectKey'),
      beside('projectKey', 'repositories'),
      beside('repositorySlug', 'repositories'),
      needs('skipBranchRefsChangedOnOpenPR', 'accessToken'),
      hooked('events', bitbucketServer, 'accessToken and webhook.url', allSent),
      ...['projects', 'repositories', 'deleteHookOnFinish', 'checkInterval'].map((field) =>
        hooked(field, bitbucketServer, 'accessToken and webhook.url'),
      ),
      plain('tls', 'bitbucketserverBaseURL', /^http:/, 'https://'),
    ],
  ],
  ['SlackSource', [rule('metadata', always, ': the event is what Slack sends', 'remove it')]],
  [
    'StorageGridSource',
    [
      rule('region', always, ': the tenant of apiURL says it', 'remove it'),
      plain('tls', 'apiURL', /^http:/, 'https://'),
    ],
  ],
  ['AzureServiceBusSource', [beside('fullyQualifiedNamespace', 'connectionString')]],
  ['AzureQueueStorageSource', [beside('storageAccountName', 'connectionString')]],
  [
    'StripeSource',
    [
      needs('apiKey', 'createWebhook', 'set createWebhook: true, or remove it'),
      { ...noUrl, when: not(has('createWebhook')), remedy: 'set createWebhook: true, or remove it' },
    ],
  ],
  ['RedisSource', [needs('namespace', 'password', 'remove it: it is where the Secret of password is')]],
  ['PulsarSource', pulsarTls],
  // sensors
  ['Dependency', [needs('filtersLogicalOperator', 'filters')]],
  ['Filters', [needs('dataLogicalOperator', 'data'), needs('exprLogicalOperator', 'exprs')]],
  [
    'ContextFilter',
    ['id', 'specversion', 'time'].map((field) =>
      rule(field, always, ': it is not compared', 'use type, subject, source or datacontenttype, or remove it'),
    ),
  ],
  [
    'DataFilter',
    [
      {
        field: 'type',
        when: (part) => !['bool', 'number', 'string'].includes(String(part['type'])),
        says: 'is none of bool, number and string, so that no event passes',
        remedy: 'write one of them',
      },
      rule(
        'comparator',
        (part) => part['type'] === 'bool' && part['comparator'] !== '=',
        'with type bool, whose values are compared as with =',
        'name the value that is wanted',
      ),
      {
        field: 'comparator',
        when: (part) => part['type'] === 'string' && !['=', '!='].includes(String(part['comparator'])),
        says: 'never matches with type string, which knows = and != alone',
        remedy: 'set type: number, or write = or !=',
      },
    ],
  ],
  ['Transform', [beside('script', 'jq')]],
  [
    'Trigger',
    [
      needs('retryStrategy', 'atLeastOnce', 'set atLeastOnce: true'),
      ...['dlqTrigger.rateLimit', 'dlqTrigger.template.conditions', 'dlqTrigger.template.conditionsReset'].map(oneTime),
      rule(
        'policy.k8s',
        not(has('template.k8s', 'template.argoWorkflow')),
        'on this type of trigger: it counts for k8s and argoWorkflow',
        'remove it',
      ),
      rule(
        'policy.k8s',
        (part) => valueAt(part, 'template.k8s.operation') === 'delete',
        'on an object that is deleted',
        'remove it',
      ),
      rule(
        'policy.status',
        not(has('template.http', 'template.awsLambda', 'template.openWhisk')),
        'on this type of trigger: it counts for http, awsLambda and openWhisk',
        'remove it',
      ),
    ],
  ],
  ['RateLimit', [needs('unit', 'requestsPerUnit')]],
  [
    'Template',
    [
      ...firstOf(...triggerKinds),
      rule(
        'conditionsReset',
        (part) => isGiven(part['conditions']) && !String(part['conditions']).includes('&'),
        'on conditions that wait for nothing',
        'remove it',
      ),
    ],
  ],
  [
    'KubernetesTrigger',
    [
      ...oldForm,
      rule(
        'patchStrategy',
        (part) => part['operation'] !== 'patch',
        'without operation: patch',
        'set operation: patch',
      ),
      rule(
        'liveObject',
        (part) => part['operation'] !== 'update',
        'without operation: update',
        'set operation: update',
      ),
    ],
  ],
  ['WorkflowTrigger', oldForm],
  ['Artifact', firstOf('s3', 'inline', 'file', 'url', 'git', 'configmap', 'resource')],
  [
    'GitArtifact',
    [
      rule('url', has('remote.urls'), 'beside remote.urls, whose first is read', 'remove one of them'),
      rule('remote.name', always, ': remote is read by its address', 'remove it'),
      beside('branch', 'ref', 'tag'),
      beside('tag', 'ref'),
    ],
  ],
  [
    'PayloadEntry',
    [
      rule(
        'operation',
        (part) => part['operation'] !== 'overwrite',
        'here: what is built of events has no value before',
        'remove it, or join the values in a dataTemplate',
      ),
    ],
  ],
  [
    'ParameterSource',
    [
      ...['contextKey', 'contextTemplate'].map((field) => beside(field, 'dataKey', 'dataTemplate')),
      rule(
        'useRawData',
        not(has('dataKey', 'contextKey')),
        'without dataKey: everything else is a text',
        'set dataKey',
      ),
    ],
  ],
  ['AwsLambdaTrigger', awsKeys],
  ['HttpTrigger', [plain('tls', 'url', /^http:/, 'https://')]],
  [
    'CustomTrigger',
    [needs('certSecret', 'secure', 'set secure: true'), needs('serverNameOverride', 'secure', 'set secure: true')],
  ],
  ['KafkaTrigger', [beside('partition', 'partitioningKey')]],
  ['SlackThread', [needs('broadcastMessageToChannel', 'messageAggregationKey')]],
  [
    'AzureEventHubsTrigger',
    [needs('sharedAccessKeyName', 'sharedAccessKey'), needs('sharedAccessKey', 'sharedAccessKeyName')],
  ],
  [
    'AzureServiceBusTrigger',
    [
      rule('subscriptionName', always, ': a topic gives a message to each of its subscriptions', 'remove it'),
      beside('topicName', 'queueName'),
    ],
  ],
  ['EmailTrigger', [needs('username', 'smtpPassword'), needs('smtpPassword', 'username')]],
  ['PulsarTrigger', pulsarTls],
  // buses
  [
    'NativeStrategy',
    [
      {
        field: 'replicas',
        when: (part) => Number(part['replicas']) < 3,
        says: 'is less than 3, and there are 3',
        remedy: 'write 3, or use jetstream, which may have 1',
      },
    ],
  ],
  [
    'NatsConfig',
    [
      rule(
        'auth',
        (part) => part['auth'] === 'token' && !isGiven(part['accessSecret']),
        'without accessSecret',
        'set accessSecret',
      ),
    ],
  ],
]);
