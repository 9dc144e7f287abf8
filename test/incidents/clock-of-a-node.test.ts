import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { startGitServer } from '../../packages/sources/git/testing/index.ts';
import { configMap } from '../e2e/support/manifests.ts';
import { World } from '../e2e/support/world.ts';
import { Terminal } from './terminal.ts';

const token = 'token-of-the-app';
const tenMinutes = 600_000;

/** GitHub's API as far as Apps need it, whose clock is `skew` milliseconds before ours, and which is as strict about claims as GitHub. */
async function startGitHub() {
  const state = { skew: tenMinutes, refused: 0 };
  const server = createServer((request, response) => {
    const now = Date.now() + state.skew;
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { date: new Date(now).toUTCString(), 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const [, claims = ''] = (request.headers.authorization ?? '').split('.');
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number };
    if (exp * 1000 <= now) {
      state.refused += 1;
      return reply(401, { message: "'Expiration time' claim ('exp') must be in the future" });
    }
    return reply(201, { token, expires_at: new Date(now + 3600_000).toISOString() });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { state, url, close };
}

test('the clock of a node is ten minutes slow: its GitHub App gets tokens all the same, the repository does not flap, and the node is named', async (t) => {
  const world = await World.start();
  t.after(() => world.close());
  const github = await startGitHub();
  t.after(() => github.close());
  const terminal = await Terminal.of(world);
  t.after(() => terminal.close());
  const repository = world.repository({ 'app/a.yaml': configMap('a', 'one') });
  const host = await startGitServer(dirname(repository.url), {
    auth: { username: 'x-access-token', password: token },
  });
  t.after(() => host.close());
  const repoURL = `${host.url}/${basename(repository.url)}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await world.client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'app',
      namespace: world.namespace,
      labels: { 'argocd.argoproj.io/secret-type': 'repository' },
    },
    stringData: {
      type: 'git',
      url: repoURL,
      githubAppID: '42',
      githubAppInstallationID: '7',
      githubAppPrivateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      githubAppEnterpriseBaseUrl: github.url,
    },
  });
  const targetNamespace = await world.targetNamespace();
  await world.createApplication('shop', repository, {
    targetNamespace,
    source: { repoURL, path: 'app', targetRevision: 'main' },
    syncPolicy: { automated: {} },
  });
  await world.healthy('shop');

  // what flapped at each refresh: the connection of the repository
  for (let look = 0; look < 3; look += 1) {
    await world.rest('GET', '/api/v1/applications/shop?refresh=normal');
    const { text } = await terminal.run('repo', 'list', '--refresh', 'hard');
    assert.match(text, /Successful +The clock of node \S+ is \d+ s .*behind that of 127\.0\.0\.1/);
    assert.doesNotMatch(text, /Failed/);
  }
  const { body } = await world.rest<{ items: { replicas: { node: string; notices: string[] }[] }[] }>(
    'GET',
    '/api/tiphys/v1/repositories',
  );
  const [replica] = body.items[0]?.replicas ?? [];
  assert.match(JSON.stringify(replica), /(599|600) s behind.*time service \(NTP\) of this node/);
  assert.ok(github.state.refused <= 1, 'once the difference is known no claim is refused');

  // the node's clock is set right
  github.state.skew = 0;
  const { text: after } = await terminal.run('repo', 'list', '--refresh', 'hard');
  assert.match(after, /Successful/);
  assert.doesNotMatch(after, /The clock of/);
  const { status } = await world.healthy('shop');
  assert.equal(status?.conditions, undefined, 'nobody was alarmed');
});
