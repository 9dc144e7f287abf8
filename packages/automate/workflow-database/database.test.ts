import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { flow } from '@tiphys/api';
import { placeholders, sqlTime } from '@tiphys/sql';
import {
  type ArchiveFilter,
  type ArchivePage,
  cursorOf,
  makeArchiveTables,
  makeSyncTables,
  OffloadedNodes,
  openMysql,
  openPostgres,
  openSqlite,
  type SqlDatabase,
  SyncLimits,
  SyncLocks,
  WorkflowArchive,
} from './index.ts';

const syncTables = { limits: 'sync_limit', states: 'sync_state', controllers: 'sync_controller', locks: 'sync_lock' };

/** SQLite always; servers where their addresses are given, such as `TIPHYS_TEST_POSTGRES=postgres://user:password@localhost/scratch`. */
const databases: Record<string, () => Promise<SqlDatabase>> = { sqlite: () => openSqlite(':memory:') };
const { TIPHYS_TEST_POSTGRES: postgres, TIPHYS_TEST_MYSQL: mysql } = process.env;
if (postgres)
  databases.postgres = () => openPostgres({ connectionString: postgres }, (error) => assert.fail(String(error)));
if (mysql) databases.mysql = () => openMysql({ uri: mysql });

const workflow = (index: number, labels: Record<string, string> = {}): flow.Workflow =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: {
      name: `build-${index}`,
      namespace: index % 2 === 0 ? 'even' : 'odd',
      uid: `uid-${String(index).padStart(5, '0')}`,
      creationTimestamp: new Date(index * 1000).toISOString(),
      labels,
    },
    spec: { arguments: { parameters: [{ name: 'null', value: 'a\u0000b \\u0000' }] } },
    status: {
      phase: 'Succeeded',
      startedAt: new Date(index * 1000).toISOString().replace('.000', ''),
      finishedAt: new Date(index * 2000).toISOString().replace('.000', ''),
      progress: '1/1',
      resourcesDuration: { cpu: 3 },
    },
  }) as unknown as flow.Workflow;

for (const [name, open] of Object.entries(databases)) {
  const opened = open();
  after(async () => (await opened).close());

  test(`${name}: tables are made once`, async () => {
    const database = await opened;
    for (let round = 0; round < 2; round += 1) {
      await makeArchiveTables(database, 'argo_workflows');
      await makeSyncTables(database, syncTables);
    }
    const { rows } = await database.query('select schema_version from schema_history');
    assert.deepEqual(
      rows.map((row) => Number(row.schema_version)),
      [68],
    );
  });

  test(`${name}: what is archived is found, listed, and forgotten`, async () => {
    const database = await opened;
    await makeArchiveTables(database, 'argo_workflows');
    const archive = new WorkflowArchive(database, { clusterName: `c-${process.pid}`, instanceId: '' });
    for (let index = 1; index <= 5; index += 1) await archive.keep(workflow(index, { size: String(index) }));
    await archive.keep(workflow(5, { size: '5', again: 'yes' }));

    const found = await archive.find({ uid: 'uid-00005' });
    assert.deepEqual(found?.metadata.labels, {
      size: '5',
      again: 'yes',
      'workflows.argoproj.io/workflow-archiving-status': 'Persisted',
    });
    assert.equal(found?.spec.arguments?.parameters?.[0]?.value, 'a\u0000b \\u0000');
    assert.equal((await archive.find({ namespace: 'even', name: 'build-4' }))?.metadata.uid, 'uid-00004');
    assert.equal(await archive.find({ uid: 'none' }), undefined);

    const names = async (filter: Parameters<typeof archive.list>[0]) =>
      (await archive.list(filter, { cursor: cursorOf('') })).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(await names({}), ['build-5', 'build-4', 'build-3', 'build-2', 'build-1']);
    assert.deepEqual(await names({ labelSelector: 'size>1,size<4' }), ['build-3', 'build-2']);
    assert.deepEqual(await names({ labelSelector: 'size notin (1,2,3),!again' }), ['build-4']);
    assert.deepEqual(await names({ labelSelector: 'again' }), ['build-5']);
    assert.deepEqual(await names({ name: 'build', nameFilter: 'Prefix', namespace: 'odd' }), [
      'build-5',
      'build-3',
      'build-1',
    ]);
    assert.deepEqual(await names({ name: '_', nameFilter: 'Contains' }), []);
    assert.deepEqual(await names({ minStartedAt: '1970-01-01T00:00:04Z' }), ['build-5', 'build-4']);
    const [first] = (await archive.list({}, { cursor: cursorOf(''), limit: 1 })).items;
    assert.deepEqual(first?.status?.resourcesDuration, { cpu: 3 });
    assert.equal(first?.status?.startedAt, '1970-01-01T00:00:05Z');

    assert.deepEqual((await archive.labelValues('size')).length, 5);
    assert.ok((await archive.labelKeys()).includes('again'));
    assert.equal(await archive.delete('uid-00001'), true);
    assert.equal(await archive.delete('uid-00001'), false);
    assert.equal(await archive.forgetBefore(9_000), 3);
    assert.deepEqual(await names({}), ['build-5']);
    await archive.delete('uid-00005');
  });

  test(`${name}: servers that share a database tell labels of those workflows alone that they show`, async () => {
    const database = await opened;
    await makeArchiveTables(database, 'argo_workflows');
    const clusterName = `shared-${process.pid}`;
    const of = (instanceId: string, managedNamespace?: string) =>
      new WorkflowArchive(database, { clusterName, instanceId, managedNamespace });
    await of('').keep(workflow(1, { team: 'odd', project: 'plain' }));
    await of('').keep(workflow(2, { team: 'even', merger: 'secret' }));
    await of('other').keep(workflow(3, { team: 'of the other instance', takeover: 'secret' }));

    const archiving = 'workflows.argoproj.io/workflow-archiving-status';
    const told = async (archive: WorkflowArchive) => [await archive.labelKeys(), await archive.labelValues('team')];
    assert.deepEqual(await told(of('', 'odd')), [['project', 'team', archiving], ['odd']]);
    assert.deepEqual(await told(of('', 'even')), [['merger', 'team', archiving], ['even']]);
    assert.deepEqual(await told(of('')), [
      ['merger', 'project', 'team', archiving],
      ['even', 'odd'],
    ]);
    assert.deepEqual(await told(of('other')), [['takeover', 'team', archiving].sort(), ['of the other instance']]);
    for (const archive of [of(''), of('other')]) await archive.forgetBefore(1_000_000);
  });

  test(`${name}: pages go on where the last one ended, also behind the first thousand`, async () => {
    const database = await opened;
    await makeArchiveTables(database, 'argo_workflows');
    const archive = new WorkflowArchive(database, { clusterName: `p-${process.pid}`, instanceId: 'mine' });
    await database.transaction(async (sql) => {
      for (let index = 0; index < 1_250; index += 1)
        await sql.query(
          'insert into argo_archived_workflows (clustername, instanceid, uid, name, namespace, phase, startedat, finishedat, workflow) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
          // many began in the same second
          [
            `p-${process.pid}`,
            'mine',
            `u${index}`,
            `n${index}`,
            'a',
            'Failed',
            `2026-01-01 00:00:0${index % 7}`,
            '2026-01-01 00:01:00',
            '{}',
          ],
        );
    });
    const seen = new Set<string>();
    let text: string | undefined = '';
    const places: string[] = [];
    while (text !== undefined) {
      const page = await archive.list({}, { cursor: cursorOf(text), limit: 500 });
      for (const { metadata } of page.items) seen.add(metadata.uid ?? '');
      text = page.continue;
      places.push(text ?? 'end');
    }
    assert.equal(seen.size, 1_250);
    assert.equal(places[0], '500');
    assert.match(places[1] ?? '', /^1000~2026-01-01 00:00:0\d~u\d+$/);
    await database.query('delete from argo_archived_workflows where clustername = ?', [`p-${process.pid}`]);
  });

  test(`${name}: workflows with a label that many have come in the order of the list, whoever archived them`, async () => {
    const database = await opened;
    await makeArchiveTables(database, 'argo_workflows');
    const clusterName = `l-${process.pid}`;
    // more than are sorted; every second one as upstream writes it
    const count = 11_000;
    for (const isOwn of [true, false]) await insertLabelled(database, { clusterName, count, isOwn });
    const archive = new WorkflowArchive(database, { clusterName, instanceId: '' });
    const pages = async (filter: ArchiveFilter) => {
      const found: number[] = [];
      for (let text: string | undefined = '', page = 0; text !== undefined && page < 4; page += 1) {
        const { items, continue: next } = await archive.list(filter, { cursor: cursorOf(text), limit: 400 });
        found.push(...items.map(({ metadata }) => Number(metadata.name?.slice(1))));
        text = next;
      }
      return found;
    };
    // nothing that fits among those that one page looks at: an empty page that is not the last one
    const none: ArchiveFilter[] = [
      { labelSelector: '!era' },
      { labelSelector: 'era=any,era!=any' },
      { name: 'none', nameFilter: 'Contains' },
    ];
    for (const filter of none) {
      let count = 0;
      for (let text: string | undefined = ''; text !== undefined; count += 1) {
        const page: ArchivePage = await archive.list(filter, { cursor: cursorOf(text) });
        assert.deepEqual(page.items, []);
        assert.match(page.continue ?? '0~', /^0~/);
        text = page.continue;
      }
      // of those with a label that has no time yet no number is known
      assert.ok(filter.labelSelector?.startsWith('era') ? count > 1 : count === 3, `${count} pages of 5,000`);
    }
    const few = { labelSelector: '!era', minStartedAt: '2020-09-13T14:06:41Z' };
    assert.deepEqual(await archive.list(few, { cursor: cursorOf('') }), { items: [] });
    const contained = { name: 'n9', nameFilter: 'Contains' } as const;
    const far = await archive.list(contained, { cursor: cursorOf('1050'), limit: 100 });
    assert.equal(far.items.length, 61, 'the last of 1,111, of which the first page looks at 1,000');
    const newest = (wanted: (index: number) => boolean) =>
      Array.from({ length: count }, (_, index) => count - 1 - index)
        .filter(wanted)
        .slice(0, 1_600);
    for (const round of ['with labels that have no time', 'with times']) {
      assert.deepEqual(
        await pages({ labelSelector: 'era=any' }),
        newest(() => true),
        round,
      );
      assert.deepEqual(
        await pages({ labelSelector: 'era=any', namespace: 'odd' }),
        newest((i) => i % 2 === 1),
        round,
      );
      assert.deepEqual(
        await pages({ labelSelector: 'era=any,rare' }),
        newest((i) => i % 1000 === 0),
        round,
      );
      assert.deepEqual(
        await pages({ labelSelector: 'era=any,!rare' }),
        newest((i) => i % 1000 !== 0),
        round,
      );
      await archive.timeLabels();
    }
    const { rows } = await database.query(
      'select 1 as one from argo_archived_workflows_labels where clustername = ? and startedat is null limit 1',
      [clusterName],
    );
    assert.deepEqual(rows, []);
    await archive.forgetBefore(Date.UTC(2030, 0, 1));
  });

  test(`${name}: offloaded nodes have a version that is their content`, async () => {
    const database = await opened;
    await makeArchiveTables(database, 'argo_workflows');
    const nodes = new OffloadedNodes(database, { table: 'argo_workflows', clusterName: `n-${process.pid}` });
    const content = { a: { id: 'a', name: 'a', type: 'Pod' } } as never;
    const version = await nodes.save({ uid: 'u', namespace: 'x' }, content, 1_000);
    assert.match(version, /^fnv:\d+$/);
    assert.equal(await nodes.save({ uid: 'u', namespace: 'x' }, content, 1_000), version);
    assert.deepEqual(await nodes.load({ uid: 'u', version }), content);
    assert.deepEqual(await nodes.savedBefore(1_000), []);
    assert.deepEqual(await nodes.savedBefore(3_000, 'x'), [{ uid: 'u', version }]);
    await nodes.delete({ uid: 'u', version });
    assert.equal(await nodes.load({ uid: 'u', version }), undefined);
  });

  test(`${name}: a lock goes to the first in line, over controllers`, async () => {
    const database = await opened;
    await makeSyncTables(database, syncTables);
    const lock = `sem/x/${process.pid}`;
    const [a, b] = ['a', 'b'].map(
      (controller) =>
        new SyncLocks(database, {
          tables: syncTables,
          controller: `${controller}-${process.pid}`,
          inactiveAfter: 60_000,
        }),
    ) as [SyncLocks, SyncLocks];
    const now = Date.UTC(2026, 0, 1);
    await Promise.all([a.beat(now), b.beat(now)]);
    const want = (holder: string, priority = 0, createdAt = now) => ({ lock, holder, limit: 1, priority, createdAt });
    assert.deepEqual(await a.acquire(want('x/one'), now), { held: true, holders: ['x/one'] });
    assert.deepEqual(await a.acquire(want('x/one'), now), { held: true, holders: ['x/one'] });
    assert.deepEqual(await b.acquire(want('x/two'), now), { held: false, holders: ['x/one'] });
    assert.deepEqual(await a.acquire(want('x/three', 5), now), { held: false, holders: ['x/one'] });
    await a.releaseAll('x/one');
    assert.equal((await b.acquire(want('x/two'), now)).held, false, 'three goes first');
    // a controller that is gone keeps nobody waiting
    const later = now + 120_000;
    await b.beat(later);
    assert.equal((await b.acquire(want('x/two'), later)).held, true);
    await b.release(lock, 'x/two');
    await a.release(lock, 'x/three');
  });

  test(`${name}: limits`, async () => {
    const database = await opened;
    await makeSyncTables(database, syncTables);
    const limits = new SyncLimits(database, syncTables);
    const key = `x/${process.pid}`;
    assert.equal(await limits.create(key, 2), true);
    assert.equal(await limits.create(key, 3), false);
    assert.equal(await limits.update(key, 2), true);
    assert.equal(await limits.get(key), 2);
    assert.equal(await limits.delete(key), true);
    assert.equal(await limits.update(key, 1), false);
  });
}

/** Workflows `n0`, `n1` … with the label `era=any`, and each thousandth with `rare`: the even ones, or the odd ones with labels that have no time. */
async function insertLabelled(
  database: SqlDatabase,
  { clusterName, count, isOwn }: { clusterName: string; count: number; isOwn: boolean },
): Promise<void> {
  // nobody else writes to SQLite
  const isTimed = isOwn || database.dialect === 'sqlite';
  const indexes = Array.from({ length: count / 2 }, (_, half) => 2 * half + (isOwn ? 0 : 1));
  const uid = (index: number) => `u${(index * 7919) % 100_003}`;
  const time = (index: number) => sqlTime(new Date(1_600_000_000_000 + index * 1000).toISOString());
  const rows = indexes.map((index) => {
    const space = index % 2 === 0 ? 'even' : 'odd';
    const times = [time(index), time(index), time(index)];
    return [clusterName, '', uid(index), `n${index}`, space, 'Failed', ...times, '{}'];
  });
  const labels = indexes.flatMap((index) =>
    ['era', ...(index % 1000 === 0 ? ['rare'] : [])].map((name) => [
      ...[clusterName, uid(index), name, 'any'],
      ...(isTimed ? [time(index)] : []),
    ]),
  );
  const columns =
    'clustername, instanceid, uid, name, namespace, phase, startedat, finishedat, creationtimestamp, workflow';
  await database.transaction(async (sql) => {
    for (const [into, all] of [
      [`argo_archived_workflows (${columns})`, rows],
      [`argo_archived_workflows_labels (clustername, uid, name, value${isTimed ? ', startedat' : ''})`, labels],
    ] as const)
      for (let at = 0; at < all.length; at += 500) {
        const part = all.slice(at, at + 500);
        const places = part.map((row) => `(${placeholders(row.length)})`).join(', ');
        await sql.query(`insert into ${into} values ${places}`, part.flat());
      }
  });
  // which the server does by itself within a minute
  if (database.dialect === 'postgres')
    await database.query('analyze argo_archived_workflows, argo_archived_workflows_labels');
}

test('a place to go on from that was never given out is refused', () => {
  assert.throws(() => cursorOf('-1'), /must >= 0/);
  assert.throws(() => cursorOf("1~' or 1=1~x"), /must be int/);
});
