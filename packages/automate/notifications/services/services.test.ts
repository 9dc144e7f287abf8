import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { Destination, JsonMap, Notification } from '../model/notification.ts';
import { type Received, Receiver } from '../testing/receiver.ts';
import { Http } from './http.ts';
import { serviceTypes } from './index.ts';
import type { Thread, Threads } from './service.ts';

class MemoryThreads implements Threads {
  readonly known = new Map<string, Thread>();
  async get(recipient: string, group: string): Promise<Thread | undefined> {
    return this.known.get(`${recipient} ${group}`);
  }
  async put(recipient: string, group: string, thread: Thread): Promise<void> {
    this.known.set(`${recipient} ${group}`, thread);
  }
}

/** A service whose requests all go to one receiver, whatever host they are for. */
async function bench(
  t: TestContext,
  type: string,
  options: (url: string) => JsonMap,
  env: (url: string) => Record<string, string> = () => ({}),
) {
  const receiver = await Receiver.start();
  const http = new Http({
    env: {},
    route: (url) => (url.startsWith(receiver.url) ? url : receiver.url + new URL(url).pathname + new URL(url).search),
  });
  t.after(async () => {
    await http.close();
    await receiver.close();
  });
  const factory = serviceTypes.get(type);
  assert.ok(factory);
  const send = factory(options(receiver.url));
  const threads = new MemoryThreads();
  const tell = (notification: Partial<Notification>, destination: Partial<Destination> = {}): Promise<void> =>
    send(
      { message: 'hello', sections: {}, ...notification },
      { service: type, recipient: 'team', ...destination },
      {
        id: 'notification-1',
        http,
        threads,
        env: env(new URL(receiver.url).host),
        now: () => Date.parse('2026-01-02T03:04:05Z'),
        signal: AbortSignal.timeout(60_000),
      },
    );
  const json = (index = -1): unknown => JSON.parse(receiver.received.at(index)?.body ?? 'null');
  return { receiver, tell, json, threads };
}

async function refusalOf(attempt: Promise<void>): Promise<DiagnosisError> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof DiagnosisError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('there are the 21 services of Argo CD', () => {
  assert.equal(serviceTypes.size, 21);
});

test('webhook: method, path, body, headers, and an id for the repetition', async (t) => {
  const { receiver, tell } = await bench(t, 'webhook', (url) => ({
    url: `${url}/base/`,
    headers: [{ name: 'X-Own', value: 'yes' }],
    basicAuth: { username: 'u', password: 'p' },
  }));
  await tell(
    { sections: { webhook: { hook: { method: 'PUT', path: '/sub', body: '{"a": 1}' } } } },
    { service: 'hook' },
  );
  const [request] = receiver.received as [Received];
  assert.deepEqual([request.method, request.path, request.body], ['PUT', '/base/sub', '{"a": 1}']);
  assert.equal(request.headers['x-own'], 'yes');
  assert.equal(request.headers.authorization, 'Basic dTpw');
  assert.equal(request.headers['idempotency-key'], 'notification-1');
  await tell({}, { service: 'other' });
  assert.equal(receiver.received[1]?.method, 'GET');
  receiver.answers(() => ({ status: 429, headers: { 'retry-after': '7' }, body: 'slow down' }));
  const refused = await refusalOf(tell({}));
  assert.equal(refused.diagnosis.code, 'NotificationRefused');
  assert.equal(refused.retryAfter, 7000);
});

test('a receiver that is not there is told by host, never by the whole URL', async (t) => {
  const { receiver, tell } = await bench(t, 'googlechat', (url) => ({
    webhooks: { team: `${url}/v1/x?key=marker-key` },
  }));
  await receiver.close();
  const refused = await refusalOf(tell({}));
  assert.equal(refused.diagnosis.code, 'NotificationReceiverUnreachable');
  assert.ok(!JSON.stringify(refused.diagnosis).includes('marker-key'));
});

test('slack: messages, threads by grouping key, updates, icons, and its errors', async (t) => {
  const { receiver, tell, json, threads } = await bench(t, 'slack', (url) => ({
    token: 'xoxb',
    apiURL: `${url}/api`,
    username: 'bot',
    disableUnfurl: true,
  }));
  receiver.answers(() => ({ body: { ok: true, ts: '1.5', channel: 'C1' } }));
  const section = (more: JsonMap): Partial<Notification> => ({
    sections: {
      slack: {
        groupingKey: 'g',
        attachments: '[{"title": "a"}]',
        blocks: '[{"type": "divider"}]',
        icon: ':x:',
        ...more,
      },
    },
  });
  await tell(section({}));
  assert.equal(receiver.received[0]?.path, '/api/chat.postMessage');
  assert.equal(receiver.received[0]?.headers.authorization, 'Bearer xoxb');
  assert.deepEqual(json(), {
    channel: 'team',
    text: 'hello',
    username: 'bot',
    icon_emoji: ':x:',
    attachments: [{ title: 'a' }],
    blocks: [{ type: 'divider' }],
    unfurl_links: false,
    unfurl_media: false,
  });
  assert.deepEqual(threads.known.get('team g'), { timestamp: '1.5', channel: 'C1' });
  await tell(section({ notifyBroadcast: true }));
  assert.deepEqual([(json() as JsonMap).thread_ts, (json() as JsonMap).reply_broadcast], ['1.5', true]);
  await tell(section({ deliveryPolicy: 'Update' }));
  assert.equal(receiver.received.at(-1)?.path, '/api/chat.update');
  assert.deepEqual([(json() as JsonMap).channel, (json() as JsonMap).ts], ['C1', '1.5']);
  await tell(section({ deliveryPolicy: 'PostAndUpdate' }));
  assert.deepEqual(
    receiver.received.slice(-2).map(({ path }) => path),
    ['/api/chat.postMessage', '/api/chat.update'],
  );
  receiver.answers(() => ({ body: { ok: false, error: 'invalid_auth' } }));
  assert.equal((await refusalOf(tell({}))).diagnosis.code, 'NotificationCredentialsRefused');
  const broken = await refusalOf(tell({ sections: { slack: { attachments: '[{' } } }));
  assert.match(broken.message, /slack\.attachments of the template is no JSON/);
});

test('mattermost and rocketchat', async (t) => {
  const mattermost = await bench(t, 'mattermost', (url) => ({ apiURL: url, token: 'tok' }));
  await mattermost.tell({ sections: { mattermost: { attachments: '[{"text": "x"}]' } } });
  assert.equal(mattermost.receiver.received[0]?.path, '/api/v4/posts');
  assert.deepEqual(mattermost.json(), {
    channel_id: 'team',
    message: 'hello',
    props: { attachments: [{ text: 'x' }] },
    pending_post_id: 'notification-1',
  });
  const rocket = await bench(t, 'rocketchat', (url) => ({
    serverUrl: url,
    email: 'e',
    password: 'p',
    alias: 'al',
    icon: ':i:',
  }));
  rocket.receiver.answers(({ path }) =>
    path.endsWith('/login') ? { body: { data: { authToken: 'A', userId: 'U' } } } : { body: { success: true } },
  );
  await rocket.tell({}, { recipient: '#general' });
  assert.deepEqual(rocket.json(0), { user: 'e', password: 'p' });
  assert.equal(rocket.receiver.received[1]?.headers['x-auth-token'], 'A');
  assert.deepEqual(rocket.json(1), { channel: '#general', text: 'hello', alias: 'al', emoji: ':i:' });
  rocket.receiver.answers(() => ({ body: { success: false, error: 'no room' } }));
  assert.equal((await refusalOf(rocket.tell({}))).diagnosis.evidence[0]?.value, 'no room');
});

test('googlechat: text, cards of both versions, threads', async (t) => {
  const { receiver, tell, json } = await bench(t, 'googlechat', (url) => ({
    webhooks: { team: `${url}/v1/spaces/S/messages?key=k` },
  }));
  receiver.answers(() => ({ body: {} }));
  await tell({});
  assert.deepEqual(json(), { text: 'hello' });
  await tell({
    sections: { googlechat: { cardsV2: '- header: {title: T}', cards: '- header: {title: L}', threadKey: 'app' } },
  });
  const sent = json() as { cards: unknown; cardsV2: { cardId: string; card: unknown }[] };
  assert.deepEqual(sent.cards, [{ header: { title: 'L' } }]);
  assert.deepEqual(sent.cardsV2[0]?.card, { header: { title: 'T' } });
  assert.match(
    receiver.received[1]?.path ?? '',
    /key=k&threadKey=app&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD&requestId=/,
  );
  receiver.answers(() => ({ body: { error: { code: 404, status: 'NOT_FOUND', message: 'gone' } } }));
  assert.match((await refusalOf(tell({}))).diagnosis.evidence[0]?.value ?? '', /404 NOT_FOUND: gone/);
  assert.equal((await refusalOf(tell({}, { recipient: 'nobody' }))).diagnosis.code, 'NotificationRecipientUnknown');
});

test('teams and teams-workflows', async (t) => {
  const teams = await bench(t, 'teams', (url) => ({ recipientUrls: { team: url } }));
  teams.receiver.answers(() => ({ body: '1' }));
  await teams.tell({
    sections: {
      teams: {
        title: 'T',
        themeColor: '#1',
        facts: '[{"name": "a", "value": "b"}]',
        potentialAction: '[{"@type": "OpenUri"}]',
      },
    },
  });
  assert.deepEqual(teams.json(), {
    '@type': 'MessageCard',
    context: 'https://schema.org/extensions',
    title: 'T',
    summary: '',
    text: 'hello',
    themeColor: '#1',
    potentialAction: [{ '@type': 'OpenUri' }],
    sections: [{ facts: [{ name: 'a', value: 'b' }] }],
  });
  teams.receiver.answers(() => ({ body: 'Bad payload' }));
  assert.equal((await refusalOf(teams.tell({}))).diagnosis.code, 'NotificationRefused');
  const flows = await bench(t, 'teams-workflows', (url) => ({
    recipientUrls: { team: `${url}/powerautomate/x`, bad: 'http://example.com/' },
  }));
  await flows.tell({
    sections: {
      'teams-workflows': {
        title: 'T',
        facts: '[{"name": "a", "value": 1}]',
        potentialAction: '[{"@type": "OpenUri", "name": "N", "targets": [{"uri": "https://x"}]}]',
      },
    },
  });
  assert.deepEqual((flows.json() as { attachments: { content: unknown }[] }).attachments[0]?.content, {
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: 'T', size: 'Large', weight: 'Bolder', wrap: true },
      { type: 'TextBlock', text: 'hello', wrap: true },
      { type: 'FactSet', facts: [{ title: 'a', value: '1' }] },
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'N', url: 'https://x' }],
  });
  assert.equal((await refusalOf(flows.tell({}, { recipient: 'bad' }))).diagnosis.code, 'NotificationOptionMissing');
});

test('webex, telegram and pushover', async (t) => {
  const webex = await bench(t, 'webex', (url) => ({ token: 'tok', apiURL: url }));
  await webex.tell({}, { recipient: 'a@example.com' });
  await webex.tell({}, { recipient: 'room' });
  assert.deepEqual(
    [webex.json(0), webex.json(1)],
    [
      { markdown: 'hello', toPersonEmail: 'a@example.com' },
      { markdown: 'hello', roomId: 'room' },
    ],
  );
  const telegram = await bench(t, 'telegram', () => ({ token: '1:T' }));
  telegram.receiver.answers(() => ({ body: { ok: true } }));
  await telegram.tell({}, { recipient: '-100|7' });
  await telegram.tell({}, { recipient: 'channel' });
  assert.equal(telegram.receiver.received[0]?.path, '/bot1:T/sendMessage');
  assert.deepEqual(telegram.json(0), { chat_id: -100, text: 'hello', parse_mode: 'Markdown', message_thread_id: 7 });
  assert.equal((telegram.json(1) as JsonMap).chat_id, '@channel');
  const pushover = await bench(t, 'pushover', () => ({ token: 'tok' }));
  pushover.receiver.answers(() => ({ body: { status: 1 } }));
  await pushover.tell({}, { recipient: 'user-key' });
  assert.equal(pushover.receiver.received[0]?.body, 'token=tok&user=user-key&message=hello');
});

test('alertmanager: all targets, one is enough', async (t) => {
  const { receiver, tell, json } = await bench(t, 'alertmanager', (url) => ({
    targets: [new URL(url).host, '127.0.0.1:1'],
    bearerToken: 'tok',
  }));
  const alert: Partial<Notification> = {
    sections: {
      alertmanager: { labels: { alertname: 'bad', app: 'x' }, annotations: { a: 'b' }, generatorURL: 'git@host:o/r' },
    },
  };
  await tell(alert);
  assert.equal(receiver.received[0]?.headers.authorization, 'Bearer tok');
  assert.deepEqual(json(0), [
    {
      labels: { alertname: 'bad', app: 'x' },
      annotations: { a: 'b' },
      generatorURL: 'https://host/o/r',
      startsAt: '2026-01-02T03:04:05.000Z',
    },
  ]);
  assert.equal((await refusalOf(tell({}))).diagnosis.code, 'NotificationOptionMissing');
});

test('grafana and newrelic', async (t) => {
  const grafana = await bench(t, 'grafana', (url) => ({ apiUrl: `${url}/api`, apiKey: 'key' }));
  await grafana.tell({}, { recipient: 'a|b' });
  assert.equal(grafana.receiver.received[0]?.path, '/api/annotations');
  assert.deepEqual(grafana.json(), { time: 1767323045000, isRegion: false, tags: ['a', 'b'], text: 'hello' });
  const newrelic = await bench(t, 'newrelic', (url) => ({ apiKey: 'key', apiURL: url }));
  await newrelic.tell({ sections: { newrelic: { revision: 'r', user: 'u' } } }, { recipient: '123' });
  assert.equal(newrelic.receiver.received[0]?.path, '/v2/applications/123/deployments.json');
  assert.deepEqual(newrelic.json(), { deployment: { revision: 'r', description: 'hello', user: 'u' } });
});

test('opsgenie and both of pagerduty', async (t) => {
  const opsgenie = await bench(t, 'opsgenie', (url) => ({ apiUrl: url, apiKeys: { team: 'K' } }));
  await opsgenie.tell({
    sections: { opsgenie: { description: 'D', priority: 'P1', tags: ['x'], details: { a: 'b' } } },
  });
  assert.equal(opsgenie.receiver.received[0]?.headers.authorization, 'GenieKey K');
  assert.deepEqual(opsgenie.json(), {
    message: 'hello',
    description: 'D',
    priority: 'P1',
    alias: 'notification-1',
    tags: ['x'],
    details: { a: 'b' },
    responders: [{ type: 'team', id: 'team' }],
    source: 'Argo CD',
  });
  const one = await bench(t, 'pagerduty', () => ({ token: 'T', from: 'a@example.com' }));
  await one.tell({ sections: { pagerduty: { title: 'down', urgency: 'high', priorityId: 'P' } } });
  assert.equal(one.receiver.received[0]?.headers.authorization, 'Token token=T');
  assert.equal((one.json() as { incident: JsonMap }).incident.incident_key, 'notification-1');
  const two = await bench(t, 'pagerdutyv2', () => ({ serviceKeys: { team: 'R' } }));
  await two.tell({ sections: { pagerdutyv2: { summary: 's', severity: 'critical', source: 'x', url: 'https://u' } } });
  assert.deepEqual(two.json(), {
    routing_key: 'R',
    event_action: 'trigger',
    dedup_key: 'notification-1',
    client: 'ArgoCD',
    client_url: 'https://u',
    payload: { summary: 's', severity: 'critical', source: 'x' },
  });
});

test('github: statuses, deployments, comments, check runs and dispatches of an App', async (t) => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const { receiver, tell, json } = await bench(t, 'github', (url) => ({
    appID: 1,
    installationID: 2,
    privateKey,
    enterpriseBaseURL: url,
  }));
  receiver.answers(({ method, path }) => {
    if (path.endsWith('/access_tokens')) return { status: 201, body: { token: 'ghs' } };
    if (path.endsWith('/pulls')) return { body: [{ number: 5 }] };
    if (method === 'GET' && path.includes('/comments'))
      return { body: [{ id: 9, body: 'old\n<!-- argocd-notifications tag -->' }] };
    if (method === 'GET') return { body: [] };
    return { status: 201, body: { id: 77 } };
  });
  const base = { repoURLPath: 'git@github.com:o/r.git', revisionPath: 'sha' };
  await tell({
    message: 'm'.repeat(200),
    sections: {
      github: {
        ...base,
        status: { state: 'success', label: 'cd', targetURL: 'https://t' },
        deployment: { state: 'success', environment: 'prod' },
        pullRequestComment: { content: 'new', commentTag: 'tag' },
        checkRun: { name: 'c', conclusion: 'success' },
        repositoryDispatch: { event_type: 'e', client_payload: '{"a": 1}' },
      },
    },
  });
  const requests = receiver.received.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(requests, [
    'POST /app/installations/2/access_tokens',
    'POST /repos/o/r/statuses/sha',
    'GET /repos/o/r/deployments?ref=sha&environment=prod',
    'POST /repos/o/r/deployments',
    'POST /repos/o/r/deployments/77/statuses',
    'GET /repos/o/r/commits/sha/pulls',
    'GET /repos/o/r/issues/5/comments?per_page=100',
    'PATCH /repos/o/r/issues/comments/9',
    'POST /repos/o/r/check-runs',
    'POST /repos/o/r/dispatches',
  ]);
  assert.equal(receiver.received[1]?.headers.authorization, 'Bearer ghs');
  assert.equal((json(1) as { description: string }).description.length, 140);
  assert.deepEqual(json(-1), { event_type: 'e', client_payload: { a: 1 } });
  assert.equal((json(-2) as JsonMap).status, 'completed');
  const refused = await refusalOf(
    tell({ sections: { github: { ...base, checkRun: { name: 'c', status: 'completed' } } } }),
  );
  assert.match(refused.message, /has no conclusion/);
});

test('awssqs: the queue of the recipient, and order where the queue keeps it', async (t) => {
  const { receiver, tell, json } = await bench(t, 'awssqs', (url) => ({
    region: 'eu-west-1',
    endpointUrl: url,
    key: 'K',
    secret: 'S',
    queue: 'q',
    account: '123',
  }));
  receiver.answers(({ headers }) =>
    String(headers['x-amz-target']).endsWith('GetQueueUrl')
      ? { body: { QueueUrl: `${receiver.url}/123/q` }, headers: { 'content-type': 'application/x-amz-json-1.0' } }
      : {
          body: { MessageId: '1', MD5OfMessageBody: createHash('md5').update('hello').digest('hex') },
          headers: { 'content-type': 'application/x-amz-json-1.0' },
        },
  );
  await tell({ sections: { awssqs: { messageAttributes: { a: 'b' } } } }, { recipient: '' });
  assert.deepEqual(json(0), { QueueName: 'q', QueueOwnerAWSAccountId: '123' });
  assert.match(String(receiver.received[1]?.headers.authorization), /Credential=K\//);
  assert.deepEqual(json(1), {
    QueueUrl: `${receiver.url}/123/q`,
    MessageBody: 'hello',
    MessageAttributes: { a: { DataType: 'String', StringValue: 'b' } },
    DelaySeconds: 10,
  });
  await tell({ sections: { awssqs: { messageGroupId: 'g' } } }, { recipient: 'own.fifo' });
  const { DelaySeconds, MessageGroupId, MessageDeduplicationId } = json(3) as JsonMap;
  assert.deepEqual([DelaySeconds, MessageGroupId, MessageDeduplicationId], [undefined, 'g', 'notification-1']);
});

test('gcppubsub, as the emulator takes it', async (t) => {
  const { receiver, tell, json } = await bench(
    t,
    'gcppubsub',
    () => ({ project: 'p', topic: 't' }),
    (host) => ({ PUBSUB_EMULATOR_HOST: host }),
  );
  await tell({ sections: { gcppubsub: { attributes: { a: 'b' } } } }, { recipient: '' });
  assert.equal(receiver.received[0]?.path, '/v1/projects/p/topics/t:publish');
  assert.deepEqual(json(), { messages: [{ data: Buffer.from('hello').toString('base64'), attributes: { a: 'b' } }] });
});
