import type { Row, Sql } from '@tiphys/sql';
import { type Condition, condition, where } from './archive-query.ts';
import type { Place } from './cursor.ts';

/**
 * How many workflows are looked at for one page where no index leads to those that fit. A page that finds too few among them says where the
 * next one goes on, as the API server may: lists of what none of very many fit take as long a page as others.
 */
export const mostLooked = 5_000;

/** What a page is made from: the statement for its uids, and where the looking ended, if that is before the end of the list. */
export interface Keys extends Condition {
  readonly end?: Place;
}

/** The last of the workflows that one page looks at; undefined if there are no more than those. `from` is a table with its index, if any. */
export async function endOfWindow(
  sql: Sql,
  from: string,
  conditions: readonly Condition[],
): Promise<Place | undefined> {
  const { text, values } = where(conditions);
  const { rows } = await sql.query(
    `select startedat, uid from ${from}${text}${order} limit 1 offset ${mostLooked - 1}`,
    values,
  );
  return rows[0] && placeOf(rows[0]);
}

export const order = ' order by startedat desc, uid desc';

export const placeOf = ({ startedat, uid }: Row): Place => ({ startedAt: String(startedat), uid: String(uid) });

/** What follows a place in the list. */
export const after = ({ startedAt, uid }: Place): Condition[] => [
  condition('startedat <= ?', startedAt),
  condition('(startedat < ? or uid < ?)', startedAt, uid),
];

/** What comes before the end of a window, and the end itself. */
export const upTo = ({ startedAt, uid }: Place): Condition[] => [
  condition('startedat >= ?', startedAt),
  condition('(startedat > ? or uid >= ?)', startedAt, uid),
];
