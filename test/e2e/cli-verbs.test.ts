import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runOwnCommands } from '../../packages/serve/cli/own-commands.ts';
import { configMap } from './manifests.ts';
import { World } from './world.ts';

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'tiphys-verbs-'));
before(async () => {
  world = await World.start();
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command as a user would, with sessions of the test's own. */
async function tiphys(...argv: string[]): Promise<{ code: number; out: string; error: string }> {
  const out: string[] = [];
  const error: string[] = [];
  const code = await runOwnCommands(argv, {
    output: { out: (text) => void out.push(text), error: (text) => void error.push(text), colours: false },
    env: { XDG_CONFIG_HOME: folder },
    workdir: folder,
    signal: new AbortController().signal,
    askPassword: async () => undefined,
  });
  return { code, out: out.join('\n'), error: error.join('\n') };
}

async function succeeds(...argv: string[]): Promise<string> {
  const { code, out, error } = await tiphys(...argv);
  assert.equal(code, 0, `${argv.join(' ')}: ${error}`);
  return out;
}

/** No other test of a shared cluster has an application of this name: their objects would be told apart by nothing. */
const application = 'verbs-shop';

test('an application is made, changed, looked at and ended by the verbs of argocd', async () => {
  const wrong = await tiphys('login', world.url, '--password', 'wrong');
  assert.equal(wrong.code, 20);
  assert.match(wrong.error, /Check user name and password/);
  assert.doesNotMatch(wrong.error, /tiphys login/);
  await succeeds('login', world.url, '--password', world.password);

  const namespace = await world.targetNamespace();
  const repository = world.repository({
    'app/kustomization.yaml': 'resources: [a.yaml]\n',
    'app/a.yaml': configMap('a', 'one'),
  });
  const destination = ['--dest-server', 'https://kubernetes.default.svc', '--dest-namespace', namespace];
  const source = ['--repo', repository.url, '--path', 'app', '--revision', 'main'];
  const made = await succeeds(
    'app',
    'create',
    application,
    ...source,
    ...destination,
    '--sync-policy',
    'auto',
    '--self-heal',
  );
  assert.equal(made, `application '${application}' created`);
  await world.healthy(application);
  await succeeds(
    'app',
    'set',
    application,
    '--auto-prune',
    '--sync-option',
    'ServerSideApply=true',
    '--nameprefix',
    'my-',
  );
  const { spec } = await world.application(application);
  assert.deepEqual(spec.syncPolicy, {
    automated: { prune: true, selfHeal: true },
    syncOptions: ['ServerSideApply=true'],
  });
  assert.equal(spec.source?.kustomize?.namePrefix, 'my-');
  const named = (wanted: string) =>
    world.waitForApplication(
      application,
      `its object is ${wanted}, and nothing else is left`,
      ({ status }) =>
        status?.sync?.status === 'Synced' &&
        status.operationState?.phase === 'Succeeded' &&
        (status.resources ?? []).map(({ name }) => name).join() === wanted,
    );
  await named('my-a');
  assert.match(await succeeds('app', 'resources', application), /ConfigMap +target-\w+ +my-a/);
  await succeeds('app', 'patch', application, '--type', 'merge', '--patch', '{"spec":{"source":{"kustomize":null}}}');
  await named('a');
  assert.match(await succeeds('app', 'actions', 'list', application, '--kind', 'ConfigMap'), /GROUP +KIND/);
  const none = await tiphys('app', 'actions', 'run', application, 'restart', '--kind', 'Deployment');
  assert.equal(none.code, 1);
  assert.match(none.error, /No matching resource found/);
  const unknown = await tiphys('app', 'get', 'nowhere');
  assert.equal(unknown.code, 20);
  assert.match(unknown.error, /application 'nowhere' not found, or not permitted/);
});

test('projects, repositories, clusters and accounts are listed and changed', async () => {
  await succeeds('login', world.url, '--password', world.password);
  await succeeds('proj', 'create', 'team', '--description', 'A team', '--src', 'https://git.example/*');
  await succeeds('proj', 'add-destination', 'team', 'https://kubernetes.default.svc', 'shop');
  await succeeds('proj', 'add-source', 'team', 'https://other.example/x');
  assert.match(await succeeds('proj', 'get', 'team'), /Destination: +https:\/\/kubernetes\.default\.svc,shop/);
  assert.match(await succeeds('proj', 'list'), /^team +A team/m);
  await succeeds('proj', 'delete', 'team');
  assert.doesNotMatch(await succeeds('proj', 'list', '-o', 'name'), /team/);

  const { url } = world.repository({ 'a.yaml': configMap('a', 'one') });
  assert.equal(await succeeds('repo', 'add', url), `Repository '${url}' added`);
  assert.match(await succeeds('repo', 'list'), new RegExp(`git .*${url}`));
  await succeeds('repo', 'rm', url);
  assert.match(await succeeds('cluster', 'list'), /https:\/\/kubernetes\.default\.svc +in-cluster/);
  assert.match(await succeeds('account', 'list'), /^admin +true +login/m);
  assert.match(await succeeds('account', 'get-user-info'), /Username: +admin/);
  assert.equal(await succeeds('account', 'can-i', 'sync', 'applications', 'default/shop'), 'yes');
  assert.match(await succeeds('version', '--short'), /tiphys: .*\nargocd-server: /);
});

test('each server has its own context, and one is used when none is named', async () => {
  await succeeds('login', world.url, '--password', world.password);
  const host = new URL(world.url).host;
  assert.match(await succeeds('context'), new RegExp(`\\* +${host}`));
  assert.equal(await succeeds('context', host), `Switched to context '${host}'`);
  assert.equal((await tiphys('context', 'elsewhere:1')).code, 1);
  assert.equal(await succeeds('logout'), `Logged out from '${host}'`);
  assert.equal((await tiphys('logout')).code, 1);
});
