import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runOwnCommands } from '../../../packages/serve/cli/own-commands.ts';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

async function cli(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const output = {
    out: (text: string) => void lines.push(text),
    error: (text: string) => void lines.push(text),
    colours: false,
  };
  const all = [...args, '--server', world.url, '--auth-token', await world.token()];
  const surroundings = {
    output,
    env: {},
    workdir: process.cwd(),
    signal: new AbortController().signal,
    askPassword: async () => undefined,
  };
  return { code: await runOwnCommands(all, surroundings), text: lines.join('\n') };
}

test('a branch is previewed for the applications that track its base, and shows no secret', async () => {
  const targetNamespace = await world.targetNamespace();
  const secret = (value: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {password: ${value}}\n`;
  const repository = world.repository({
    'one/a.yaml': configMap('first', 'old'),
    'one/s.yaml': secret('hunter2'),
    'two/a.yaml': configMap('second', 'old'),
  });
  repository.git('branch', 'release');
  repository.commit({ 'README.md': 'main is elsewhere' });
  for (const path of ['one', 'two']) await world.createApplication(path, repository, { path, targetNamespace });
  const source = { repoURL: repository.url, path: 'one', targetRevision: 'release' };
  await world.createApplication('released', repository, { source, targetNamespace });
  await world.waitForApplication('one', 'compared', ({ status }) => status?.sync?.status === 'OutOfSync');
  repository.git('checkout', '--quiet', '-b', 'feature');
  repository.commit({
    'one/a.yaml': configMap('first', 'new'),
    'one/b.yaml': configMap('added', 'a `` b'),
    'one/s.yaml': secret('hunter3'),
  });
  const base = ['preview', '--repo', repository.url, '--base', 'main'];
  const { code, text } = await cli(...base, '--head', 'feature');
  assert.equal(code, 0, text);
  assert.match(text, /1 of 2 applications would change/);
  assert.match(text, /===== change \/ConfigMap target-\w+\/first, Missing now ======/);
  assert.match(text, /^- {2}value: "?old"?$/m);
  assert.match(text, /^\+ {2}value: "?new"?$/m);
  assert.match(text, /create \/ConfigMap/);
  assert.match(text, /change \/Secret/);
  assert.doesNotMatch(text, /hunter|aHVudGVy/);
  assert.match(
    (await cli(...base, '--head', 'feature', '-o', 'markdown')).text,
    /<details><summary>change \/ConfigMap/,
  );
  assert.match((await cli(...base, '--head', 'feature', '--app', 'two')).text, /0 of 1 application would change/);

  repository.git('checkout', '--quiet', 'main');
  repository.commit({ 'two/a.yaml': configMap('second', 'newer') });
  repository.git('checkout', '--quiet', 'feature');
  assert.match(
    (await cli(...base, '--head', 'feature')).text,
    /1 of 2 applications would change/,
    'what the base got since the branch left it is not taken back by a merge',
  );

  repository.commit({ 'two/kustomization.yaml': 'resources: [missing.yaml]\n' });
  assert.match(
    (await cli(...base, '--head', 'feature')).text,
    /1 of 2 applications would change, 1 cannot be rendered/,
  );
  const refused = await world.rest('GET', '/api/tiphys/v1/preview?repo=x&base=main');
  assert.equal(refused.status, 400);
});
