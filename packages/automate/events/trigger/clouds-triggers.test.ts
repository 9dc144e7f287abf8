import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Consumer } from '@platformatic/kafka';
import { freePort } from '../../../../scripts/testing/free-ports.ts';
import { skipWithout, startServer } from '../bus/testing/server-binary.ts';
import { HttpDouble } from '../wire/testing/http-double.ts';
import { act, connections, payload } from './testing/act.ts';

const key = (name: string) => ({ name: 's', key: name });

describe('triggers of clouds and brokers', () => {
  after(() => connections.close());

  it('kafka puts messages on a topic, with key and headers', {
    skip: skipWithout('kfake-broker', 'franz-go/pkg/kfake'),
  }, async (context) => {
    const url = `127.0.0.1:${await freePort()}`;
    const server = await startServer('kfake-broker', () => [url], /listening/);
    context.after(() => server.stop());
    context.after(() => connections.close());
    const kafka = { url, topic: 'out', payload, partitioningKey: 'k1', headers: { a: 'b' }, compress: true };
    assert.equal(await act({ kafka }), 'put 14 bytes on topic out');
    const parameters = [{ src: { dependencyName: 'dep', dataKey: 'body.name' }, dest: 'partitioningKey' }];
    const secureHeaders = [{ name: 'token', valueFrom: { secretKeyRef: key('token') } }];
    await act({ kafka: { ...kafka, parameters, secureHeaders } });
    const consumer = new Consumer({ clientId: 'test', groupId: 'test', bootstrapBrokers: [url] });
    const stream = await consumer.consume({ topics: ['out'], mode: 'earliest' });
    const got: unknown[] = [];
    for await (const { key: name, value, headers } of stream) {
      got.push([String(name), String(value), Object.fromEntries([...headers].map(([h, v]) => [String(h), String(v)]))]);
      if (got.length === 2) break;
    }
    assert.deepEqual(got, [
      ['k1', '{"name":"web"}', { a: 'b' }],
      ['web', '{"name":"web"}', { a: 'b', token: 'sesame' }],
    ]);
    await consumer.close(true);
  });

  it('awsLambda invokes a function with its payload, by the policy of the status', async (context) => {
    let status = 200;
    const api = new HttpDouble(() => ({ status, body: {} }));
    process.env.AWS_ENDPOINT_URL_LAMBDA = await api.start();
    context.after(() => {
      delete process.env.AWS_ENDPOINT_URL_LAMBDA;
      return api.stop();
    });
    const awsLambda = {
      functionName: 'greet',
      region: 'eu-west-1',
      accessKey: key('id'),
      secretKey: key('secret'),
      invocationType: 'Event',
      payload,
    };
    assert.equal(await act({ awsLambda }), 'invoked greet, answered 200');
    const [asked] = api.asked;
    assert.deepEqual(api.calls, ['POST /2015-03-31/functions/greet/invocations']);
    assert.equal(asked?.body, '{"name":"web"}');
    assert.equal(asked?.headers['x-amz-invocation-type'], 'Event');
    assert.match(String(asked?.headers.authorization), /Credential=sesame\/\d+\/eu-west-1\/lambda\//);
    status = 202;
    await assert.rejects(act({ awsLambda }, { status: { allow: [200] } }), /response status 202 is not allowed/);
    assert.equal(await act({ awsLambda }, { status: { allow: [202] } }), 'invoked greet, answered 202');
  });

  it('openWhisk invokes an action of a namespace', async (context) => {
    let status = 200;
    const api = new HttpDouble(() => ({ status, body: {} }));
    const host = await api.start();
    context.after(() => api.stop());
    const openWhisk = { host, actionName: 'greet', authToken: key('token'), payload };
    assert.equal(await act({ openWhisk }), 'invoked greet, answered 200');
    await act({ openWhisk: { ...openWhisk, namespace: 'mine', version: 'v2' } });
    assert.deepEqual(api.calls, [
      'POST /api/v1/namespaces/_/actions/greet?blocking=true&result=true',
      'POST /api/v2/namespaces/mine/actions/greet?blocking=true&result=true',
    ]);
    assert.equal(api.asked[0]?.body, '{"name":"web"}');
    assert.equal(api.asked[0]?.headers.authorization, `Basic ${Buffer.from('sesame').toString('base64')}`);
    status = 502;
    await assert.rejects(act({ openWhisk }), /was answered 502/);
  });
});
