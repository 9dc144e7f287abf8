import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { HttpRoutes, reply } from './http-routes.ts';

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
});
