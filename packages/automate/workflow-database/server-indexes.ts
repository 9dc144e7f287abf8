import type { Sql } from '@tiphys/sql';
import { hasIndex } from './label-times.ts';
import { tables } from './tables.ts';

const { archive } = tables;

/** Gives workflows by the beginning of their names, in PostgreSQL. */
export const prefixIndex = `${archive}_by_prefix`;
/** Gives workflows in the order of the list. */
const timeIndex = `${archive}_by_time`;

/**
 * What the archive of PostgreSQL and MySQL has beyond upstream's indexes. PostgreSQL looks up the beginning of a text by an index in the order
 * of its characters alone, which upstream's index of names is only in the locale C; MySQL takes upstream's. Does nothing where they are.
 */
export async function makeServerIndexes(sql: Sql): Promise<void> {
  const wanted: [string, string][] = [[timeIndex, 'clustername, instanceid, startedat desc, uid desc']];
  if (sql.dialect === 'postgres') wanted.push([prefixIndex, 'clustername, instanceid, name text_pattern_ops']);
  for (const [index, columns] of wanted)
    if (!(await hasIndex(sql, archive, index))) await sql.query(`create index ${index} on ${archive} (${columns})`);
}
