import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, run } from '../support/tiphys-command.ts';
import { World } from '../support/world.ts';

let world: World;
const kubeconfig = join(folder, 'kubeconfig');
before(async () => {
  world = await World.start();
  writeFileSync(kubeconfig, world.cluster.kubeconfig);
});
after(() => world.close());

const core = (...args: string[]) => run('core', '--kubeconfig', kubeconfig, '-n', world.namespace, ...args);

test('tiphys core runs a program with the rights of a kubeconfig, for nobody else', async () => {
  const script = `
    const { TIPHYS_SERVER: url, TIPHYS_AUTH_TOKEN: token, ARGOCD_SERVER, ARGOCD_AUTH_TOKEN, ARGOCD_OPTS } = process.env;
    const ask = async (path, headers = {}) => (await fetch(url + path, { headers })).status;
    const who = { authorization: 'Bearer ' + token };
    console.log('asked', JSON.stringify([
      await ask('/api/v1/clusters', who),
      await ask('/api/v1/clusters'),
      await ask('/api/v1/clusters', { authorization: 'Bearer a.b.c' }),
      await ask('/api/tiphys/v1/history', { authorization: 'Bearer a.b.c' }),
      'http://' + ARGOCD_SERVER === url && ARGOCD_AUTH_TOKEN === token, ARGOCD_OPTS, process.argv.slice(1)]));
    process.exit(7);`;
  const { code, text } = await core(process.execPath, '-e', script, '--', '--namespace', 'x', '--core');
  assert.match(
    text,
    /^asked \[200,401,401,401,true,"--plaintext",\["--namespace","x","--core"\]\]$/m,
    'the arguments of another program than argocd stay as they are',
  );
  assert.equal(code, 7);
});

test('tiphys core runs commands of tiphys, and prints what they print', async () => {
  const { code, text } = await core('tiphys', 'cluster', 'stats', '--core');
  assert.equal(code, 0, text);
  const [head, row] = text.trim().split('\n');
  assert.match(head ?? '', /^SERVER +SHARD +CONNECTION +NAMESPACES COUNT +APPS COUNT +RESOURCES COUNT$/);
  assert.match(row ?? '', /^https:\/\/kubernetes\.default\.svc +0 +Successful +0 +0 +\d+$/);
});

test('tiphys core says what cannot be started, and what cannot be reached', async () => {
  const missing = await core('no-such-program');
  assert.match(missing.text, /no-such-program cannot be started: there is no such program/);
  assert.equal(missing.code, 20);
  const none = await run('core', '--kubeconfig', join(folder, 'none'), 'argocd', 'app', 'list');
  assert.match(none.text, /Cannot read the kubeconfig: ENOENT/);
});
