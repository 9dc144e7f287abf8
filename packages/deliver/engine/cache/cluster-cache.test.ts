import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { diagnose } from '@tiphys/diagnosis';
import { ApiError, type Client, type ClusterConfig, connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { type CacheChange, CacheStopped, ClusterCache } from '../index.ts';

let sandbox: Sandbox;
let client: Client;
before(async () => {
  sandbox = await startSandbox({ controllers: false, nodes: 0 });
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'cache' } });
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
});
after(async () => {
  await client.close();
  await sandbox.close();
});

const refusal = (status: number, reason: string) =>
  new ApiError(diagnose({ code: 'Test', cause: 'Test', summary: '' }, { message: `refused: ${reason}` }), {
    status,
    reason,
  });

async function withCache(
  use: (cache: ClusterCache) => Promise<void>,
  through: Client = client,
  settings: Partial<ConstructorParameters<typeof ClusterCache>[1]['settings']> = {},
): Promise<void> {
  const abort = new AbortController();
  const cache = new ClusterCache(through, { settings: { tracking: { method: 'annotation' }, ...settings } });
  cache.start(abort.signal);
  try {
    await cache.ensureSynced();
    await use(cache);
  } finally {
    abort.abort();
  }
}

function changed(cache: ClusterCache, check: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (check()) return resolve();
    const stop = cache.subscribe(() => {
      if (!check()) return;
      stop();
      resolve();
    });
  });
}

const tracked = (kind: string, name: string, extra: object = {}, group = ''): KubeObject => ({
  apiVersion: group ? `${group}/v1` : 'v1',
  kind,
  ...extra,
  metadata: {
    name,
    namespace: 'shop',
    annotations: { 'argocd.argoproj.io/tracking-id': `app:${group}/${kind}:shop/${name}` },
    ...(extra as Partial<KubeObject>).metadata,
  },
});

/** The same client with some calls replaced. */
const wrap = (calls: Partial<Client>): Client =>
  new Proxy(client, {
    get: (target, name) => (calls as Record<string | symbol, unknown>)[name] ?? bound(target, name),
  });

function bound(target: object, name: string | symbol): unknown {
  const value = (target as Record<string | symbol, unknown>)[name];
  return typeof value === 'function' ? value.bind(target) : value;
}

const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.net' },
  spec: {
    group: 'example.net',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const definitionRef = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'things.example.net',
};
const thing = { group: 'example.net', kind: 'Thing', namespace: 'shop', name: 't' };

describe('the cache of a cluster', () => {
  it('keeps the whole of what is tracked, a projection of the rest, and follows owners down', async () => {
    const set = await client.create(
      tracked(
        'ReplicaSet',
        'r',
        {
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'img:1' }] } },
          },
        },
        'apps',
      ),
    );
    await client.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'p',
        namespace: 'shop',
        annotations: { 'argocd.argoproj.io/tracking-id': 'app:apps/ReplicaSet:shop/r' },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: set.metadata.uid ?? '' }],
      },
      spec: { containers: [{ name: 'c', image: 'img:1' }] },
    });
    await withCache(async (cache) => {
      assert.deepEqual(
        cache.managed('app').map(({ kind }) => kind),
        ['ReplicaSet'],
      );
      assert.equal(cache.get({ group: '', kind: 'Pod', namespace: 'shop', name: 'p' }), undefined);
      const tree = cache.tree([{ group: 'apps', kind: 'ReplicaSet', namespace: 'shop', name: 'r' }]);
      assert.deepEqual(
        tree.map(({ key }) => key.kind),
        ['ReplicaSet', 'Pod'],
      );
      assert.deepEqual(
        tree[1]?.parents.map(({ key }) => key.name),
        ['r'],
      );
      assert.deepEqual(tree[1]?.images, ['img:1']);
      assert.deepEqual(
        tree[1]?.info.find(({ name }) => name === 'Containers'),
        { name: 'Containers', value: '0/1' },
      );
    });
  });

  it('tells changes of hooks that came without a name with their application, and of copies without', async () => {
    await withCache(async (cache) => {
      const seen: CacheChange[] = [];
      cache.subscribe((changes) => void seen.push(...changes));
      const named = (name: string, more: object) => {
        const object = tracked('ConfigMap', name);
        const annotations = { 'argocd.argoproj.io/tracking-id': 'app:/ConfigMap:shop/', ...more };
        return { ...object, metadata: { ...object.metadata, annotations } };
      };
      await client.create(named('generated-1', { 'argocd.argoproj.io/hook': 'PreSync' }));
      await client.create(named('copied-1', {}));
      for (const name of ['generated-1', 'copied-1'])
        await changed(cache, () => seen.some(({ key }) => key.name === name));
      const instancesOf = (name: string) => seen.filter((change) => change.key.name === name).map((c) => c.instances);
      assert.deepEqual(instancesOf('generated-1'), [['app']]);
      assert.deepEqual(instancesOf('copied-1'), [[]]);
      for (const name of ['generated-1', 'copied-1'])
        await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name });
    });
  });

  it('tells changes with the application that they belong to', async () => {
    await withCache(async (cache) => {
      const seen: CacheChange[] = [];
      cache.subscribe((changes) => void seen.push(...changes));
      await client.create(tracked('ConfigMap', 'told'));
      await changed(
        cache,
        () => cache.get({ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'told' }) !== undefined,
      );
      await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'told' });
      await changed(
        cache,
        () => cache.get({ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'told' }) === undefined,
      );
      const own = seen.filter(({ key }) => key.name === 'told');
      assert.deepEqual(
        own.map(({ instances }) => instances),
        [['app'], ['app']],
      );
      assert.deepEqual(
        own.map((change) => [change.old !== undefined, change.new !== undefined]),
        [
          [false, true],
          [true, false],
        ],
      );
    });
  });

  it('goes on with the other kinds when one is refused, and names it (C1)', async () => {
    const list: Client['list'] = async (ref, options) => {
      if (ref.kind === 'Secret') throw refusal(403, 'Forbidden');
      return client.list(ref, options);
    };
    await withCache(async (cache) => {
      const { unavailable, diagnosis, objects } = cache.info();
      assert.deepEqual([...unavailable.keys()], ['/Secret']);
      assert.equal(diagnosis, undefined);
      assert.ok(objects > 0);
      assert.equal(cache.watches('', 'Secret'), false);
      assert.equal(cache.watches('', 'ConfigMap'), true);
    }, wrap({ list }));
  });

  it('lists again after 410 and tells only what really changed (C15)', async () => {
    await client.create(tracked('ConfigMap', 'stays'));
    let watches = 0;
    let lists = 0;
    const watch: Client['watch'] = (ref, options) => {
      if (ref.kind !== 'ConfigMap' || ++watches > 1) return client.watch(ref, options);
      return {
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            await client.create(tracked('ConfigMap', 'missed'));
            throw refusal(410, 'Expired');
          },
        }),
      };
    };
    const list: Client['list'] = (ref, options) => {
      if (ref.kind === 'ConfigMap') lists += 1;
      return client.list(ref, options);
    };
    await withCache(async (cache) => {
      const seen: string[] = [];
      cache.subscribe((changes) => void seen.push(...changes.map(({ key }) => key.name)));
      await changed(
        cache,
        () => cache.get({ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'missed' }) !== undefined,
      );
      assert.equal(lists, 2);
      assert.deepEqual(
        seen.filter((name) => name === 'stays'),
        [],
      );
      assert.equal(cache.info().relists, 1);
    }, wrap({ watch, list }));
  });

  it('asks discovery until it tells of a kind whose definition is Established', async () => {
    let asked = 0;
    const late = new Proxy(client.discovery, {
      get: (target, name) =>
        name === 'resources'
          ? async () => {
              const resources = await target.resources();
              if (!resources.some(({ kind }) => kind === 'Thing')) return resources;
              asked += 1;
              return asked > 2 ? resources : resources.filter(({ kind }) => kind !== 'Thing');
            }
          : bound(target, name),
    });
    await withCache(
      async (cache) => {
        await client.create(definition);
        client.discovery.invalidate();
        await client.create(tracked('Thing', 't', {}, 'example.net'));
        await changed(cache, () => cache.get(thing) !== undefined);
        assert.equal(asked, 3);
        await client.delete(definitionRef);
        await changed(cache, () => cache.node(thing) === undefined);
      },
      wrap({ discovery: late }),
    );
  });

  it('watches kinds that appear and forgets those that go', async () => {
    await withCache(async (cache) => {
      await client.create(definition);
      client.discovery.invalidate();
      await client.create(tracked('Thing', 't', {}, 'example.net'));
      await changed(cache, () => cache.get(thing) !== undefined);
      await client.delete(definitionRef);
      await changed(cache, () => cache.node(thing) === undefined);
    });
  });

  it('says why a cluster cannot be reached (C17)', async () => {
    const config: ClusterConfig = { ...sandbox.config, bearerToken: 'wrong' };
    const stranger = connect(config, { caller: { component: 'test', purpose: 'cache' } });
    const abort = new AbortController();
    const cache = new ClusterCache(stranger, { settings: { tracking: { method: 'annotation' } } });
    cache.start(abort.signal);
    await assert.rejects(cache.ensureSynced(), /does not accept the credential/);
    abort.abort();
    await stranger.close();
  });

  it('lets nobody wait for a look, or trust a part of one, after it was stopped', async () => {
    for (const ends of ['badly', 'well']) {
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<[]>();
      const discovery = Object.assign(Object.create(client.discovery), {
        invalidate: () => undefined,
        version: () => client.discovery.version(),
        resources: () => {
          asked.resolve();
          return answer.promise;
        },
      });
      const abort = new AbortController();
      const cache = new ClusterCache(wrap({ discovery }), { settings: { tracking: { method: 'annotation' } } });
      cache.start(abort.signal);
      const synced = assert.rejects(cache.ensureSynced(), CacheStopped);
      await asked.promise;
      abort.abort();
      if (ends === 'well') answer.resolve([]);
      else answer.reject(refusal(401, 'Unauthorized'));
      await synced;
      await assert.rejects(cache.ensureSynced(), CacheStopped);
    }
  });

  it('leaves excluded kinds out', async () => {
    await withCache(
      async (cache) => {
        assert.equal(cache.excludes('', 'ConfigMap'), true);
        assert.equal(cache.excludes('', 'Event'), true);
        assert.equal(cache.excludes('apps', 'Deployment'), false);
        assert.deepEqual(
          cache.managed('app').map(({ kind }) => kind),
          ['ReplicaSet'],
        );
      },
      client,
      { exclusions: [{ apiGroups: [''], kinds: ['Config*'], clusters: ['*'] }] },
    );
  });

  it('assesses the kinds that other settings concern anew, whether it keeps the objects whole or not', async () => {
    await client.create(tracked('ConfigMap', 'whole'));
    await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'partial', namespace: 'shop' } });
    await client.create(tracked('Secret', 'other'));
    await withCache(async (cache) => {
      const key = (kind: string, name: string) => ({ group: '', kind, namespace: 'shop', name });
      const healthy = (kind: string, name: string) => cache.node(key(kind, name))?.health?.status;
      assert.equal(healthy('ConfigMap', 'whole'), undefined);
      const told: string[] = [];
      cache.subscribe((changes) => void told.push(...changes.map(({ key: { kind, name } }) => `${kind} ${name}`)));
      const custom = () => ({ status: 'Degraded' as const });
      cache.useHealth({ custom }, (_group, kind) => kind === 'ConfigMap');
      await changed(cache, () => healthy('ConfigMap', 'whole') === 'Degraded');
      await changed(cache, () => healthy('ConfigMap', 'partial') === 'Degraded');
      assert.equal(healthy('Secret', 'other'), undefined);
      assert.ok(told.includes('ConfigMap whole') && !told.includes('Secret other'), told.join(', '));
      cache.useHealth({}, (_group, kind) => kind === 'ConfigMap');
      await changed(cache, () => healthy('ConfigMap', 'whole') === undefined);
      await changed(cache, () => healthy('ConfigMap', 'partial') === undefined);
    });
  });
});
