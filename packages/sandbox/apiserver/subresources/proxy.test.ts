import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { Pod } from '@tiphys/kube-controllers';
import { type Client, connect } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { eventually } from '../../kube-controllers/testing/eventually.ts';

const program = `
require('node:http')
  .createServer((request, response) => {
    if (request.url === '/page') {
      response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
      return response.end('<a HREF=/x?a=b>x</a><!-- <a href="/c"> --><script src="/s.js">"<a href=\\'/no\\'>"</script><a href="y">y</a>');
    }
    if (request.url === '/away') return response.writeHead(302, { location: '/there' }).end();
    let body = '';
    request.on('data', (chunk) => { body += chunk; });
    request.on('end', () => response.end([request.method, request.url, request.headers.authorization, body].join(' ')));
  })
  .on('upgrade', (request, socket) => {
    if (request.url !== '/echo') return socket.end('HTTP/1.1 403 Forbidden\\r\\nContent-Length: 2\\r\\n\\r\\nno');
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n');
    socket.pipe(socket);
  })
  .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

describe('The proxy', { skip: process.platform !== 'linux' && 'process runtime' }, () => {
  let sandbox: Sandbox;
  let client: Client;
  before(async () => {
    sandbox = await startSandbox({ runtime: 'process' });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'proxy' } });
  });
  after(async () => {
    await client.close();
    await sandbox.close();
  });
  const create = async (name: string, container: object) => {
    await client.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'local', ...container }] },
    });
    await eventually<Pod>(client, 'v1', 'Pod', name, (pod) => pod?.status?.phase === 'Running');
  };
  const pods = '/api/v1/namespaces/default/pods';

  /** What comes back of a text that is sent over an upgraded connection, or what refuses it. */
  const upgraded = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const call = request(`${sandbox.url}${path}`, {
        headers: { connection: 'Upgrade', upgrade: 'echo', authorization: `Bearer ${sandbox.config.bearerToken}` },
      });
      call.once('upgrade', (_, socket) => {
        socket.write('sent');
        socket.once('data', (bytes: Buffer) => {
          socket.destroy();
          resolve(bytes.toString());
        });
      });
      call.once('response', (answer) =>
        answer.setEncoding('utf8').once('data', (text: string) => resolve(`${answer.statusCode} ${text}`)),
      );
      call.once('error', reject);
      call.end();
    });

  test('leads to the process of a pod, by the pod and by a service', async () => {
    await create('web', { command: [process.execPath, '-e', program] });
    let port = '';
    for await (const chunk of client.logs({ namespace: 'default', name: 'web' }, { follow: true })) {
      port += Buffer.from(chunk).toString();
      if (port.endsWith('\n')) break;
    }
    port = port.trim();
    const answer = await client.request('GET', `${pods}/web:${port}/proxy/a/b?c=d`);
    assert.equal(await answer.text(), 'GET /a/b?c=d  ');
    const away = await client.request('GET', `${pods}/web:${port}/proxy/away`).catch((error: unknown) => error);
    assert.equal((away as Response).headers?.get('location'), `${pods}/web:${port}/proxy/there`);

    const page = await client.request('GET', `${pods}/web:${port}/proxy/page`);
    const prefix = `${pods}/web:${port}/proxy`;
    assert.equal(
      await page.text(),
      `<a HREF=${prefix}/x?a=b>x</a><!-- <a href="/c"> --><script src="${prefix}/s.js">"<a href='/no'>"</script><a href="y">y</a>`,
    );
    assert.equal(page.headers.get('access-control-allow-origin'), null);
    assert.equal(await upgraded(`${prefix}/echo`), 'sent');
    assert.equal(await upgraded(`${prefix}/other`), '403 no');

    await client.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: Number(port) }] },
    });
    await eventually<Pod & { subsets?: unknown[] }>(
      client,
      'v1',
      'Endpoints',
      'web',
      (found) => (found?.subsets?.length ?? 0) > 0,
    );
    const service = '/api/v1/namespaces/default/services/web';
    for (const name of [`${service}:80`, `${service}:http`, `/api/v1/namespaces/default/services/http:web:http`]) {
      const through = await client.request('POST', `${name}/proxy/x`, { body: 'sent' });
      assert.match(await through.text(), /^POST \/x {2}"?sent"?$/);
    }
  });

  test('says that nothing listens in a simulated pod', async () => {
    await create('simulated', {});
    await assert.rejects(
      client.request('GET', `${pods}/simulated:8080/proxy/`),
      (error: Error & { status?: number }) => {
        assert.equal(error.status, 503);
        assert.match(error.message, /error trying to reach service: dial tcp [\d.]+:8080: connect: connection refused/);
        return true;
      },
    );
  });
});
