import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import type { DiagnosisError } from '@tiphys/diagnosis';
import { portUnusable } from '../trouble/port-unusable.ts';
import { HttpRoutes, type RouteOptions, reply } from './http-routes.ts';

/** Serves routes that answer with their endpoint, until the end of the test. */
async function served(context: TestContext, ...endpoints: string[]): Promise<number> {
  const routes = new HttpRoutes('127.0.0.1');
  let port = 0;
  for (const endpoint of endpoints) {
    const route = await routes.add({
      port,
      endpoint,
      owner: `ns/source${endpoint}`,
      handler: async (_, response) => reply(response, 200, endpoint),
    });
    context.after(() => route.remove());
    port = route.port;
  }
  return port;
}

/** Status and body of the answer to a request of this target, as it is. */
async function answered(port: number, path: string): Promise<string> {
  const asking = request({ host: '127.0.0.1', port, path, agent: false }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return `${answer.statusCode} ${await text(answer)}`;
}

describe('routes of event sources', () => {
  it('answer every target of a request, and go on', async (context) => {
    const port = await served(context, '/push');
    for (const target of ['//', '//other:x/push', '*', 'http://[/a', '/%', '/a%ff?%'])
      assert.match(await answered(port, target), /^404 /, target);
    assert.equal(await answered(port, '/push?a=b'), '200 /push');
    assert.equal(await answered(port, 'http://other/push'), '200 /push');
    assert.equal(await answered(port, '/health'), '200 OK');
  });

  it('of one port may be many, by name too, and with variables', async (context) => {
    const port = await served(context, '/exact/a');
    assert.equal(await answered(port, '/ns/source/exact/a'), '200 /exact/a');
    const variables = await served(context, '/by/{name}/of/{id:[0-9]{1,3}}');
    assert.equal(await answered(variables, '/by/me/of/12'), '200 /by/{name}/of/{id:[0-9]{1,3}}');
    for (const target of ['/by/me/of/1234', '/by/me/of/x', '/by/me/you/of/1', '/by//of/1'])
      assert.match(await answered(variables, target), /^404 /, target);
    await assert.rejects(served(context, '/{name:(}'), /missing closing/);
  });

  it('say who has their port, and what to do', async (context) => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    context.after(() => other.close());
    const { port } = other.address() as AddressInfo;
    const add = (host: string, route: Partial<RouteOptions> = {}) =>
      new HttpRoutes(host).add({ port, endpoint: '/a', owner: 'ns/x/a', handler: async () => undefined, ...route });
    // elsewhere than on Linux nobody says whose port it is
    const itself = process.platform === 'linux' ? /is taken by Tiphys itself/ : /is taken by another program/;
    await assert.rejects(add('127.0.0.1'), (error: DiagnosisError) => {
      assert.equal(error.diagnosis.code, 'EventsPortUnusable');
      assert.match(error.message, new RegExp(`^Port ${port} of 127.0.0.1 `));
      assert.match(error.message, itself);
      assert.match(error.diagnosis.remedies?.[0]?.text ?? '', /another port in the EventSource/);
      return true;
    });
    await assert.rejects(add('192.0.2.1'), /192\.0\.2\.1 is no address of this machine/);
    const denied = portUnusable(Object.assign(new Error('listen'), { code: 'EACCES' }), { host: '::', port: 80 });
    assert.match(denied.message, /ports below 1024/);
    assert.match(denied.diagnosis.remedies?.[0]?.text ?? '', /such as 8080, .* targetPort/);
  });

  it('of one port have the same certificate, or none', async (context) => {
    const routes = new HttpRoutes('127.0.0.1');
    const handler = async () => undefined;
    const plain = await routes.add({ port: 0, endpoint: '/a', owner: 'ns/x/a', handler });
    context.after(() => plain.remove());
    const secure = { port: 0, endpoint: '/b', owner: 'ns/x/b', handler, tls: { cert: 'c', key: 'k' } };
    await assert.rejects(routes.add(secure), /ns\/x\/b wants port 0, which ns\/x\/a serves without TLS/);
  });
});
