import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { Dialect, Sql, SqlDatabase } from '@tiphys/sql';
import { makeLabelTimes } from './label-times.ts';
import { makeServerIndexes } from './server-indexes.ts';
import { makeSqliteIndexes } from './sqlite-indexes.ts';
import { tables } from './tables.ts';

const schemaOther = defineDiagnosis(
  'WorkflowSchemaOther',
  'The tables of the workflow archive were left by another version of Argo Workflows',
);

/** The state of the tables that upstream reaches with as many changes, counted from 0. */
const archiveVersion = 68;
const syncVersion = 10;

export interface SyncTables {
  readonly limits: string;
  readonly states: string;
  readonly controllers: string;
  readonly locks: string;
}

/** Makes the tables of archive and offloaded nodes as upstream has them; `nodes` is the name of the second. Does nothing where they are. */
export async function makeArchiveTables(database: SqlDatabase, nodes: string): Promise<void> {
  await make(database, {
    history: 'schema_history',
    version: archiveVersion,
    statements: archiveTables(database.dialect, nodes),
  });
  await database.transaction(async (sql) => {
    if (sql.dialect === 'sqlite') return makeSqliteIndexes(sql);
    // anyone who else starts now waits here
    if (sql.dialect === 'postgres') await sql.query('lock table schema_history in exclusive mode');
    await makeLabelTimes(sql);
    await makeServerIndexes(sql);
  });
}

/** The same for the tables of database locks. */
export function makeSyncTables(database: SqlDatabase, names: SyncTables): Promise<void> {
  return make(database, {
    history: 'sync_schema_history',
    version: syncVersion,
    statements: syncTables(database.dialect, names),
  });
}

interface Wanted {
  readonly history: string;
  readonly version: number;
  readonly statements: readonly string[];
}

async function make(database: SqlDatabase, { history, version, statements }: Wanted): Promise<void> {
  await database.query(
    `create table if not exists ${history} (schema_version int not null, primary key (schema_version))`,
  );
  await database.transaction(async (sql) => {
    // anyone who else starts now waits here
    if (sql.dialect === 'postgres') await sql.query(`lock table ${history} in exclusive mode`);
    const found = await versionOf(sql, history);
    if (found === version) return;
    if (found !== undefined && found !== -1) throw other(history, found, version);
    for (const statement of statements) await sql.query(statement);
    await sql.query(`delete from ${history}`);
    await sql.query(`insert into ${history} (schema_version) values (?)`, [version]);
  });
}

async function versionOf(sql: Sql, history: string): Promise<number | undefined> {
  const { rows } = await sql.query(`select schema_version from ${history}`);
  return rows[0] ? Number(rows[0].schema_version) : undefined;
}

function other(history: string, found: number, wanted: number): Error {
  return failure(schemaOther, {
    message: `${history} says that the tables are of version ${found}; those of Argo Workflows 4.1 are of version ${wanted}`,
    place: { object: `table ${history}` },
    evidence: { found: String(found), wanted: String(wanted) },
    remedies: [
      found < wanted
        ? 'Start a workflow-controller of Argo Workflows 4.1 once: it brings the tables up to date'
        : 'Use the version of Tiphys that knows these tables',
      'Or give persistence another database',
    ],
  });
}

function archiveTables(dialect: Dialect, nodes: string): string[] {
  const json = dialect === 'postgres' ? 'jsonb' : dialect === 'mysql' ? 'json' : 'text';
  const time = 'timestamp not null default CURRENT_TIMESTAMP';
  const { archive, labels } = tables;
  return [
    `create table if not exists ${nodes} (
      uid varchar(128) not null, namespace varchar(256) not null, clustername varchar(64) not null,
      version varchar(64) not null, nodes ${dialect === 'sqlite' ? 'text' : 'json'} not null, updatedat ${time},
      primary key (clustername, uid, version))`,
    `create index ${nodes}_i1 on ${nodes} (clustername, namespace, updatedat)`,
    `create table if not exists ${archive} (
      uid varchar(128) not null, name varchar(256) not null, phase varchar(25) not null, namespace varchar(256) not null,
      workflow ${json} not null, startedat ${time}, finishedat ${time}, clustername varchar(64) not null,
      instanceid varchar(64) not null, creationtimestamp timestamp ${dialect === 'mysql' ? 'not null' : 'null'} default CURRENT_TIMESTAMP,
      primary key (clustername, uid))`,
    `create index ${archive}_i1 on ${archive} (clustername, instanceid, namespace, startedat desc)`,
    `create index ${archive}_i2 on ${archive} (clustername, instanceid, finishedat)`,
    `create index ${archive}_i3 on ${archive} (clustername, instanceid, name)`,
    `create index ${archive}_i4 on ${archive} (clustername, startedat)`,
    `create index ${archive}_i5 on ${archive} (creationtimestamp)`,
    `create table if not exists ${labels} (
      clustername varchar(64) not null, uid varchar(128) not null, name varchar(317) not null, value varchar(63) not null,
      primary key (clustername, uid, name),
      foreign key (clustername, uid) references ${archive} (clustername, uid) on delete cascade)`,
    `create index ${labels}_i1 on ${labels} (name, value)`,
  ];
}

function syncTables(dialect: Dialect, { limits, states, controllers, locks }: SyncTables): string[] {
  // without this MySQL renews the first time of a row at each update
  const time = dialect === 'mysql' ? 'timestamp null' : 'timestamp';
  return [
    `create table if not exists ${limits} (name varchar(256) not null, sizelimit int, primary key (name))`,
    `create unique index ilimit_name on ${limits} (name)`,
    `create table if not exists ${controllers} (controller varchar(64) not null, time ${time}, primary key (controller))`,
    `create unique index icontroller_name on ${controllers} (controller)`,
    `create table if not exists ${states} (
      name varchar(256), workflowkey varchar(256), controller varchar(64) not null, held boolean, priority int, time ${time},
      primary key (name, workflowkey, controller))`,
    `create index istate_name on ${states} (name)`,
    `create index istate_workflowkey on ${states} (workflowkey)`,
    `create index istate_controller on ${states} (controller)`,
    `create index istate_held on ${states} (held)`,
    `create table if not exists ${locks} (name varchar(256), controller varchar(64) not null, time ${time}, primary key (name))`,
    `create unique index ilock_name on ${locks} (name)`,
  ];
}
