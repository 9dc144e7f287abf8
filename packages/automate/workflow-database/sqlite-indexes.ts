import type { Sql } from '@tiphys/sql';
import { hasLabelTimes, labelIndex, labelIndexColumns } from './label-times.ts';
import { tables } from './tables.ts';

const { archive, labels } = tables;

/** Each holds what is asked of the rows that it leads to, so that rows are read only when they are shown. */
export const sqliteIndexes = {
  time: `${archive}_by_time`,
  namespace: `${archive}_by_namespace`,
  name: `${archive}_by_name`,
  phase: `${archive}_by_phase`,
  finished: `${archive}_by_end`,
  created: `${archive}_by_creation`,
  label: labelIndex,
  /** That of the primary key. */
  uid: `sqlite_autoindex_${archive}_1`,
} as const;

/**
 * What the archive of SQLite has beyond upstream's tables: nobody but this process reads it. Labels know when their workflow began, so
 * that those with a label come in the order of the list. Brings a file up to date that was made without.
 */
export async function makeSqliteIndexes(sql: Sql): Promise<void> {
  if (!(await hasLabelTimes(sql))) {
    await sql.query(`alter table ${labels} add column startedat timestamp`);
    await sql.query(
      `update ${labels} set startedat = (select startedat from ${archive} a where a.clustername = ${labels}.clustername and a.uid = ${labels}.uid)`,
    );
  }
  const own = 'clustername, instanceid';
  const rest = 'namespace, name, phase, finishedat, creationtimestamp';
  const order = 'startedat desc, uid desc';
  for (const [index, columns] of [
    [sqliteIndexes.time, `${archive} (${own}, ${order}, ${rest})`],
    [sqliteIndexes.namespace, `${archive} (${own}, namespace, ${order}, name, phase, finishedat, creationtimestamp)`],
    [sqliteIndexes.name, `${archive} (${own}, name, ${order}, namespace)`],
    [sqliteIndexes.phase, `${archive} (${own}, phase, ${order}, namespace)`],
    [sqliteIndexes.finished, `${archive} (${own}, finishedat)`],
    [sqliteIndexes.created, `${archive} (${own}, creationtimestamp)`],
    [sqliteIndexes.label, `${labels} (${labelIndexColumns})`],
  ])
    await sql.query(`create index if not exists ${index} on ${columns}`);
  // those of upstream, in whose place they are
  for (const index of [1, 2, 3, 4, 5].map((number) => `${archive}_i${number}`).concat(`${labels}_i1`))
    await sql.query(`drop index if exists ${index}`);
}
