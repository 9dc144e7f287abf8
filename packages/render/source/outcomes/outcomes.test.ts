import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ApplicationSource } from '@tiphys/api';
import type { TestRepository } from '@tiphys/git/testing';
import { systemClock } from '@tiphys/kubernetes';
import type { Manifests } from '../manifests.ts';
import type { ClusterFacts, Rendered, RenderRequest } from '../request/rendered.ts';
import { configMap, namesOf, requestFor, SourceWorld } from '../testing/source-world.ts';
import { DiskStore } from './disk-store.ts';

const world = new SourceWorld();
const closing: (() => unknown)[] = [];
after(() => Promise.all(closing.map((close) => close())));

const render = (
  manifests: Manifests,
  repository: TestRepository,
  source?: Partial<ApplicationSource>,
  more?: Partial<RenderRequest>,
): Promise<Rendered> => manifests.render(requestFor(repository, source, more));
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(path, name)).isFile());

const everyTool: Record<string, [files: Record<string, string>, touched: Record<string, string>]> = {
  directory: [{ 'app/a.yaml': configMap('one') }, { 'app/a.yaml': configMap('two') }],
  helm: [
    {
      'app/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      'app/values.yaml': 'name: one\n',
      'app/templates/cm.yaml': configMap('{{ .Values.name }}'),
    },
    { 'app/values.yaml': 'name: two\n' },
  ],
  kustomize: [
    {
      'app/kustomization.yaml': 'resources: [../base]\n',
      'base/kustomization.yaml': 'resources: [a.yaml]\n',
      'base/a.yaml': configMap('one'),
    },
    { 'base/a.yaml': configMap('two') },
  ],
  jsonnet: [
    {
      'app/a.jsonnet': 'import "../lib/x.libsonnet"',
      'lib/x.libsonnet': '{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } }',
    },
    { 'lib/x.libsonnet': '{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "two" } }' },
  ],
};

for (const [tool, [files, touched]] of Object.entries(everyTool)) {
  test(`${tool}: a commit that touches nothing that was read is a hit, another one a miss`, async () => {
    const manifests = world.manifestsOf();
    const repository = world.repositoryOf(files);
    const first = await render(manifests, repository);
    assert.deepEqual([namesOf(first), first.found], [['one'], 'rendered']);
    const second = await render(manifests, repository);
    assert.equal(second.found, 'memory');
    const commit = repository.commit({ 'elsewhere/x.yaml': 'x: 1\n' });
    const third = await render(manifests, repository);
    assert.deepEqual([third.found, third.revision, third.digest], ['memory', commit, first.digest]);
    assert.equal(third.objects, first.objects);
    repository.commit(touched);
    const fourth = await render(manifests, repository);
    assert.deepEqual([namesOf(fourth), fourth.found], [['two'], 'rendered']);
  });
}

for (const [tool, list, content] of [
  [
    'kustomize',
    (files: string[]) => ({ 'app/kustomization.yaml': `resources: [${files.map((file) => `${file}.yaml`)}]\n` }),
    (name: string) => ({ [`app/${name}.yaml`]: configMap(name) }),
  ],
  [
    'jsonnet',
    (files: string[]) => ({
      'lib.libsonnet': `[${files.map((file) => `import "${file}.libsonnet"`)}]`,
      'app/a.jsonnet': 'import "../lib.libsonnet"',
    }),
    (name: string) => ({
      [`${name}.libsonnet`]: `{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "${name}" } }`,
    }),
  ],
] as const) {
  test(`${tool}: two branches that read different files do not hide each other's changes`, async () => {
    const manifests = world.manifestsOf();
    const repository = world.repositoryOf({ ...list(['a']), ...content('a'), ...content('b') });
    repository.git('checkout', '--quiet', '-b', 'other');
    repository.commit(list(['a', 'b']));
    const both = async () => {
      const found: unknown[] = [];
      for (const targetRevision of ['main', 'other'])
        found.push(namesOf(await render(manifests, repository, { targetRevision })).join());
      return found;
    };
    for (let round = 0; round < 2; round += 1) assert.deepEqual(await both(), ['a', 'a,b']);
    const [changed = ''] = Object.values(content('c'));
    repository.commit({ [Object.keys(content('b'))[0] as string]: changed });
    for (let round = 0; round < 2; round += 1) assert.deepEqual(await both(), ['a', 'a,c']);
  });
}

test('a moved tag, another setting and another fact of the cluster are misses; what was is found again', async () => {
  const manifests = world.manifestsOf();
  const repository = world.repositoryOf({
    'app/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'app/templates/cm.yaml': configMap('{{ .Values.name }}-{{ .Capabilities.KubeVersion.Minor }}'),
  });
  repository.git('tag', 'stable');
  const cluster: ClusterFacts = { kubeVersion: 'v1.34.4' };
  const at = (name: string, more: Partial<RenderRequest> = {}) =>
    render(manifests, repository, { targetRevision: 'stable', helm: { valuesObject: { name } } }, { cluster, ...more });
  assert.equal((await at('a')).found, 'rendered');
  assert.equal((await at('b')).found, 'rendered');
  assert.equal((await at('a')).found, 'memory');
  const older = await at('a', { cluster: { kubeVersion: 'v1.33.1' } });
  assert.deepEqual([namesOf(older), older.found], [['a-33'], 'rendered']);
  repository.commit({ 'app/templates/cm.yaml': configMap('moved') });
  repository.git('tag', '--force', 'stable');
  assert.deepEqual(namesOf(await at('a')), ['moved']);
  repository.git('tag', '--force', 'stable', 'HEAD~1');
  const back = await at('a');
  assert.deepEqual([namesOf(back), back.found], [['a-34'], 'memory']);
});

test('what was rendered outlives the process; a lost, cut or altered entry is a miss', async () => {
  const cacheDir = join(world.folder, 'disk');
  const rendersOf = async (repository: TestRepository, wanted: Rendered['found']) => {
    const manifests = world.manifestsOf({ cacheDir });
    const rendered = await render(manifests, repository);
    await manifests.close();
    assert.equal(rendered.found, wanted);
    return rendered;
  };
  for (const [tool, [files]] of Object.entries(everyTool)) {
    const repository = world.repositoryOf(files);
    const first = await rendersOf(repository, 'rendered');
    const again = await rendersOf(repository, 'disk');
    assert.deepEqual(again.objects, first.objects, tool);
    assert.ok(Object.isFrozen(again.objects[0]?.object.metadata));
  }
  const repository = world.repositoryOf({ 'app/a.yaml': configMap('secret-marker') });
  await rendersOf(repository, 'rendered');
  const entries = join(cacheDir, 'renders', 'entries');
  for (const name of filesIn(entries)) {
    const content = readFileSync(join(entries, name));
    assert.ok(!content.includes('secret-marker') && !content.includes('ConfigMap'));
    assert.equal(statSync(join(entries, name)).mode & 0o077, 0, 'nobody else can read it');
    content[content.length >> 1] = (content[content.length >> 1] as number) ^ 1;
    writeFileSync(join(entries, name), content);
  }
  await rendersOf(repository, 'rendered');
  for (const name of filesIn(entries))
    writeFileSync(join(entries, name), readFileSync(join(entries, name)).subarray(0, 20));
  await rendersOf(repository, 'rendered');
  // An entry in the place of another one, as somebody who can write to the folder might put it.
  const other = world.repositoryOf({ 'app/a.yaml': configMap('other') });
  rmSync(join(cacheDir, 'renders', 'entries'), { recursive: true });
  await rendersOf(other, 'rendered');
  const [stolen = ''] = filesIn(entries);
  await rendersOf(repository, 'rendered');
  const victim = filesIn(entries).find((name) => name !== stolen) ?? '';
  cpSync(join(entries, stolen), join(entries, victim));
  assert.deepEqual(namesOf(await rendersOf(repository, 'rendered')), ['secret-marker']);
  rmSync(cacheDir, { recursive: true });
  await rendersOf(repository, 'rendered');
  await rendersOf(repository, 'disk');
});

test('failures are not kept beyond the process, and generated values never', async () => {
  const cacheDir = join(world.folder, 'failures');
  const repository = world.repositoryOf({
    'app/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'app/templates/cm.yaml': configMap('{{ randAlphaNum 20 | lower }}'),
    'bad/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: [\n',
  });
  const manifests = world.manifestsOf({ cacheDir });
  await render(manifests, repository);
  await assert.rejects(render(manifests, repository, { path: 'bad' }));
  await manifests.close();
  assert.deepEqual(filesIn(join(cacheDir, 'renders')), ['key']);
});

test('the folder stays below its limit; the least recently used entries go first', async () => {
  const path = join(world.folder, 'bounded');
  const store = new DiskStore(path, 10_000);
  for (let index = 0; index < 12; index += 1) {
    await store.put(`entry ${index}`, Buffer.alloc(1_000, index));
    assert.equal((await store.get('entry 0'))?.length, 1_000);
  }
  assert.equal(await store.get('entry 1'), undefined);
  assert.equal((await store.get('entry 11'))?.[0], 11);
  assert.ok(filesIn(path).length <= 10);
  const next = new DiskStore(path, 3_000);
  await next.put('one more', Buffer.alloc(100));
  assert.ok(filesIn(path).length <= 3);
});

/** Enough of Redis: AUTH, SELECT, INFO, GET, SET with EX. */
async function startRedis(
  password: string,
  port = 0,
): Promise<{ server: Server; port: number; data: Map<string, Buffer>; log: string[]; stop(): Promise<void> }> {
  const data = new Map<string, Buffer>();
  const log: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let buffer = Buffer.alloc(0);
    let known = false;
    const answer = (parts: Buffer[]) => {
      const command = parts[0]?.toString().toUpperCase();
      log.push(`${command} ${command === 'AUTH' ? '' : (parts[1]?.toString() ?? '')}`.trim());
      if (command === 'AUTH') {
        known = parts.at(-1)?.toString() === password;
        socket.write(known ? '+OK\r\n' : '-WRONGPASS\r\n');
      } else if (!known) socket.write('-NOAUTH Authentication required.\r\n');
      else if (command === 'GET') {
        const value = data.get(String(parts[1]));
        socket.write(
          value ? Buffer.concat([Buffer.from(`$${value.length}\r\n`), value, Buffer.from('\r\n')]) : '$-1\r\n',
        );
      } else {
        if (command === 'SET') data.set(String(parts[1]), parts[2] as Buffer);
        socket.write('+OK\r\n');
      }
    };
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, chunk as Buffer]);
      for (;;) {
        const parts: Buffer[] = [];
        const header = /^\*(\d+)\r\n/.exec(buffer.toString('latin1', 0, 20));
        if (!header) return;
        let at = header[0].length;
        for (let index = 0; index < Number(header[1]); index += 1) {
          const length = /^\$(\d+)\r\n/.exec(buffer.toString('latin1', at, at + 20));
          if (!length) return;
          at += length[0].length;
          if (buffer.length < at + Number(length[1]) + 2) return;
          parts.push(Buffer.from(buffer.subarray(at, at + Number(length[1]))));
          at += Number(length[1]) + 2;
        }
        buffer = buffer.subarray(at);
        answer(parts);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  closing.push(() => server.listening && stop());
  return { server, port: (server.address() as AddressInfo).port, data, log, stop };
}

test('replicas share through Redis, sealed; without it, or with another secret, nothing is shared and nothing fails', async () => {
  const redis = await startRedis('pw');
  const problems: (string | undefined)[] = [];
  let now = 1_000_000;
  const clock = { now: () => now, sleep: systemClock.sleep };
  const replica = (secret: string | undefined, password = 'pw') =>
    world.manifestsOf({
      clock,
      shared: {
        kind: 'server',
        servers: [{ host: '127.0.0.1', port: redis.port }],
        password,
        database: 1,
        secret: () => Promise.resolve(secret),
      },
      onProblem: (problem) => problems.push(problem),
    });
  const repository = world.repositoryOf({ 'app/a.yaml': configMap('shared-marker') });
  const first = replica('s');
  assert.equal((await render(first, repository)).found, 'rendered');
  await first.close();
  assert.deepEqual(redis.log.slice(0, 2), ['AUTH', 'SELECT 1']);
  const values = [...redis.data.values()];
  assert.equal(values.length, 1);
  assert.ok(!values[0]?.includes('shared-marker') && !values[0]?.includes('ConfigMap'));
  const second = await render(replica('s'), repository);
  assert.deepEqual([second.found, namesOf(second)], ['shared', ['shared-marker']]);
  assert.equal((await render(replica('other'), repository)).found, 'rendered');
  assert.equal((await render(replica(undefined), repository)).found, 'rendered');
  for (const [key, value] of redis.data) redis.data.set(key, Buffer.concat([value.subarray(0, -1), Buffer.from([0])]));
  assert.equal((await render(replica('s'), repository)).found, 'rendered');
  assert.deepEqual(problems, []);
  assert.equal((await render(replica('s', 'wrong'), repository)).found, 'rendered');
  assert.match(String(problems), /it refuses the password/);
  problems.length = 0;
  const long = replica('s');
  await redis.stop();
  assert.equal((await render(long, repository)).found, 'rendered');
  const asked = world.repositoryOf({ 'app/a.yaml': configMap('meanwhile') });
  assert.equal((await render(long, asked)).found, 'rendered');
  assert.equal(problems.length, 1, 'it is told once');
  const back = await startRedis('pw', redis.port);
  now += 60_000;
  const later = world.repositoryOf({ 'app/a.yaml': configMap('later') });
  assert.equal((await render(long, later)).found, 'rendered');
  await long.close();
  assert.equal(problems.at(-1), undefined);
  assert.equal(back.data.size, 1);
});

test('a thousand applications are asked for after one commit, and one is rendered again', async () => {
  const manifests = world.manifestsOf();
  const files: Record<string, string> = {};
  for (let index = 0; index < 1_000; index += 1) files[`apps/${index}/cm.yaml`] = configMap(`app-${index}`);
  const repository = world.repositoryOf(files);
  const all = async () => {
    const found: Record<string, number> = {};
    await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) => {
        const rendered = await render(manifests, repository, { path: `apps/${index}` }, { maxAge: 60_000 });
        found[rendered.found] = (found[rendered.found] ?? 0) + 1;
      }),
    );
    return found;
  };
  assert.deepEqual(await all(), { rendered: 1_000 });
  repository.commit({ 'apps/7/cm.yaml': configMap('changed') });
  world.git.invalidate({ url: repository.path });
  assert.deepEqual(await all(), { rendered: 1, memory: 999 });
});
