import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HttpDouble } from '../wire/testing/http-double.ts';
import { act, connections, payload } from './testing/act.ts';

const key = { secretKeyRef: { name: 's', key: 'k' } };

describe('triggers that make requests', () => {
  const double = new HttpDouble(({ path }) =>
    path.startsWith('/moved')
      ? { status: 302, headers: { location: '/there' } }
      : { status: Number(path.slice(1)) || 200 },
  );
  let url = '';
  before(async () => {
    url = await double.start();
  });
  after(async () => {
    await connections.close();
    await double.stop();
  });
  const send = async (http: object, allow?: readonly number[]) => {
    double.asked.length = 0;
    const done = await act({ http: { url: `${url}/200`, ...http } }, allow ? { status: { allow } } : undefined);
    const [asked] = double.asked;
    assert.ok(asked);
    return { ...asked, done };
  };

  it('by POST, with a payload that is built or a value as it is', async () => {
    const built = await send({ payload });
    assert.deepEqual([built.method, built.body], ['POST', '{"name":"web"}']);
    const { body } = await send({ payload: [{ src: { dependencyName: 'dep', dataKey: 'body' }, dest: '' }] });
    assert.equal(body, '{"name":"web","to":"a@example.com"}');
    assert.equal((await send({ payload: [{ src: { dependencyName: 'gone', dataKey: 'a' }, dest: 'a' }] })).body, '');
    assert.equal((await send({})).body, '');
  });
  it('by each method', async () => {
    for (const method of ['GET', 'DELETE', 'PATCH', 'POST', 'PUT'])
      assert.equal((await send({ method, payload })).method, method);
  });
  it('with headers that are written, taken from events and from Secrets, in this order', async () => {
    const { headers } = await send({
      headers: { 'X-Own': 'a', 'X-Name': 'b', 'X-Key': 'c' },
      dynamicHeaders: [
        { src: { dependencyName: 'dep', dataKey: 'body.name' }, dest: 'X-Name' },
        { src: { dependencyName: 'dep', contextTemplate: '{{ .Input.type | upper }}' }, dest: 'X-Type' },
        { src: { dependencyName: 'gone', dataKey: 'a' }, dest: 'X-Gone' },
        { src: { dependencyName: 'gone', dataKey: 'a', value: 'v' }, dest: 'X-Value' },
      ],
      secureHeaders: [{ name: 'X-Key', valueFrom: key }],
      basicAuth: { username: key.secretKeyRef, password: key.secretKeyRef },
      host: 'elsewhere.example',
    });
    const told = ['x-own', 'x-name', 'x-type', 'x-gone', 'x-value', 'x-key', 'host'].map((name) => headers[name]);
    assert.deepEqual(told, ['a', 'web', 'WEBHOOK', undefined, 'v', 'sesame', 'elsewhere.example']);
    assert.equal(headers.authorization, `Basic ${Buffer.from('sesame:sesame').toString('base64')}`);
  });
  it('with parameters of their own fields', async () => {
    const parameters = [
      { src: { dependencyName: 'dep', dataKey: 'body.name' }, dest: 'url', operation: 'append' },
      { src: { dependencyName: 'dep', value: 'PUT' }, dest: 'method' },
      { src: { dependencyName: 'dep', dataTemplate: '{{ .Input.body.name }}!' }, dest: 'headers.X-Made' },
    ];
    const { method, path, headers } = await send({ url: `${url}/at/`, parameters });
    assert.deepEqual([method, path, headers['x-made']], ['PUT', '/at/web', 'web!']);
  });
  it('which succeed whatever is answered, but for a policy', async () => {
    assert.match((await send({ url: `${url}/500` })).done, /answered 500/);
    assert.match((await send({ url: `${url}/202` }, [200, 202])).done, /answered 202/);
    await assert.rejects(send({ url: `${url}/404` }, [200, 202]), /http response status 404 is not allowed/);
    await assert.rejects(send({}, []), /status 200 is not allowed/);
  });
  it('and follow where they are sent', async () => {
    await send({ url: `${url}/moved`, payload });
    assert.deepEqual(double.calls, ['POST /moved', 'GET /there']);
  });
});
