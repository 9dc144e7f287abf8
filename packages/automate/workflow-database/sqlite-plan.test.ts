import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArchiveFilter } from './archive-query.ts';
import { condition } from './archive-query.ts';
import { cursorOf, makeArchiveTables, openSqlite, type SqlDatabase, WorkflowArchive } from './index.ts';
import { sqliteIndexes as indexes } from './sqlite-indexes.ts';
import { sqliteKeys } from './sqlite-plan.ts';

const own = { clusterName: 'c', instanceId: '' };
/** More than are sorted. */
const many = 12_000;

/** An archive of many workflows: all with the label `common`, five with `rare`, of two namespaces. */
async function filled(): Promise<SqlDatabase> {
  const database = await openSqlite(':memory:');
  await makeArchiveTables(database, 'argo_workflows');
  const time = (seconds: string) => `datetime(1700000000 + ${seconds}, 'unixepoch')`;
  await database.transaction(async (sql) => {
    await sql.query(
      `insert into argo_archived_workflows (clustername, instanceid, uid, name, namespace, phase, startedat, finishedat, creationtimestamp, workflow)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})
       select 'c', '', printf('u%05d', i), 'build-' || i, case when i % 1000 = 0 then 'few' else 'most' end,
         case when i % 2 = 0 then 'Failed' else 'Succeeded' end, ${time('i')}, ${time('i + 60')}, ${time('i')}, json_object('metadata', json_object('name', 'build-' || i)) from n`,
    );
    for (const [name, which] of [
      ['common', 'true'],
      ['rare', `uid in ('u00001', 'u00007', 'u00100', 'u05000', 'u11000')`],
    ])
      await sql.query(
        `insert into argo_archived_workflows_labels (clustername, uid, name, value, startedat)
         select clustername, uid, ?, 'yes', startedat from argo_archived_workflows where ${which}`,
        [name as string],
      );
  });
  return database;
}

const archiveTable = 'argo_archived_workflows';
const labelTable = 'argo_archived_workflows_labels';

async function planOf(database: SqlDatabase, statement: string, values: readonly (string | number | boolean | null)[]) {
  const { rows } = await database.query(`explain query plan ${statement}`, values);
  return rows.map(({ detail }) => String(detail));
}

test('each filter of the archive in SQLite is answered by an index of its own', async () => {
  const database = await filled();
  const inOrder: [ArchiveFilter, string, string][] = [
    [{}, archiveTable, indexes.time],
    [{ name: 'build-7' }, archiveTable, indexes.name],
    [{ name: 'build-7', namespace: 'few' }, archiveTable, indexes.name],
    [{ namespace: 'most' }, archiveTable, indexes.namespace],
    [{ namespace: 'few', phase: 'Failed' }, archiveTable, indexes.namespace],
    [{ labelSelector: 'common=yes' }, 'l', indexes.label],
    [{ labelSelector: 'common=yes,rare=yes' }, 'l', indexes.label],
    [{ labelSelector: 'common=yes', namespace: 'few' }, archiveTable, indexes.namespace],
    [{ labelSelector: 'common' }, archiveTable, indexes.time],
    [{ labelSelector: '!rare,common!=no' }, archiveTable, indexes.time],
    [{ name: 'build', nameFilter: 'Prefix' }, archiveTable, indexes.time],
    [{ name: '77', nameFilter: 'Contains' }, archiveTable, indexes.time],
    [{ name: 'build-1', nameFilter: 'NotEquals' }, archiveTable, indexes.time],
    [{ minStartedAt: '2023-11-14T22:13:20Z', maxStartedAt: '2023-11-14T22:14:20Z' }, archiveTable, indexes.time],
    [{ createdAfter: '2023-11-14T00:00:00Z' }, archiveTable, indexes.time],
  ];
  const sorted: typeof inOrder = [
    [{ labelSelector: 'rare' }, 'l', indexes.label],
    [{ labelSelector: 'rare in (yes,no)' }, 'l', indexes.label],
    [{ namePrefix: 'build-77' }, archiveTable, indexes.name],
    [{ finishedBefore: '2023-11-14T22:14:30Z' }, archiveTable, indexes.finished],
    [{ createdAfter: '2023-11-15T01:30:00Z' }, archiveTable, indexes.created],
  ];
  for (const [cases, sorts] of [
    [inOrder, false],
    [sorted, true],
  ] as const)
    for (const [filter, table, index] of cases) {
      const said = JSON.stringify(filter);
      const wanted = {
        clusterName: own.clusterName,
        own: [condition('clustername = ?', own.clusterName), condition('instanceid = ?', own.instanceId)],
        filter,
        place: [],
        isBounded: true,
      };
      const { text, values } = await sqliteKeys(database, wanted);
      const plan = await planOf(database, `${text} limit 50`, values);
      const [first = ''] = plan;
      assert.match(first, new RegExp(`^SEARCH ${table} USING (COVERING )?INDEX ${index} `), said);
      assert.equal(
        plan.some((line) => line.includes('TEMP B-TREE')),
        sorts,
        `${said}: ${plan.join('; ')}`,
      );
      // labels and workflows of a row that is looked at are found by their keys
      for (const line of plan.slice(1).filter((line) => /^S(CAN|EARCH)/.test(line)))
        assert.match(
          line,
          /USING (COVERING )?INDEX sqlite_autoindex_\w+ \(clustername=\? AND uid=\?/,
          `${said}: ${line}`,
        );
    }
  await database.close();
});

test('no statement of the archive in SQLite reads a whole table, and the narrowest way gives what all give', async () => {
  const database = await filled();
  const plans: string[] = [];
  const watched: SqlDatabase = {
    ...database,
    query: async (statement, values = []) => {
      plans.push(...(await planOf(database, statement, values)));
      return database.query(statement, values);
    },
  };
  const archive = new WorkflowArchive(watched, own);
  const names = async (filter: ArchiveFilter, place = '') =>
    (await archive.list(filter, { cursor: cursorOf(place), limit: 3 })).items.map(({ metadata }) => metadata.name);
  assert.deepEqual(await names({}), ['build-12000', 'build-11999', 'build-11998']);
  assert.deepEqual(await names({}, '9000~2023-11-14 22:13:23~u00003'), ['build-2', 'build-1']);
  assert.deepEqual(await names({ name: 'build-500' }), ['build-500']);
  assert.deepEqual(await names({ labelSelector: 'rare' }), ['build-11000', 'build-5000', 'build-100']);
  assert.deepEqual(await names({ labelSelector: 'common=yes,rare=yes', namespace: 'most' }), [
    'build-100',
    'build-7',
    'build-1',
  ]);
  assert.deepEqual(await names({ labelSelector: 'common=yes', phase: 'Failed' }), [
    'build-12000',
    'build-11998',
    'build-11996',
  ]);
  assert.deepEqual(await names({ labelSelector: 'common=yes' }, '9000~2023-11-14 22:13:23~u00003'), [
    'build-2',
    'build-1',
  ]);
  assert.deepEqual(await names({ finishedBefore: '2023-11-14T22:14:23Z' }), ['build-3', 'build-2', 'build-1']);
  assert.deepEqual(await names({ namePrefix: 'build-1199', phase: 'Failed' }), [
    'build-11998',
    'build-11996',
    'build-11994',
  ]);
  for (const filter of [
    { labelSelector: '!common' },
    { name: 'x', nameFilter: 'Contains' },
    { phase: 'Error' },
  ] as const) {
    const isBounded = (await archive.list(filter, { cursor: cursorOf('') })).continue;
    assert.equal(isBounded, 'phase' in filter ? undefined : '0~2023-11-15 00:10:01~u07001', 'phases have an index');
  }
  assert.deepEqual(await archive.labelKeys(), ['common', 'rare']);
  assert.deepEqual(await archive.labelValues('common'), ['yes']);
  assert.equal((await archive.find({ namespace: 'most', name: 'build-7' }))?.metadata.name, 'build-7');
  const whole = plans.filter((line) => /^SCAN \w*(argo_|\bl\b)/.test(line));
  assert.deepEqual(whole, []);
  await database.close();
});

test('an archive of SQLite that was made without these indexes gets them, and its labels their times', async () => {
  const database = await openSqlite(':memory:');
  await makeArchiveTables(database, 'argo_workflows');
  const archive = new WorkflowArchive(database, own);
  await archive.keep({
    metadata: { name: 'old', namespace: 'most', uid: 'u', labels: { common: 'yes' } },
    spec: {},
    status: { startedAt: '2026-01-01T00:00:00Z' },
  } as never);
  await database.query(`drop index ${indexes.label}`);
  await database.query(`alter table ${labelTable} drop column startedat`);
  await database.query(`create index ${labelTable}_i1 on ${labelTable} (name, value)`);
  for (let round = 0; round < 2; round += 1) await makeArchiveTables(database, 'argo_workflows');
  const { rows } = await database.query(`select startedat from ${labelTable} where name = 'common'`);
  assert.deepEqual(rows, [{ __proto__: null, startedat: '2026-01-01 00:00:00' }]);
  const { items } = await archive.list({ labelSelector: 'common=yes' }, { cursor: cursorOf('') });
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['old'],
  );
  await database.close();
});
