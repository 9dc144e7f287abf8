import { placeholders, type Sql, sqlTime } from '@tiphys/sql';
import {
  type ArchiveFilter,
  type Condition,
  condition,
  conditionsOf,
  prefixConditions,
  startConditions,
  where,
} from './archive-query.ts';
import { labelRequirements } from './label-requirements.ts';
import { sqliteIndexes as indexes } from './sqlite-indexes.ts';
import { tables } from './tables.ts';
import { endOfWindow, type Keys, order, upTo } from './window.ts';

const { archive, labels } = tables;

/** How many rows are sorted at most; what more of them fit is read in the order of the list. */
const sortable = 10_000;

/** A way to the rows that a filter wants. */
interface Way {
  readonly index: string;
  readonly table?: typeof labels;
  /** What the index is asked for, for the count. */
  readonly conditions: readonly Condition[];
  /** Whether it gives rows in the order of the list. */
  readonly inOrder: boolean;
}

export interface KeysWanted {
  /** Cluster and instance, in this order, and whatever else is asked of every row. */
  readonly own: readonly Condition[];
  readonly clusterName: string;
  readonly filter: ArchiveFilter;
  /** What `startedat` and `uid` are by the place in the list. */
  readonly place: readonly Condition[];
  /** Whether the page may end before it is full. */
  readonly isBounded: boolean;
}

/**
 * The statement for uids of a page, without its bounds. SQLite keeps no statistics here and would guess, so it is told which index to
 * take: it is asked how many rows each leads to, up to a bound, and the narrowest is taken; where all are wide, one that has the order of
 * the list, whose rows are read until the page is full, or as many as one page may look at.
 */
export async function sqliteKeys(sql: Sql, wanted: KeysWanted): Promise<Keys> {
  const ways = waysOf(wanted);
  let best: { way: Way; count: number } | undefined;
  for (const way of ways) {
    const { text, values } = where(way.conditions);
    const { rows } = await sql.query(
      `select count(*) as count from (select 1 from ${way.table ?? archive} indexed by ${way.index}${text} limit ${sortable})`,
      values,
    );
    const count = Number(rows[0]?.count);
    if (count < (best?.count ?? sortable)) best = { way, count };
  }
  if (best) return statement(best.way, wanted);
  const way = ways.find(({ inOrder }) => inOrder) ?? { index: indexes.time, conditions: wanted.own, inOrder: true };
  if (!wanted.isBounded || isAll(way, wanted)) return statement(way, wanted);
  const { place, filter } = wanted;
  const from = `${way.table ?? archive} indexed by ${way.index}`;
  const end = await endOfWindow(sql, from, [...way.conditions, ...place, ...startConditions(filter)]);
  return end ? { ...statement(way, { ...wanted, place: [...place, ...upTo(end)] }), end } : statement(way, wanted);
}

/** Whether a way leads to nothing but what is wanted. */
function isAll({ table, index }: Way, { filter }: KeysWanted): boolean {
  const others = conditionsOf(filter, 'sqlite').length - startConditions(filter).length;
  return !table && others === (index === indexes.time ? 0 : 1);
}

function statement({ table, index, conditions, inOrder }: Way, { own, filter, place }: KeysWanted): Condition {
  const all = [...own, ...place, ...conditionsOf(filter, 'sqlite')];
  if (!table) {
    const { text, values } = where(all);
    return condition(`select uid from ${archive} indexed by ${index}${text}${order}`, ...values);
  }
  const outer = where(inOrder ? [...conditions, ...place, ...startConditions(filter)] : conditions);
  const inner = where([condition('uid = l.uid'), ...all]);
  return condition(
    `select uid from ${labels} l indexed by ${index}${outer.text} and exists (select 1 from ${archive} indexed by ${indexes.uid}${inner.text})${order}`,
    ...outer.values,
    ...inner.values,
  );
}

/** Those that the filter allows, the best first where all are wide. */
function waysOf({ own, clusterName, filter }: KeysWanted): Way[] {
  const ways: Way[] = [];
  const add = (index: string, inOrder: boolean, ...conditions: Condition[]) =>
    ways.push({ index, inOrder, conditions: [...own, ...conditions] });
  const { name, nameFilter = 'Exact', namespace, namePrefix, phase, finishedBefore, createdAfter } = filter;
  const prefixes = [...(name && nameFilter === 'Prefix' ? [name] : []), ...(namePrefix ? [namePrefix] : [])];
  if (name && nameFilter === 'Exact') add(indexes.name, true, condition('name = ?', name));
  for (const { key, operator, values } of labelRequirements(filter.labelSelector ?? '')) {
    if (operator === 'absent' || operator === 'notin') continue;
    const isIn = operator === 'in';
    const conditions = [
      condition('clustername = ?', clusterName),
      condition('name = ?', key),
      ...(isIn ? [condition(`value in (${placeholders(values.length)})`, ...values)] : []),
    ];
    ways.push({ table: labels, index: indexes.label, inOrder: isIn && values.length === 1, conditions });
  }
  if (phase) add(indexes.phase, true, condition('phase = ?', phase));
  if (namespace) add(indexes.namespace, true, condition('namespace = ?', namespace));
  for (const prefix of prefixes) add(indexes.name, false, ...prefixConditions(prefix, 'sqlite').slice(1));
  if (finishedBefore) add(indexes.finished, false, condition('finishedat <= ?', sqlTime(finishedBefore)));
  if (createdAfter) add(indexes.created, false, condition('creationtimestamp >= ?', sqlTime(createdAfter)));
  return ways;
}
