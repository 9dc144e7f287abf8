import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { connect } from '../connect/api-client.ts';
import { type FakeApiServer, sendJson, startFakeApiServer, status } from '../fake-api-server.ts';
import type { KubeObject } from '../object/object.ts';
import { ScriptedClock } from '../scripted-clock.ts';
import { Informer } from './informer.ts';

const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop' };

function configMap(name: string, resourceVersion: number, data: Record<string, string> = {}): KubeObject {
  const metadata = { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: `${resourceVersion}` };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

/** A server of ConfigMaps whose list and watches the test drives. */
class Cluster {
  objects: KubeObject[] = [];
  resourceVersion = 10;
  /** What the next watches answer instead of being held open. */
  refuse: { code: number; reason: string } | undefined;
  readonly lists: string[] = [];
  #watch = Promise.withResolvers<{ since: string; response: ServerResponse }>();
  server!: FakeApiServer;

  async start(): Promise<this> {
    this.server = await startFakeApiServer(({ query }, response) => {
      if (query.get('watch') === 'true') return this.#serveWatch(query.get('resourceVersion') ?? '', response);
      this.lists.push(`${query.get('limit')} ${query.get('continue') ?? ''}`.trim());
      const start = Number(query.get('continue') ?? 0);
      const end = start + Number(query.get('limit'));
      const rest = end < this.objects.length ? { continue: `${end}` } : {};
      const metadata = { resourceVersion: `${this.resourceVersion}`, ...rest };
      return sendJson(response, 200, {
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        metadata,
        items: this.objects.slice(start, end),
      });
    });
    return this;
  }

  #serveWatch(since: string, response: ServerResponse): void {
    const { refuse } = this;
    if (refuse) {
      this.refuse = undefined;
      sendJson(response, refuse.code, status(refuse.code, refuse.reason, 'refused'));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.#watch.resolve({ since, response });
  }

  /** The next watch that is opened. */
  async watch(): Promise<{ since: string; response: ServerResponse }> {
    const watch = await this.#watch.promise;
    this.#watch = Promise.withResolvers();
    return watch;
  }
}

async function follow(
  cluster: Cluster,
  options: { clock?: ScriptedClock; transform?: (o: KubeObject) => KubeObject | undefined } = {},
) {
  const client = connect({ server: cluster.server.url }, { caller: { component: 'test', purpose: 'follow' } });
  const informer = new Informer(client, { ref, pageSize: 2, ...options });
  const changes: string[] = [];
  let told = Promise.withResolvers<void>();
  informer.subscribe(({ type, object, old }) => {
    changes.push(
      `${type} ${object.metadata.name}@${object.metadata.resourceVersion}${old ? ` was ${old.metadata.resourceVersion}` : ''}`,
    );
    told.resolve();
  });
  const abort = new AbortController();
  informer.start(abort.signal);
  const until = async (count: number) => {
    while (changes.length < count) {
      told = Promise.withResolvers();
      await told.promise;
    }
  };
  const stop = async () => {
    abort.abort();
    await client.close();
    await cluster.server.close();
  };
  return { informer, changes, until, stop };
}

const send = (response: ServerResponse, type: string, object: object) =>
  response.write(`${JSON.stringify({ type, object })}\n`);

test('lists in pages, then follows the watch from the version of the list', async () => {
  const cluster = await new Cluster().start();
  cluster.objects = [configMap('a', 1), configMap('b', 2), configMap('c', 3)];
  const { informer, changes, until, stop } = await follow(cluster);
  await informer.synced;
  assert.deepEqual(cluster.lists, ['2', '2 2']);
  assert.equal(informer.size, 3);
  const { since, response } = await cluster.watch();
  assert.equal(since, '10');
  send(response, 'MODIFIED', configMap('a', 11));
  send(response, 'DELETED', configMap('b', 12));
  send(response, 'ADDED', configMap('d', 13));
  await until(6);
  assert.deepEqual(changes.slice(3), ['updated a@11 was 1', 'deleted b@12 was 2', 'added d@13']);
  assert.equal(informer.get('shop', 'b'), undefined);
  assert.equal(informer.state().resourceVersion, '13');
  await stop();
});

test('a watch that ends is resumed from the last bookmark, without a list', async () => {
  const cluster = await new Cluster().start();
  const clock = new ScriptedClock();
  const { informer, stop } = await follow(cluster, { clock });
  await informer.synced;
  const first = await cluster.watch();
  await clock.advance(60_000);
  send(first.response, 'BOOKMARK', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '42' } });
  first.response.end();
  const second = await cluster.watch();
  assert.equal(second.since, '42');
  assert.equal(informer.state().relists, 1);
  await stop();
});

test('410 leads to a relist that tells only real differences (C15)', async () => {
  const cluster = await new Cluster().start();
  cluster.objects = [configMap('a', 1), configMap('b', 2), configMap('c', 3)];
  const { informer, changes, until, stop } = await follow(cluster);
  await informer.synced;
  const { response } = await cluster.watch();
  cluster.objects = [configMap('a', 1), configMap('b', 22), configMap('d', 23)];
  cluster.resourceVersion = 30;
  response.end(`${JSON.stringify({ type: 'ERROR', object: status(410, 'Expired', 'too old resource version') })}\n`);
  await until(6);
  assert.deepEqual(changes.slice(3), ['deleted c@3 was 3', 'updated b@22 was 2', 'added d@23']);
  assert.equal((await cluster.watch()).since, '30');
  assert.equal(informer.state().relists, 2);
  assert.equal(informer.state().error, undefined);
  await stop();
});

test('a failing watch is in the state, is tried again later, and goes from the state when it works', async () => {
  const cluster = await new Cluster().start();
  const clock = new ScriptedClock();
  cluster.refuse = { code: 403, reason: 'Forbidden' };
  const { informer, stop } = await follow(cluster, { clock });
  await informer.synced;
  await clock.sleeping();
  assert.equal(informer.state().error?.code, 'AdmissionDenied');
  assert.equal(informer.state().synced, true);
  await clock.advance(60_000);
  const { response } = await cluster.watch();
  send(response, 'ADDED', configMap('a', 11));
  while (informer.size === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(informer.state().error, undefined);
  await stop();
});

test('what the transformation drops is not kept, and leaves when it begins to be dropped', async () => {
  const cluster = await new Cluster().start();
  cluster.objects = [configMap('a', 1, { keep: 'yes' }), configMap('b', 2)];
  const transform = (object: KubeObject) => ((object.data as { keep?: string }).keep ? object : undefined);
  const { informer, changes, until, stop } = await follow(cluster, { transform });
  await informer.synced;
  assert.deepEqual(
    [...informer.list()].map(({ metadata }) => metadata.name),
    ['a'],
  );
  const { response } = await cluster.watch();
  send(response, 'MODIFIED', configMap('a', 11));
  await until(2);
  assert.deepEqual(changes, ['added a@1', 'deleted a@1 was 1']);
  await stop();
});
