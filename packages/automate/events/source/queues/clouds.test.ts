import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { diagnosisOf } from '@tiphys/diagnosis';
import { freePort } from '../../../../../scripts/testing/free-ports.ts';
import { type Asked, HttpDouble } from '../../wire/testing/http-double.ts';
import { startSource } from '../testing/started-source.ts';

const key = (name: string) => ({ name: 's', key: name });
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** Messages that a queue has, each once, and those that it was told to delete. */
class Queue {
  readonly waiting: string[];
  readonly deleted: string[] = [];
  readonly #settled = Promise.withResolvers<void>();
  readonly #most: number;

  constructor(waiting: string[], most: number) {
    this.waiting = waiting;
    this.#most = most;
  }

  delete(handle: string): void {
    this.deleted.push(handle);
    if (this.deleted.length >= this.#most) this.#settled.resolve();
  }

  /** Resolves when as many as are to be deleted are. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }
}

describe('event sources of clouds, by doubles', () => {
  it('SQS: a message is deleted when it is on the bus; one that no event can be made of too', async (context) => {
    const queue = new Queue(['{"n":1.50}', 'no JSON', '{"n":2}'], 3);
    const answer = ({ headers, body }: Asked) => {
      const type = { headers: { 'content-type': 'application/x-amz-json-1.0' } };
      const asked = JSON.parse(body) as { ReceiptHandle?: string };
      switch (String(headers['x-amz-target']).split('.')[1]) {
        case 'GetQueueUrl':
          return { ...type, body: { QueueUrl: 'http://queue.example.com/1/q' } };
        case 'ReceiveMessage': {
          const text = queue.waiting.shift();
          const message = {
            MessageId: `m${text?.length}`,
            ReceiptHandle: text,
            Body: text,
            MD5OfBody: md5(text ?? ''),
          };
          return { ...type, body: { Messages: text === undefined ? [] : [message] } };
        }
        default:
          queue.delete(asked.ReceiptHandle ?? '');
          return { ...type, body: {} };
      }
    };
    const api = new HttpDouble(answer);
    context.after(() => api.stop());
    const spec = { queue: 'q', region: 'eu-west-1', queueAccountId: '1', jsonBody: true, endpoint: await api.start() };
    const keys = { accessKey: key('id'), secretKey: key('secret') };
    const source = await startSource('sqs', { ...spec, ...keys }, { id: 'AKID', secret: 'shh' });
    context.after(() => source.close());
    assert.deepEqual(await source.inbox.until(2), [
      '{"messageId":"m10","messageAttributes":null,"body":{"n":1.50}}',
      '{"messageId":"m7","messageAttributes":null,"body":{"n":2}}',
    ]);
    await queue.settled;
    assert.deepEqual(queue.deleted, ['{"n":1.50}', 'no JSON', '{"n":2}']);
    assert.match(String(api.asked[0]?.headers.authorization), /Credential=AKID\/\d+\/eu-west-1\/sqs\//);
    assert.deepEqual(JSON.parse(api.asked[0]?.body ?? ''), { QueueName: 'q', QueueOwnerAWSAccountId: '1' });
  });

  it('SNS: subscribes, confirms by itself, and takes notifications', async (context) => {
    const api = new HttpDouble(({ body }) => {
      const action = new URLSearchParams(body).get('Action');
      const result = `<${action}Result><SubscriptionArn>arn</SubscriptionArn></${action}Result>`;
      return { headers: { 'content-type': 'text/xml' }, body: `<${action}Response>${result}</${action}Response>` };
    });
    context.after(() => api.stop());
    const port = await freePort();
    const spec = {
      topicArn: 'arn:aws:sns:eu-west-1:1:t',
      region: 'eu-west-1',
      endpoint: await api.start(),
      accessKey: key('id'),
      secretKey: key('secret'),
      webhook: { endpoint: '/sns', port: String(port), url: 'https://me.example.com' },
    };
    const source = await startSource('sns', spec, { id: 'AKID', secret: 'shh' });
    context.after(() => source.close());
    const asked = () => api.asked.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    assert.deepEqual(asked()[0], {
      Action: 'Subscribe',
      Version: '2010-03-31',
      TopicArn: spec.topicArn,
      Protocol: 'https',
      Endpoint: 'https://me.example.com/sns',
    });
    const post = async (body: object) =>
      (await fetch(`http://127.0.0.1:${port}/sns`, { method: 'POST', body: JSON.stringify(body) })).status;
    assert.equal(await post({ Type: 'SubscriptionConfirmation', Token: 'tok' }), 200);
    assert.equal(asked()[1]?.Token, 'tok');
    assert.equal(await post({ Type: 'Notification', Message: 'hello' }), 200);
    const event = JSON.parse((await source.inbox.until(1))[0] ?? '') as { body: { Message: string } };
    assert.equal(event.body.Message, 'hello');
  });

  it('SNS: a signature of another host is refused', async (context) => {
    const port = await freePort();
    const webhook = { endpoint: '/sns', port: String(port) };
    const keys = { accessKey: key('id'), secretKey: key('secret') };
    const spec = { topicArn: 'arn', region: 'eu-west-1', webhook, validateSignature: true, ...keys };
    const source = await startSource('sns', spec, { id: 'a', secret: 'b' });
    context.after(() => source.close());
    const body = JSON.stringify({ Type: 'Notification', SigningCertURL: 'https://evil.example.com/c.pem' });
    assert.equal((await fetch(`http://127.0.0.1:${port}/sns`, { method: 'POST', body })).status, 400);
  });

  it('MNS: asks with a signature, and deletes what is on the bus', async (context) => {
    const queue = new Queue(['{"a":1}'], 1);
    const api = new HttpDouble(({ method, path }) => {
      if (method === 'DELETE') {
        queue.delete(new URL(path, 'http://x').searchParams.get('ReceiptHandle') ?? '');
        return { status: 204 };
      }
      const text = queue.waiting.shift();
      if (text === undefined) return { status: 404, body: '<Error><Code>MessageNotExist</Code></Error>' };
      const body = Buffer.from(text).toString('base64');
      return {
        body: `<Message><MessageId>m1</MessageId><ReceiptHandle>r&amp;1</ReceiptHandle><MessageBody>${body}</MessageBody></Message>`,
      };
    });
    context.after(() => api.stop());
    const spec = {
      queue: 'q',
      endpoint: await api.start(),
      accessKey: key('id'),
      secretKey: key('secret'),
      jsonBody: true,
    };
    const source = await startSource('mns', spec, { id: 'AKID', secret: 'shh' });
    context.after(() => source.close());
    assert.deepEqual(await source.inbox.until(1), ['{"messageId":"m1","body":{"a":1}}']);
    await queue.settled;
    assert.deepEqual(queue.deleted, ['r&1']);
    assert.match(String(api.asked[0]?.headers.authorization), /^MNS AKID:[\w+/=]{28}$/);
  });

  it('Azure Queue Storage: takes messages, and deletes them', async (context) => {
    const queue = new Queue(['{"a":1}', 'no JSON'], 2);
    const api = new HttpDouble(({ method, path }) => {
      const xml = {
        headers: { 'content-type': 'application/xml', 'x-ms-request-id': '1', 'x-ms-version': '2020-10-02' },
      };
      const { pathname, searchParams } = new URL(path, 'http://x');
      if (method === 'DELETE') {
        queue.delete(pathname.split('/').at(-1) ?? '');
        return { ...xml, status: 204 };
      }
      if (searchParams.get('comp') === 'metadata') return { ...xml, body: '' };
      const [index, text] = [queue.waiting.length, queue.waiting.shift()];
      const at = 'Fri, 02 Jan 2026 03:04:05 GMT';
      const fields = `<MessageId>m${index}</MessageId><InsertionTime>${at}</InsertionTime><ExpirationTime>${at}</ExpirationTime><PopReceipt>p</PopReceipt><TimeNextVisible>${at}</TimeNextVisible><DequeueCount>1</DequeueCount>`;
      const message = `<QueueMessage>${fields}<MessageText>${Buffer.from(text ?? '').toString('base64')}</MessageText></QueueMessage>`;
      return {
        ...xml,
        body: `<?xml version="1.0"?><QueueMessagesList>${text === undefined ? '' : message}</QueueMessagesList>`,
      };
    });
    context.after(() => api.stop());
    const connection = `DefaultEndpointsProtocol=http;AccountName=acc;AccountKey=${Buffer.from('k').toString('base64')};QueueEndpoint=${await api.start()}/acc;`;
    const spec = { queueName: 'q', connectionString: key('connection'), decodeMessage: true, jsonBody: true };
    const source = await startSource('azureQueueStorage', spec, { connection });
    context.after(() => source.close());
    assert.deepEqual(await source.inbox.until(1), [
      '{"body":{"a":1},"messageID":"m2","insertionTime":"2026-01-02T03:04:05Z"}',
    ]);
    await queue.settled;
    assert.deepEqual(queue.deleted, ['m2', 'm1']);
  });

  it('Azure Queue Storage: what the bus does not take stays, with dlq what is unreadable too; who is refused is told', async (context) => {
    const deleted: string[] = [];
    const waiting = [
      { id: 'm1', text: 'no base64!' },
      { id: 'm2', text: 'YQ==' },
      { id: 'm3', text: 'Yg==' },
    ];
    let isOpen = true;
    const api = new HttpDouble(({ method, path }) => {
      const headers = { 'content-type': 'application/xml', 'x-ms-request-id': '1', 'x-ms-version': '2020-10-02' };
      if (!isOpen) {
        const code = 'AuthenticationFailed';
        const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>the signature does not match</Message></Error>`;
        return { status: 403, headers: { ...headers, 'x-ms-error-code': code }, body };
      }
      const { pathname, searchParams } = new URL(path, 'http://x');
      if (method === 'DELETE') {
        deleted.push(pathname.split('/').at(-1) ?? '');
        return { headers, status: 204 };
      }
      if (searchParams.get('comp') === 'metadata') return { headers };
      const at = 'Fri, 02 Jan 2026 03:04:05 GMT';
      const messages = waiting
        .splice(0)
        .map(
          ({ id, text }) =>
            `<QueueMessage><MessageId>${id}</MessageId><InsertionTime>${at}</InsertionTime><ExpirationTime>${at}</ExpirationTime><PopReceipt>p</PopReceipt><TimeNextVisible>${at}</TimeNextVisible><DequeueCount>1</DequeueCount><MessageText>${text}</MessageText></QueueMessage>`,
        );
      return { headers, body: `<?xml version="1.0"?><QueueMessagesList>${messages.join('')}</QueueMessagesList>` };
    });
    context.after(() => api.stop());
    const connection = `DefaultEndpointsProtocol=http;AccountName=acc;AccountKey=${Buffer.from('k').toString('base64')};QueueEndpoint=${await api.start()}/acc;`;
    const spec = { queueName: 'q', connectionString: key('connection'), decodeMessage: true, dlq: true };
    const source = await startSource('azureQueueStorage', spec, { connection }, 1);
    context.after(() => source.close());
    assert.deepEqual(
      (await source.inbox.until(1)).map((text) => (JSON.parse(text) as { messageID: string }).messageID),
      ['m3'],
    );
    assert.deepEqual(source.failures.map(String), [
      'Error: message m1 is no base64, which decodeMessage asks for',
      'Error: the bus is away',
    ]);
    await source.close();
    assert.deepEqual(deleted, ['m3']);
    isOpen = false;
    const refused = await startSource('azureQueueStorage', spec, { connection }).then(
      () => assert.fail('it listens'),
      (error: unknown) => diagnosisOf(error),
    );
    assert.equal(refused.code, 'BrokerAccessRefused');
    assert.match(refused.message, /^Queue Storage at 127\.0\.0\.1:\d+ refuses access to queue q: /);
  });

  it('HDFS: tells of files that come, change and go, from the name node that answers', async (context) => {
    const listings = [
      [],
      [{ pathSuffix: 'a.csv', fileId: 1, modificationTime: 1, length: 1, permission: '644' }],
      [{ pathSuffix: 'a.csv', fileId: 1, modificationTime: 2, length: 2, permission: '644' }],
      [],
    ];
    const api = new HttpDouble(() => {
      const FileStatus = listings.length > 1 ? listings.shift() : listings[0];
      return { body: { FileStatuses: { FileStatus } } };
    });
    context.after(() => api.stop());
    const dead = `http://127.0.0.1:${await freePort()}`;
    const spec = {
      directory: '/in',
      pathRegexp: '\\.csv$',
      type: 'CREATE|WRITE|REMOVE',
      hdfsUser: 'me',
      checkInterval: '5ms',
    };
    const source = await startSource('hdfs', { ...spec, addresses: [dead, await api.start()] });
    context.after(() => source.close());
    const events = (await source.inbox.until(3)).map((text) => JSON.parse(text) as { name: string; op: number });
    assert.deepEqual(
      events.map(({ name, op }) => [name, op]),
      [
        ['/in/a.csv', 1],
        ['/in/a.csv', 2],
        ['/in/a.csv', 4],
      ],
    );
    assert.equal(api.calls[0], 'GET /webhdfs/v1/in?op=LISTSTATUS&user.name=me');
  });

  it('MinIO: listens for notifications of a bucket', async (context) => {
    const asked: URL[] = [];
    const record = { eventName: 's3:ObjectCreated:Put', s3: { object: { key: 'in/a.csv' } } };
    const server = createServer((request, response) => {
      asked.push(new URL(request.url ?? '', 'http://x'));
      response.writeHead(200);
      if (asked.at(-1)?.searchParams.has('location')) response.end('<LocationConstraint/>');
      else response.write(`${JSON.stringify({ Records: [record] })}\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    context.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const spec = {
      endpoint: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      insecure: true,
      region: 'us-east-1',
      bucket: { name: 'bucket' },
      accessKey: key('id'),
      secretKey: key('secret'),
      events: ['s3:ObjectCreated:Put'],
      filter: { prefix: 'in/', suffix: '.csv' },
    };
    const source = await startSource('minio', spec, { id: 'AKID', secret: 'shh' });
    context.after(() => source.close());
    assert.deepEqual(await source.inbox.until(1), [`{"notification":[${JSON.stringify(record)}]}`]);
    const { pathname, searchParams } = asked.at(-1) ?? assert.fail('nothing was asked');
    assert.equal(pathname, '/bucket');
    assert.deepEqual([...searchParams].filter(([name]) => ['prefix', 'suffix', 'events'].includes(name)).sort(), [
      ['events', 's3:ObjectCreated:Put'],
      ['prefix', 'in/'],
      ['suffix', '.csv'],
    ]);
  });

  it('generic: takes the stream of a gRPC server of the user', async (context) => {
    const asked: Record<string, unknown>[] = [];
    const server = createHttp2();
    const frame = (payload: string) => {
      const body = new BinaryWriter().tag(1, 2).string('event').tag(2, 2).bytes(Buffer.from(payload)).finish();
      const head = Buffer.alloc(5);
      head.writeUInt32BE(body.length, 1);
      return Buffer.concat([head, body]);
    };
    server.on('stream', (stream: ServerHttp2Stream, headers) => {
      asked.push(headers);
      stream.on('error', () => undefined);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.write(frame('{"n":1}'));
      stream.write(frame('no JSON'));
      stream.write(frame('{"n":2}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    context.after(() => void server.close());
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const spec = { url: address, config: 'a: b', insecure: true, jsonBody: true, authSecret: key('token') };
    const source = await startSource('generic', spec, { token: randomUUID() });
    context.after(() => source.close());
    assert.deepEqual(await source.inbox.until(2), ['{"body":{"n":1}}', '{"body":{"n":2}}']);
    assert.equal(source.failures.length, 1);
    assert.equal(asked[0]?.[':path'], '/generic.Eventing/StartEventSource');
    assert.match(String(asked[0]?.authorization), /^Bearer [\w-]{36}$/);
  });
});
