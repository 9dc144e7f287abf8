import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatKubeconfig } from '@tiphys/kubernetes';
import { runOwnCommands } from '../../../packages/serve/cli/own-commands.ts';
import type { Surroundings } from '../../../packages/serve/cli/terminal/command-context.ts';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

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
  return await tiphysWith({}, ...argv);
}

async function tiphysWith(
  env: NodeJS.ProcessEnv,
  ...argv: string[]
): Promise<{ code: number; out: string; error: string }> {
  return await tiphysAt({ env: { XDG_CONFIG_HOME: folder, ...env } }, ...argv);
}

async function tiphysAt(
  more: Partial<Surroundings>,
  ...argv: string[]
): Promise<{ code: number; out: string; error: string }> {
  const out: string[] = [];
  const error: string[] = [];
  const code = await runOwnCommands(argv, {
    output: { out: (text) => void out.push(text), error: (text) => void error.push(text), colours: false },
    env: { XDG_CONFIG_HOME: folder },
    workdir: folder,
    signal: new AbortController().signal,
    askPassword: async () => undefined,
    ...more,
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
  assert.match(await succeeds('proj', 'get', 'team'), /Destinations: +https:\/\/kubernetes\.default\.svc,shop/);
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

test('rules, roles, tokens and windows of a project are kept by the verbs of argocd', async () => {
  await succeeds('login', world.url, '--password', world.password);
  await succeeds('proj', 'create', 'rules', '--description', 'Rules', '-d', 'https://kubernetes.default.svc,rules-*');
  await succeeds('proj', 'allow-cluster-resource', 'rules', '', 'Namespace');
  await succeeds('proj', 'deny-namespace-resource', 'rules', '', 'Secret');
  await succeeds('proj', 'add-source-namespace', 'rules', 'apps');
  await succeeds('proj', 'add-orphaned-ignore', 'rules', 'apps', 'Deployment', '--name', 'x-*');
  assert.equal((await tiphys('proj', 'add-destination', 'rules', 'https://kubernetes.default.svc', 'rules-*')).code, 1);
  assert.match(await succeeds('proj', 'allow-cluster-resource', 'rules', '', 'Namespace'), /already present/);
  await succeeds('proj', 'set', 'rules', '--src', 'https://git.example/*', '--orphaned-resources-warn');
  const spec = (await world.client.get({ ...projectRef('rules') })).spec as Record<string, unknown>;
  assert.deepEqual(spec, {
    description: 'Rules',
    destinations: [{ server: 'https://kubernetes.default.svc', namespace: 'rules-*' }],
    sourceRepos: ['https://git.example/*'],
    sourceNamespaces: ['apps'],
    clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
    namespaceResourceBlacklist: [{ group: '', kind: 'Secret' }],
    orphanedResources: { ignore: [{ group: 'apps', kind: 'Deployment', name: 'x-*' }], warn: true },
  });

  assert.equal(await succeeds('proj', 'role', 'create', 'rules', 'ci'), "Role 'ci' created");
  await succeeds('proj', 'role', 'add-policy', 'rules', 'ci', '-a', 'sync', '-o', '*');
  await succeeds('proj', 'role', 'add-group', 'rules', 'ci', 'builders');
  const token = await succeeds(
    'proj',
    'role',
    'create-token',
    'rules',
    'ci',
    '--expires-in',
    '1h',
    '--id',
    'first',
    '-t',
  );
  assert.match(await succeeds('account', 'get-user-info', '--auth-token', token), /Username: +proj:rules:ci/);
  const listed = await succeeds('proj', 'role', 'list-tokens', 'rules', 'ci', '-u');
  const issued = /^first +(\d+) +\d+$/m.exec(listed)?.[1] ?? assert.fail(listed);
  await succeeds('proj', 'role', 'delete-token', 'rules', 'ci', issued);
  assert.match(await succeeds('proj', 'role', 'list-tokens', 'rules', 'ci'), /No tokens/);
  assert.match(
    await succeeds('proj', 'role', 'get', 'rules', 'ci'),
    /p, proj:rules:ci, applications, sync, rules\/\*, allow\nGroups:\n {2}- builders/,
  );
  assert.equal((await tiphys('proj', 'role', 'get', 'rules', 'nobody')).code, 20);

  const window = ['--kind', 'deny', '--schedule', '0 22 * * *', '--duration', '1h', '--applications', 'a,b'];
  await succeeds('proj', 'windows', 'add', 'rules', ...window);
  await succeeds('proj', 'windows', 'enable-manual-sync', 'rules', '0');
  await succeeds('proj', 'windows', 'update', 'rules', '0', '--duration', '2h');
  assert.match(
    await succeeds('proj', 'windows', 'list', 'rules'),
    /^0 +(In)?[aA]ctive +deny +0 22 \* \* \* +2h +a,b +- +- +Enabled +Disabled +UTC +Disabled$/m,
  );
  assert.match((await tiphys('proj', 'windows', 'delete', 'rules', '7')).error, /window with id '7' not found/);
  await succeeds('proj', 'windows', 'delete', 'rules', '0');
  assert.equal(await succeeds('proj', 'windows', 'list', 'rules', '-o', 'json'), '[]');
});

const projectRef = (name: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  namespace: world.namespace,
  name,
});

test('a project and an application are edited in the editor of the user', async () => {
  await succeeds('login', world.url, '--password', world.password);
  await succeeds('proj', 'create', 'edited', '--description', 'before');
  const editor = join(folder, 'editor');
  writeFileSync(editor, '#!/bin/sh\nsed -i \'s/before/after/\' "$1"\n', { mode: 0o755 });
  const edit = async (file: string) => await tiphysWith({ EDITOR: file }, 'proj', 'edit', 'edited');
  assert.equal((await edit(editor)).code, 0);
  assert.match(await succeeds('proj', 'get', 'edited'), /Description: +after/);
  assert.match((await edit(editor)).out, /no changes made/);
  assert.match((await edit(join(folder, 'missing'))).error, /The editor .*missing failed/);
});

test('certificates, host keys, credentials and clusters are registered as argocd registers them', async () => {
  await succeeds('login', world.url, '--password', world.password);
  const hosts = join(folder, 'known_hosts');
  const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIB0q5lP1hP0y4f3Kd1gkYIuTDDpuCcJ0N5Q0n0c1u6Zx';
  writeFileSync(hosts, `# comment\n[git.verbs.example]:2222,other.verbs.example ssh-ed25519 ${key}\n`);
  assert.match(await succeeds('cert', 'add-ssh', '--batch', '--from', hosts), /Successfully created 2 SSH/);
  assert.match(await succeeds('cert', 'list', '--cert-type', 'ssh'), /other\.verbs\.example +ssh +ssh-ed25519/);
  assert.match(await succeeds('cert', 'rm', 'other.verbs.example'), /Removed cert for 'other\.verbs\.example'/);
  assert.match((await tiphys('cert', 'add-tls', 'git.verbs.example', '--from', hosts)).error, /has no certificate/);

  const prefix = 'https://git.verbs.example/team';
  await succeeds('repocreds', 'add', prefix, '--username', 'jane', '--password', 'secret');
  assert.match(await succeeds('repocreds', 'list'), /https:\/\/git\.verbs\.example\/team +jane +false +false/);
  const keyed = await tiphys('repocreds', 'add', prefix, '--ssh-private-key-path', hosts);
  assert.equal(keyed.code, 1);
  await succeeds('repocreds', 'rm', prefix);

  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, formatKubeconfig({ ...world.cluster.config, name: 'second' }), { mode: 0o600 });
  assert.match((await tiphys('cluster', 'add', '--kubeconfig', kubeconfig)).error, /Choose a context:[\s\S]*second/);
  const added = await succeeds(...['cluster', 'add', 'second', '--kubeconfig', kubeconfig, '--label', 'tier=two']);
  assert.equal(added, `Cluster '${world.cluster.config.server}' added`);
  await succeeds('cluster', 'set', 'second', '--name', 'renamed', '--namespace', 'only');
  const shown = await succeeds('cluster', 'get', 'renamed', '-o', 'json');
  assert.match(shown, /"tier": "two"/);
  assert.match(shown, /"only"/);
  assert.doesNotMatch(shown, /bearerToken|eyJ/);
  await succeeds('cluster', 'rm', 'renamed', '--yes');
});

test('sources of an application are added, taken away and cleared', async () => {
  await succeeds('login', world.url, '--password', world.password);
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a/a.yaml': configMap('a', 'one'), 'b/b.yaml': configMap('b', 'one') });
  const name = 'verbs-sources';
  const source = (path: string) => ({ repoURL: repository.url, path, targetRevision: 'main', name: path });
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: world.namespace },
    spec: {
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc', namespace },
      sources: [source('a')],
    },
  });
  await succeeds(
    'app',
    'add-source',
    name,
    '--repo',
    repository.url,
    '--path',
    'b',
    '--revision',
    'main',
    '--source-name',
    'b',
  );
  assert.match((await tiphys('app', 'set', name, '--directory-recurse')).error, /several sources[\s\S]*1: a, 2: b/);
  await succeeds('app', 'set', name, '--source-name', 'b', '--directory-exclude', 'x*', '--jsonnet-tla-str', 'k=v');
  const paths = async () => (await world.application(name)).spec.sources?.map(({ path }) => path).join();
  assert.equal(await paths(), 'a,b');
  const { spec } = await world.application(name);
  assert.deepEqual(spec.sources?.[1]?.directory, {
    exclude: 'x*',
    jsonnet: { tlas: [{ name: 'k', value: 'v' }] },
  });
  await succeeds('app', 'sync', name, '--resource', '*:ConfigMap:*', '--info', 'why=test', '--retry-limit', '1');
  await world.healthy(name);
  const live = await succeeds('app', 'get-resource', name, '--kind', 'ConfigMap', '--filter-fields', 'data');
  assert.match(live, /FIELD +RESOURCE NAME +VALUE[\s\S]*data\.value +b +one/);
  await succeeds('app', 'remove-source', name, '--source-position', '1');
  assert.equal(await paths(), 'b');
  assert.match((await tiphys('app', 'remove-source', name, '--source-position', '1')).error, /only source/);
});

test('parameters of a source are set and unset', async () => {
  await succeeds('login', world.url, '--password', world.password);
  const namespace = await world.targetNamespace();
  const { url } = world.repository({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': configMap('a', 'one') });
  const place = ['--repo', url, '--path', '.', '--revision', 'main', '--dest-namespace', namespace];
  const server = ['--dest-server', 'https://kubernetes.default.svc'];
  const name = 'verbs-unset';
  const images = ['--kustomize-image', 'nginx=registry.example/nginx:2', '--kustomize-common-label', 'team=a'];
  await succeeds('app', 'create', name, ...place, ...server, '--nameprefix', 'x-', ...images);
  await succeeds('app', 'unset', name, '--nameprefix', '--kustomize-image', 'nginx');
  const { spec } = await world.application(name);
  assert.deepEqual(spec.source?.kustomize, { commonLabels: { team: 'a' } });
});

test('another revision and a local folder are compared, printed and synced; nothing is changed that nobody agreed to', async () => {
  await succeeds('login', world.url, '--password', world.password);
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'app/a.yaml': configMap('a', 'one') });
  await world.createApplication('verbs-local', repository, { path: 'app', targetNamespace: namespace });
  await succeeds('app', 'sync', 'verbs-local');
  await world.healthy('verbs-local');
  repository.git('checkout', '-q', '-b', 'feature');
  repository.commit({ 'app/a.yaml': configMap('a', 'two'), 'app/b.yaml': configMap('b', 'new') });
  repository.git('checkout', '-q', 'main');
  const feature = await tiphys('app', 'diff', 'verbs-local', '--revision', 'feature');
  assert.equal(feature.code, 1, feature.error);
  assert.match(feature.out, /- +value: one\n\+ +value: two/);
  assert.match(feature.out, /===== \/ConfigMap \S*b ======/);

  const local = join(folder, 'checkout');
  mkdirSync(join(local, 'app'), { recursive: true });
  writeFileSync(join(local, 'app', 'a.yaml'), configMap('a', 'local'));
  for (const dir of [local, join(local, 'app')])
    assert.match(await succeeds('app', 'manifests', 'verbs-local', '--local', dir), /value: local/);
  const compared = await tiphys('app', 'diff', 'verbs-local', '--local', local);
  assert.equal(compared.code, 1, compared.error);
  assert.match(compared.out, /- +value: one\n\+ +value: local/);
  const elsewhere = await tiphys('app', 'diff', 'verbs-local', '--local', folder);
  assert.match(elsewhere.error, /holds no folder app, which the application is made of/);

  const preview = ['app', 'sync', 'verbs-local', '--local', local, '--preview-changes'];
  const unasked = await tiphys(...preview);
  assert.equal(unasked.code, 1);
  assert.match(unasked.error, /--assumeYes goes on/);
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' };
  const value = async () => ((await world.client.get(ref)).data as Record<string, string>).value;
  assert.equal(await value(), 'one');
  await succeeds(...preview, '--assumeYes');
  assert.equal(await value(), 'local');

  const shown = await succeeds('app', 'get', 'verbs-local', '--show-operation', '--show-params');
  assert.match(shown, /Asked For By: +admin/);
  assert.match(shown, /NAME +VALUE/);
  await succeeds('app', 'sync', 'verbs-local');
  const waited = await succeeds('app', 'wait', 'verbs-local', '--sync', '--resource', ':ConfigMap:a');
  assert.match(waited, /Sync Status/);
  assert.match(
    await succeeds('app', 'resources', 'verbs-local', '--orphaned'),
    /^GROUP +KIND +NAMESPACE +NAME +ORPHANED$/,
  );
});

test('who sits at a terminal is asked before something is deleted', async () => {
  await succeeds('login', world.url, '--password', world.password);
  await succeeds('proj', 'create', 'asked');
  const asked: string[] = [];
  const answering = (answer: string) => ({
    ask: async (question: string) => {
      asked.push(question);
      return answer;
    },
  });
  assert.equal((await tiphysWith({}, ...['proj', 'delete', 'asked'])).code, 0, 'nobody is asked without a terminal');
  await succeeds('proj', 'create', 'asked');
  assert.equal((await tiphysAt(answering('n'), 'proj', 'delete', 'asked')).code, 1);
  assert.match(await succeeds('proj', 'get', 'asked'), /asked/);
  assert.equal((await tiphysAt(answering('y'), 'proj', 'delete', 'asked')).code, 0);
  assert.notEqual((await tiphys('proj', 'get', 'asked')).code, 0);
  assert.deepEqual(asked, Array(2).fill("Are you sure you want to delete 'asked'? [y/n] "));
});

test('policies of signatures are kept by the verbs of argocd, and the hash of a password is printed', async () => {
  await succeeds('login', world.url, '--password', world.password);
  await succeeds('proj', 'create', 'signed');
  const policies = ['proj', 'source-integrity', 'git', 'policies'];
  const key = 'D56C4FCA57A46444';
  await succeeds(
    ...policies,
    'add',
    'signed',
    '--repo-url',
    'https://git.example/*',
    '--gpg-mode',
    'head',
    '--gpg-key',
    key,
  );
  assert.match(await succeeds(...policies, 'list', 'signed'), new RegExp(`0 +https://git\\.example/\\* +head +${key}`));
  await succeeds(
    ...policies,
    'update',
    'signed',
    '0',
    '--add-repo-url',
    'https://other.example/*',
    '--gpg-mode',
    'strict',
  );
  assert.match(await succeeds(...policies, 'list', 'signed'), /git\.example\/\*, https:\/\/other\.example\/\* +strict/);
  assert.match((await tiphys(...policies, 'delete', 'signed', '7')).error, /policy with id '7' not found/);
  await succeeds(...policies, 'delete', 'signed', '0');
  assert.doesNotMatch(await succeeds(...policies, 'list', 'signed'), /git\.example/);
  const hash = await succeeds('account', 'bcrypt', '--password', 'correct horse');
  assert.match(hash, /^\$2[aby]\$10\$/);
});
