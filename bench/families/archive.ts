import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { placeholders, type Sql, type SqlDatabase, sqlTime } from '@tiphys/sql';
import {
  type ArchiveFilter,
  cursorOf,
  makeArchiveTables,
  openMysql,
  openPostgres,
  openSqlite,
  WorkflowArchive,
} from '@tiphys/workflow-database';
import { markdownTable, median } from '../table.ts';

/** Rows of one statement, and statements of one transaction. */
const rowsAtOnce = 500;
const atOnce = 20;
/** One page of the list, and how often each is asked for. */
const page = 50;
const times = 5;

const clusterName = 'bench';
const wanted: readonly [title: string, filter: ArchiveFilter][] = [
  ['all', {}],
  ['of a namespace', { namespace: 'ns-3' }],
  ['by exact name', { name: 'build-77777' }],
  ['by the beginning of names', { namePrefix: 'build-7777' }],
  ['by what is somewhere in the name', { name: '77777', nameFilter: 'Contains' }],
  ['by phase', { phase: 'Failed' }],
  ["by a label's value that a tenth has", { labelSelector: 'team=team-3' }],
  ['that a thousandth has', { labelSelector: 'app=app-333' }],
  ['that only the oldest fifth has', { labelSelector: 'era=old' }],
  ['by two labels', { labelSelector: 'team=team-3,app=app-333' }],
  ['by a label and a namespace', { labelSelector: 'team=team-3', namespace: 'ns-3' }],
  ['by a label with several values', { labelSelector: 'app in (app-1,app-2,app-3)' }],
  ['without a label that every one has', { labelSelector: '!team' }],
];

/** Lists of an archive of so many workflows in SQLite, and in the servers that TIPHYS_TEST_POSTGRES and TIPHYS_TEST_MYSQL name. */
export async function benchArchive(workflows: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-archive-'));
  const { TIPHYS_TEST_POSTGRES: postgres, TIPHYS_TEST_MYSQL: mysql } = process.env;
  const databases: [string, () => Promise<SqlDatabase>][] = [['SQLite', () => openSqlite(join(folder, 'archive.db'))]];
  const fail = (error: unknown) => {
    throw error;
  };
  if (postgres) databases.push(['PostgreSQL', async () => openPostgres({ connectionString: postgres }, fail)]);
  if (mysql) databases.push(['MySQL', async () => openMysql({ uri: mysql })]);
  const columns: [string, string[]][] = [];
  try {
    for (const [name, open] of databases) {
      const database = await open();
      try {
        await fill(database, workflows);
        columns.push([name, await measured(database, workflows)]);
      } finally {
        await database.close();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const titles = wanted.map(([title]) => title).toSpliced(1, 0, 'all, behind half of them');
  const rows = titles.map((title, index) => [title, ...columns.map(([, cells]) => cells[index] ?? '')]);
  const header = ['list', ...columns.map(([name]) => name)];
  return `${workflows.toLocaleString('en')} archived workflows with three labels each; one page of ${page}, in milliseconds: median / longest of ${times}\n\n${markdownTable(header, rows)}`;
}

async function fill(database: SqlDatabase, count: number): Promise<void> {
  await makeArchiveTables(database, 'argo_workflows');
  const { rows } = await database.query('select count(*) as count from argo_archived_workflows where clustername = ?', [
    clusterName,
  ]);
  const have = Number(rows[0]?.count);
  // servers look up what labels belong to as their statistics say: those of a small table first, then those of all
  const small = Math.min(count, have + rowsAtOnce);
  for (const [from, to] of [
    [have, small],
    [small, count],
  ] as const) {
    for (let at = from; at < to; at += rowsAtOnce * atOnce)
      await database.transaction(async (sql) => {
        for (let part = at; part < Math.min(to, at + rowsAtOnce * atOnce); part += rowsAtOnce)
          await insert(
            sql,
            Array.from({ length: Math.min(rowsAtOnce, to - part) }, (_, index) => part + index),
            count,
          );
      });
    if (database.dialect !== 'sqlite')
      for (const name of ['argo_archived_workflows', 'argo_archived_workflows_labels'])
        await database.query(database.dialect === 'mysql' ? `analyze table ${name}` : `analyze ${name}`);
  }
}

async function insert(sql: Sql, numbers: readonly number[], count: number): Promise<void> {
  await sql.query(
    `insert into argo_archived_workflows (clustername, instanceid, uid, name, namespace, phase, startedat, finishedat, creationtimestamp, workflow)
     values ${numbers.map(() => `(${placeholders(10)})`).join(', ')}`,
    numbers.flatMap(archived),
  );
  const labels = numbers.flatMap((index) =>
    Object.entries(labelsOf(index, count)).map(([name, value]) => [
      clusterName,
      uidOf(index),
      name,
      value,
      timeOf(index),
    ]),
  );
  await sql.query(
    `insert into argo_archived_workflows_labels (clustername, uid, name, value, startedat)
     values ${labels.map((row) => `(${placeholders(row.length)})`).join(', ')}`,
    labels.flat(),
  );
}

/** Spread, as UUIDs are: rows that began one after the other do not lie side by side. */
const uidOf = (index: number) => `${((index * 7919) % 1_000_003).toString(16).padStart(8, '0')}-${index}`;
const timeOf = (index: number) => sqlTime(new Date(1_600_000_000_000 + index * 1000).toISOString());
const labelsOf = (index: number, count: number) => ({
  team: `team-${index % 10}`,
  app: `app-${index % 1000}`,
  era: index < count / 5 ? 'old' : 'new',
});

function archived(index: number): string[] {
  const uid = uidOf(index);
  const metadata = { name: `build-${index}`, namespace: `ns-${index % 20}`, uid };
  const phase = index % 50 === 0 ? 'Failed' : 'Succeeded';
  const workflow = { metadata, spec: { arguments: {} }, status: { phase, progress: '1/1', nodes: {} } };
  const time = timeOf(index);
  return [clusterName, '', uid, metadata.name, metadata.namespace, phase, time, time, time, JSON.stringify(workflow)];
}

async function measured(database: SqlDatabase, count: number): Promise<string[]> {
  const archive = new WorkflowArchive(database, { clusterName, instanceId: '' });
  const cells: string[] = [];
  for (const [title, filter] of wanted) {
    cells.push(await timed(() => archive.list(filter, { limit: page, cursor: cursorOf('0') })));
    if (title !== 'all') continue;
    const { rows } = await database.query(
      'select startedat, uid from argo_archived_workflows where clustername = ? and name = ?',
      [clusterName, `build-${Math.floor(count / 2)}`],
    );
    const { startedat, uid } = rows[0] ?? { startedat: timeOf(0), uid: uidOf(0) };
    const after = { startedAt: String(startedat), uid: String(uid) };
    cells.push(
      await timed(() => archive.list(filter, { limit: page, cursor: { offset: Math.floor(count / 2), after } })),
    );
  }
  return cells;
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  const taken: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const start = performance.now();
    await work();
    taken.push(performance.now() - start);
  }
  return `${median(taken).toFixed(1)} / ${Math.max(...taken).toFixed(1)}`;
}
