import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { openPostgres, openSqlite, type SqlDatabase } from '@tiphys/sql';
import { History, type HistoryRecord, netChanges, openHistory } from './index.ts';

/** SQLite always; a server where its address is given, such as `TIPHYS_TEST_POSTGRES=postgres://user:password@localhost/scratch`. */
const databases: Record<string, () => Promise<SqlDatabase>> = { sqlite: () => openSqlite(':memory:') };
const { TIPHYS_TEST_POSTGRES: postgres } = process.env;
if (postgres)
  databases.postgres = () => openPostgres({ connectionString: postgres }, (error) => assert.fail(String(error)));

const hour = (clock: string) => Date.parse(`2026-01-01T${clock}:00Z`);
const config = { group: '', kind: 'ConfigMap', namespace: 'web', name: 'settings' };
const sync = (clock: string, actor: string, values: [unknown, unknown]): HistoryRecord => ({
  time: hour(clock),
  once: `sync ${clock}`,
  kind: 'SyncStarted',
  application: 'cd/shop',
  project: 'default',
  namespace: 'shop',
  actor,
  summary: 'a sync',
  objects: [config],
  detail: {
    revisions: [`r${clock}`],
    patches: [{ ...config, action: 'apply', fields: [{ path: 'data.a', before: values[0], after: values[1] }] }],
  },
});

for (const [name, open] of Object.entries(databases)) {
  const clean = async (options: Partial<Parameters<typeof History.open>[1]> = {}) => {
    const database = await open();
    await database.query('drop table if exists tiphys_history');
    await database.query('drop table if exists tiphys_history_objects');
    const history = await History.open(database, {
      maxRecords: 1_000,
      maxAge: 1e12,
      now: () => hour('12:00'),
      onError: (error) => assert.fail(String(error)),
      ...options,
    });
    after(() => history.close());
    return { history, database };
  };

  test(`${name}: what is appended in one turn of the event loop is one transaction`, async (t) => {
    const { history, database } = await clean();
    const transactions = t.mock.method(database, 'transaction');
    for (let index = 0; index < 20; index++) {
      history.append(sync(`10:${index + 10}`, 'ann', ['1', '2']));
      await Promise.resolve();
    }
    await history.settled();
    assert.equal(transactions.mock.callCount(), 1);
    assert.equal((await history.query({})).length, 20);
  });

  test(`${name}: records are kept once and found by time, application, namespace and object`, async () => {
    const { history } = await clean();
    history.append(sync('10:00', 'ann', ['1', '2']));
    history.append(sync('11:00', 'bob', ['2', '3']));
    history.append(sync('11:00', 'again', ['x', 'y']));
    history.append({
      ...sync('11:30', 'bob', ['a\u0000', 'b']),
      application: 'cd/other',
      objects: [],
      namespace: 'web',
    });
    const ids = async (query: Parameters<typeof history.query>[0]) =>
      (await history.query(query)).map(({ time }) => time.slice(11, 16));
    assert.deepEqual(await ids({}), ['11:30', '11:00', '10:00']);
    assert.deepEqual(await ids({ since: hour('10:30'), until: hour('11:30') }), ['11:00']);
    assert.deepEqual(await ids({ application: 'cd/shop' }), ['11:00', '10:00']);
    assert.deepEqual(await ids({ namespace: 'web' }), ['11:30', '11:00', '10:00']);
    assert.deepEqual(await ids({ namespace: 'shop' }), ['11:00', '10:00']);
    assert.deepEqual(await ids({ object: { kind: 'configmap', name: 'settings' } }), ['11:00', '10:00']);
    assert.deepEqual(await ids({ object: { kind: 'Secret', name: 'settings' } }), []);
    const [newest] = await history.query({ limit: 1 });
    assert.deepEqual(await ids({ before: newest?.id }), ['11:00', '10:00']);
    const [entry] = await history.query({ application: 'cd/shop', limit: 1 });
    assert.equal(entry?.actor, 'bob');
    assert.deepEqual(entry?.objects, [config]);
  });

  test(`${name}: it is bounded by count and by age, and a record that is too long is cut`, async () => {
    const { history, database } = await clean({ maxRecords: 300 });
    for (let index = 0; index < 500; index++) history.append({ ...sync('10:00', 'ann', ['1', '2']), once: `${index}` });
    await history.settled();
    const count = async (table: string) =>
      Number((await database.query(`select count(*) as n from ${table}`)).rows[0]?.n);
    assert.equal(await count('tiphys_history'), 300);
    assert.equal(await count('tiphys_history_objects'), 300);
    const patch = { ...config, action: 'apply', fields: [{ path: 'data.a', before: '', after: 'x'.repeat(2_000) }] };
    history.append({
      ...sync('11:00', 'ann', ['1', '2']),
      detail: { patches: Array.from({ length: 5_000 }, () => patch) },
    });
    const [long] = await history.query({ limit: 1 });
    assert.ok(long);
    assert.equal(long.detail['cut'], true);
    assert.equal((long.detail['patches'] as unknown[]).length, 64);
  });

  test(`${name}: what changed between two times is the first value and the last, and who did it`, async () => {
    const { history } = await clean();
    history.append(sync('10:00', 'ann', ['1', '2']));
    history.append(sync('11:00', 'bob', ['2', '3']));
    const [change, ...others] = netChanges(await history.query({}));
    assert.deepEqual(others, []);
    assert.deepEqual(
      { before: change?.before, after: change?.after, actors: change?.actors, revision: change?.revision },
      { before: '1', after: '3', actors: ['ann', 'bob'], revision: 'r11:00' },
    );
    history.append(sync('11:30', 'bob', ['3', '1']));
    assert.deepEqual(netChanges(await history.query({})), []);
  });
}

test('a file keeps it over a restart; what is no database is refused without its password', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-history-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const options = { now: () => hour('12:00'), onError: (error: unknown) => assert.fail(String(error)) };
  const first = await openHistory(join(folder, 'history.db'), options);
  first.append(sync('10:00', 'ann', ['1', '2']));
  await first.close();
  const second = await openHistory(join(folder, 'history.db'), options);
  assert.equal((await second.query({})).length, 1);
  await second.close();
  for (const place of ['redis://user:hunter2@host', 'postgresql://user:hunter2@127.0.0.1:1/none'])
    await assert.rejects(openHistory(place, options), (error: unknown) => {
      assert.ok(error instanceof DiagnosisError);
      assert.equal(error.diagnosis.code, 'HistoryUnavailable');
      assert.doesNotMatch(JSON.stringify(error.diagnosis), /hunter2/);
      return true;
    });
});
