import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { startGitServer } from '@tiphys/git/testing';
import { type KubeObject, systemClock } from '@tiphys/kubernetes';
import { packageChart, startHelmRepository } from '@tiphys/registry/testing';
import { lockDigest, printLock } from '../../../packages/render/helm/dependency/chart-lock.ts';
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

/** A token of a new account that may do so much with applications. */
async function tokenOf(name: string, rights: readonly string[]): Promise<string> {
  const configMap = (of: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: of });
  await world.client.patch(configMap('argocd-cm'), 'merge', { data: { [`accounts.${name}`]: 'apiKey' } });
  const policy = rights.map((right) => `p, ${name}, applications, ${right}, allow`).join('\n');
  await world.client.patch(configMap('argocd-rbac-cm'), 'merge', { data: { 'policy.csv': policy } });
  for (const limit = AbortSignal.timeout(60_000); ; await systemClock.sleep(20)) {
    const made = await world.rest<{ token?: string }>('POST', `/api/v1/account/${name}/token`, {});
    if (made.body.token) return made.body.token;
    assert.ok(!limit.aborted, JSON.stringify(made));
  }
}

interface Opened {
  readonly path: string;
  readonly authorization: string;
  readonly body: Record<string, string>;
}

/** A host with a repository that only a user may read and write, and an API that opens pull requests. */
async function startHost(t: TestContext, files: Readonly<Record<string, string>>) {
  const repository = world.repository(files);
  repository.git('config', 'http.receivepack', 'true');
  repository.git('config', 'receive.denyCurrentBranch', 'ignore');
  const server = await startGitServer(dirname(repository.url), { auth: { username: 'robot', password: 'hush' } });
  const opened: Opened[] = [];
  const front = createServer((request, response) => {
    const { url = '', method = '', headers } = request;
    if (!url.startsWith('/api/')) {
      const { port } = new URL(server.url);
      const onward = httpRequest({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      // a look at the repository may come while the servers go
      onward.on('error', () => response.destroy());
      request.pipe(onward);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      opened.push({
        path: url,
        authorization: headers.authorization ?? '',
        body: JSON.parse(Buffer.concat(chunks).toString()),
      });
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ html_url: `http://${headers.host}/shop/pulls/1` }));
    });
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  t.after(async () => {
    front.closeAllConnections();
    front.close();
    await server.close();
  });
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/${basename(repository.url)}`;
  for (const type of ['repository', 'repository-write'])
    await world.client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: `${type}-${basename(repository.url)
          .toLowerCase()
          .replace(/[^a-z0-9]/g, '')}`,
        namespace: world.namespace,
        labels: { 'argocd.argoproj.io/secret-type': type },
      },
      stringData: { url, type: 'git', username: 'robot', password: 'hush' },
    });
  return { repository, url, opened };
}

const workload = (image: string, name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - name: web
          image: ${image}
        - name: sidecar
          image: registry.example:5000/sidecar:1 # pinned
`;

test('versions of images are committed where the other application says them, after they were shown', async (t) => {
  const targetNamespace = await world.targetNamespace();
  const { repository, url } = await startHost(t, {
    'staging/web.yaml': workload('registry.example:5000/shop:1.10', 'staging'),
    'prod/kustomization.yaml':
      'resources: [web.yaml]\nimages:\n  # by the team\n  - name: shop\n    newName: registry.example:5000/shop\n    newTag: "1.9" # oldest\n  - name: other\n    newTag: "1.9"\n',
    'prod/web.yaml': workload('shop', 'prod'),
    'other/a.yaml': configMap('other', 'old'),
  });
  for (const path of ['staging', 'prod', 'other'])
    await world.createApplication(path, repository, {
      source: { repoURL: url, path, targetRevision: 'main' },
      targetNamespace,
    });
  const tip = repository.git('rev-parse', 'main');
  const dry = await cli('promote', 'staging', '--to', 'prod', '--dry-run');
  assert.equal(dry.code, 0, dry.text);
  assert.match(dry.text, /^registry\.example:5000\/shop: 1\.9 → 1\.10$/m);
  assert.match(dry.text, /^change prod\/kustomization\.yaml$/m);
  assert.match(dry.text, /^- +(?:- )?image: "?registry\.example:5000\/shop:1\.9"?$/m);
  assert.match(dry.text, /^\+ +(?:- )?image: "?registry\.example:5000\/shop:1\.10"?$/m);
  assert.match(dry.text, /1 of 3 applications would change, by a commit to main/);
  assert.notEqual((await cli('promote', 'staging', '--to', 'prod')).code, 0);
  assert.equal(repository.git('rev-parse', 'main'), tip, 'nothing is committed before it is wanted');

  const done = await cli('promote', 'staging', '--to', 'prod', '--yes');
  assert.equal(done.code, 0, done.text);
  assert.match(done.text, /Commit [0-9a-f]{12} pushed to main/);
  assert.equal(
    repository.git('show', 'main:prod/kustomization.yaml'),
    'resources: [web.yaml]\nimages:\n  # by the team\n  - name: shop\n    newName: registry.example:5000/shop\n    newTag: "1.10" # oldest\n  - name: other\n    newTag: "1.9"',
  );
  assert.equal(repository.git('diff', '--name-only', tip, 'main'), 'prod/kustomization.yaml');
  assert.match(
    repository.git('log', '-1', '--format=%B', 'main'),
    /^Promote registry\.example:5000\/shop 1\.10 to \S+\/prod\n\nAs delivered by \S+\/staging at [0-9a-f]{40}\.$/,
  );
  assert.match((await cli('promote', 'staging', '--to', 'prod', '--yes')).text, /Nothing to promote/);

  const path = `/api/tiphys/v1/applications/staging/promote`;
  repository.commit({ 'staging/web.yaml': workload('registry.example:5000/shop:1.11', 'staging') });
  const shown = await world.rest<{ digest: string }>('POST', path, { to: 'prod' });
  repository.commit({ 'README.md': 'somebody pushed in between' });
  const late = await world.rest<{ message: string }>('POST', path, { to: 'prod', digest: shown.body.digest });
  assert.match(late.body.message, /not what was shown/);
  assert.equal(late.status, 400);
});

test('a folder of another branch is proposed as a pull request', async (t) => {
  const targetNamespace = await world.targetNamespace();
  const { repository, url, opened } = await startHost(t, {
    'app/a.yaml': configMap('first', 'old'),
    'app/gone.yaml': configMap('gone', 'x'),
    'README.md': 'of main',
  });
  repository.git('branch', 'production');
  repository.git('rm', '--quiet', 'app/gone.yaml');
  repository.commit({
    'app/a.yaml': configMap('first', 'new'),
    'app/b.yaml': configMap('added', 'x'),
    'README.md': 'new',
  });
  for (const [name, targetRevision] of [
    ['from-main', 'main'],
    ['to-production', 'production'],
  ] as const)
    await world.createApplication(name, repository, {
      source: { repoURL: url, path: 'app', targetRevision },
      targetNamespace,
    });
  const unknown = await cli('promote', 'from-main', '--to', 'to-production', '--yes', '--pull-request');
  assert.match(
    unknown.text,
    /The address does not tell what host this is: propose promote\/to-production-[0-9a-f]{10} there/,
  );
  assert.equal(opened.length, 0);
  const branch = repository.git('branch', '--list', 'promote/*', '--format=%(refname:short)');
  repository.git('checkout', '--quiet', branch);
  repository.git('commit', '--quiet', '--allow-empty', '-m', 'somebody reviewed it');
  const reviewed = repository.git('rev-parse', branch);
  repository.git('checkout', '--quiet', 'main');
  const proposed = await cli(
    'promote',
    'from-main',
    '--to',
    'to-production',
    '--yes',
    '--pull-request',
    '--host',
    'gitea',
  );
  assert.equal(proposed.code, 0, proposed.text);
  assert.match(proposed.text, /^delete app\/gone\.yaml$/m);
  assert.match(proposed.text, /The branch promote\/to-production-[0-9a-f]{10} has this change already/);
  assert.equal(repository.git('rev-parse', branch), reviewed, 'what is there is left as it is');
  assert.match(proposed.text, /Pull request http:\S+\/pulls\/1/);
  assert.equal(
    repository.git('diff', '--name-only', '--no-renames', 'production', branch),
    'app/a.yaml\napp/b.yaml\napp/gone.yaml',
  );
  assert.equal(repository.git('diff', 'main', branch, '--', 'app'), '');
  const [{ path, authorization, body } = { path: '', authorization: '', body: {} }] = opened;
  assert.match(path, /^\/api\/v1\/repos\/.*\/pulls$/);
  assert.equal(authorization, 'token hush');
  assert.deepEqual([body.head, body.base], [branch, 'production']);
  assert.match(body.title ?? '', /^Promote \S+\/from-main to \S+\/to-production$/);
  assert.match(body.body ?? '', /<details><summary>change \/ConfigMap/);
});

test('who may not change an application that the commit changes commits nothing; what has no place is told', async (t) => {
  const targetNamespace = await world.targetNamespace();
  const { repository, url } = await startHost(t, {
    'next/web.yaml': workload('shop:2', 'next'),
    'shared/kustomization.yaml': 'resources: [web.yaml]\n',
    'shared/web.yaml': workload('shop:1', 'shared'),
    'odd/kustomization.yaml': 'resources: [../shared]\n',
  });
  for (const name of ['next', 'shared', 'odd'])
    await world.createApplication(name, repository, {
      source: { repoURL: url, path: name, targetRevision: 'main' },
      targetNamespace,
    });
  const odd = await cli('promote', 'next', '--to', 'odd', '--dry-run');
  assert.notEqual(odd.code, 0);
  assert.match(odd.text, /No file of odd says the version of shop in a form that can be changed/);
  const both = await cli('promote', 'next', '--to', 'shared', '--dry-run');
  assert.match(both.text, /2 of 3 applications would change/, 'the other that reads the file is shown');
  const token = await tokenOf('bob', ['get, */*', 'update, default/shared']);
  const ask = async (body: object) => {
    const response = await fetch(`${world.url}/api/tiphys/v1/applications/next/promote`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: 'shared', ...body }),
    });
    return { status: response.status, body: (await response.json()) as { digest?: string } };
  };
  const { digest } = (await ask({})).body;
  assert.ok(digest);
  const tip = repository.git('rev-parse', 'main');
  assert.equal((await ask({ digest })).status, 403, 'odd would change too');
  assert.equal(repository.git('rev-parse', 'main'), tip);
  await world.client.patch(world.applicationRef('shared'), 'merge', {
    spec: { source: { targetRevision: tip } },
  });
  const pinned = await cli('promote', 'next', '--to', 'shared', '--dry-run');
  assert.match(pinned.text, /which is no branch/);
});

/** A Helm repository with versions of the chart `web`. */
async function startCharts(t: TestContext): Promise<string> {
  const charts = await startHelmRepository();
  t.after(() => charts.close());
  for (const version of ['1.0.0', '1.1.0']) charts.add('web', version, packageChart('web', version));
  return charts.url;
}

test('the version of a chart is committed where another application declares the application', async (t) => {
  const targetNamespace = await world.targetNamespace();
  const charts = await startCharts(t);
  const chartOf = (targetRevision: string) => ({ repoURL: charts, chart: 'web', targetRevision });
  const child = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: chart-prod, namespace: ${world.namespace}}
spec:
  project: default
  source: {repoURL: "${charts}", chart: web, targetRevision: 1.0.0} # by the team
  destination: {server: https://kubernetes.default.svc, namespace: ${targetNamespace}}
`;
  const { repository, url } = await startHost(t, { 'fleet/shop.yaml': `${configMap('beside', 'x')}---\n${child}` });
  await world.createApplication('chart-staging', repository, { source: chartOf('1.1.0'), targetNamespace });
  await world.createApplication('alone', repository, { source: chartOf('1.0.0'), targetNamespace });
  const alone = await cli('promote', 'chart-staging', '--to', 'alone', '--dry-run');
  assert.notEqual(alone.code, 0);
  assert.match(alone.text, /no application delivers the manifest of the application/);

  await world.createApplication('fleet', repository, {
    source: { repoURL: url, path: 'fleet', targetRevision: 'main' },
    targetNamespace,
    syncPolicy: { automated: {} },
  });
  await world.healthy('fleet');
  const done = await cli('promote', 'chart-staging', '--to', 'chart-prod', '--yes');
  assert.equal(done.code, 0, done.text);
  assert.match(done.text, /\/web: 1\.0\.0 → 1\.1\.0$/m);
  assert.match(done.text, /^change fleet\/shop\.yaml$/m);
  assert.match(done.text, /chart-prod\n===== /, 'what the chart changes of the application is shown');
  assert.match(done.text, /\/fleet\n===== /, 'and what the commit changes of the one that declares it');
  assert.equal(
    repository.git('show', 'main:fleet/shop.yaml'),
    `${configMap('beside', 'x')}---\n${child.replace('1.0.0', '1.1.0').trimEnd()}`,
  );
  await world.waitForApplication(
    'chart-prod',
    'the new version',
    ({ spec }) => spec.source?.targetRevision === '1.1.0',
  );
  assert.match((await cli('promote', 'chart-staging', '--to', 'chart-prod')).text, /Nothing to promote/);
});

test('versions of dependencies, with their lock, and of remote bases are committed', async (t) => {
  const targetNamespace = await world.targetNamespace();
  const charts = await startCharts(t);
  const { repository, url } = await startHost(t, { 'base/kustomization.yaml': 'resources: []\n' });
  const chart = (name: string, version: string) =>
    `apiVersion: v2\nname: ${name}\nversion: 0.1.0\ndependencies:\n  - name: web # the shop\n    repository: ${charts}\n    version: ${version}\n`;
  const lock = (version: string, alias = '') => {
    const dependencies = [{ name: 'web', version, repository: charts }];
    const wanted = dependencies.map((each) => ({
      ...each,
      alias,
      condition: '',
      tags: [],
      importValues: [],
      enabled: false,
    }));
    return printLock({ dependencies, digest: lockDigest(wanted, dependencies), generated: '2026-01-01T00:00:00Z' });
  };
  const overlay = (version: string) => `resources:\n  # by the platform team\n  - ${url}//base?ref=${version}\n`;
  repository.commit({
    'base/kustomization.yaml': 'resources: [cm.yaml]\n',
    'base/cm.yaml': configMap('of-base', 'one'),
  });
  repository.git('tag', 'v1');
  repository.commit({ 'base/cm.yaml': configMap('of-base', 'two') });
  repository.git('tag', 'v2');
  repository.commit({
    'chart-new/Chart.yaml': chart('new', '1.1.0'),
    'chart-new/Chart.lock': lock('1.1.0'),
    'chart-old/Chart.yaml': chart('old', '1.0.0'),
    'chart-old/Chart.lock': lock('1.0.0'),
    'chart-other/Chart.yaml': `${chart('other', '1.0.0')}    alias: shop\n`,
    'chart-other/Chart.lock': lock('1.0.0', 'shop'),
    'chart-held/Chart.yaml': chart('held', '1.0.0'),
    'chart-held/charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'base-new/kustomization.yaml': overlay('v2'),
    'base-old/kustomization.yaml': overlay('v1'),
  });
  for (const path of ['chart-new', 'chart-old', 'chart-other', 'chart-held', 'base-new', 'base-old'])
    await world.createApplication(path, repository, {
      source: { repoURL: url, path, targetRevision: 'main' },
      targetNamespace,
    });
  const dependency = await cli('promote', 'chart-new', '--to', 'chart-old', '--yes');
  assert.equal(dependency.code, 0, dependency.text);
  assert.match(dependency.text, /\/web: 1\.0\.0 → 1\.1\.0$/m);
  assert.equal(repository.git('show', 'main:chart-old/Chart.yaml'), chart('old', '1.1.0').trimEnd());
  assert.equal(repository.git('show', 'main:chart-old/Chart.lock'), lock('1.1.0').trimEnd());
  const other = await cli('promote', 'chart-new', '--to', 'chart-other', '--yes');
  assert.match(other.text, /chart-other\/Chart\.lock has to be made anew with it: helm dependency update/);
  const held = await cli('promote', 'chart-new', '--to', 'chart-held', '--yes');
  assert.notEqual(held.code, 0);
  assert.match(held.text, /charts\/ beside chart-held\/Chart\.yaml holds it as a file/);
  const base = await cli('promote', 'base-new', '--to', 'base-old', '--yes');
  assert.equal(base.code, 0, base.text);
  assert.match(base.text, /\/\/base: v1 → v2$/m);
  assert.match(base.text, /^\+ +value: "?two"?$/m);
  assert.equal(repository.git('show', 'main:base-old/kustomization.yaml'), overlay('v2').trimEnd());
});

test('of hydrated applications the dry source is promoted', async (t) => {
  const targetNamespace = await world.targetNamespace();
  const { repository, url } = await startHost(t, {
    'dry-staging/web.yaml': workload('shop:2', 'dry-staging'),
    'dry-prod/web.yaml': workload('shop:1', 'dry-prod'),
  });
  for (const name of ['dry-staging', 'dry-prod'])
    await world.client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: world.namespace },
      spec: {
        project: 'default',
        sourceHydrator: {
          drySource: { repoURL: url, path: name, targetRevision: 'main' },
          syncSource: { targetBranch: `env/${name}`, path: 'out' },
        },
        destination: { server: 'https://kubernetes.default.svc', namespace: targetNamespace },
      },
    } as KubeObject);
  const hydrated = (name: string) =>
    world.waitForApplication(
      name,
      'hydrated',
      ({ status }) => status?.sourceHydrator?.lastSuccessfulOperation?.drySHA !== undefined,
    );
  const delivered = await hydrated('dry-staging');
  await hydrated('dry-prod');
  const sha = delivered.status?.sourceHydrator?.lastSuccessfulOperation?.drySHA;
  const done = await cli('promote', 'dry-staging', '--to', 'dry-prod', '--yes');
  assert.equal(done.code, 0, done.text);
  assert.match(done.text, /^shop: 1 → 2$/m);
  assert.equal(repository.git('show', 'main:dry-prod/web.yaml'), workload('shop:2', 'dry-prod').trimEnd());
  assert.match(repository.git('log', '-1', '--format=%B', 'main'), new RegExp(`dry-staging at ${sha}`));
  const next = repository.git('rev-parse', 'main');
  await world.waitForApplication(
    'dry-prod',
    'hydrated anew',
    ({ status }) => status?.sourceHydrator?.lastSuccessfulOperation?.drySHA === next,
  );
  assert.match(repository.git('show', 'env/dry-prod:out/manifest.yaml'), /image: shop:2/);
});
