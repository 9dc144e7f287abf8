import type { Dialect, Sql, SqlDatabase } from '@tiphys/sql';
import { tables } from './tables.ts';

const { archive, labels } = tables;

/** Gives workflows with a label's value in the order of the list. */
export const labelIndex = `${labels}_by_value`;
export const labelIndexColumns = 'clustername, name, value, startedat desc, uid desc';

/** Workflows of one statement: others write to the table meanwhile. */
const atOnce = 1_000;

/**
 * Adds to upstream's table of labels when their workflow began, which upstream does not write, and the index that lists by label need.
 * Does nothing where both are.
 */
export async function makeLabelTimes(sql: Sql): Promise<void> {
  if (!(await hasLabelTimes(sql))) await sql.query(`alter table ${labels} add column startedat timestamp null`);
  if (await hasIndex(sql, labels, labelIndex)) return;
  await sql.query(`create index ${labelIndex} on ${labels} (${labelIndexColumns})`);
}

/** Whether labels have their times: a database whose tables others look after may be without. */
export async function hasLabelTimes(sql: Sql): Promise<boolean> {
  const { rows } =
    sql.dialect === 'sqlite'
      ? await sql.query(`select 1 as one from pragma_table_info('${labels}') where name = 'startedat'`)
      : await sql.query(
          `select 1 as one from information_schema.columns where table_schema = ${schema(sql.dialect)} and table_name = '${labels}' and column_name = 'startedat'`,
        );
  return rows.length > 0;
}

/** Whether a table of PostgreSQL or MySQL has an index. */
export async function hasIndex(sql: Sql, table: string, index: string): Promise<boolean> {
  const { rows } =
    sql.dialect === 'mysql'
      ? await sql.query(
          `select 1 as one from information_schema.statistics where table_schema = database() and table_name = '${table}' and index_name = '${index}'`,
        )
      : await sql.query(
          `select 1 as one from pg_indexes where schemaname = current_schema() and tablename = '${table}' and indexname = '${index}'`,
        );
  return rows.length > 0;
}

const schema = (dialect: Dialect) => (dialect === 'mysql' ? 'database()' : 'current_schema()');

/** Gives labels of a cluster that others wrote their times, a part of the workflows at once; says how many labels that were. */
export async function timeLabels(database: SqlDatabase, clusterName: string): Promise<number> {
  if (!(await hasLabelTimes(database))) return 0;
  const { rows } = await database.query(
    `select 1 as one from ${labels} where clustername = ? and startedat is null limit 1`,
    [clusterName],
  );
  let count = 0;
  for (let last: string | undefined = rows.length > 0 ? '' : undefined; last !== undefined; ) {
    const next = await database.query(
      `select max(uid) as last from (select uid from ${archive} where clustername = ? and uid > ? order by uid limit ${atOnce}) step`,
      [clusterName, last],
    );
    const end = next.rows[0]?.last;
    if (typeof end !== 'string') break;
    const { changed } = await database.query(
      `update ${labels} as l set startedat = (select a.startedat from ${archive} a where a.clustername = l.clustername and a.uid = l.uid)
       where clustername = ? and uid > ? and uid <= ? and startedat is null`,
      [clusterName, last, end],
    );
    count += changed;
    last = end;
  }
  return count;
}
