import { placeholders, type Sql } from '@tiphys/sql';
import {
  type ArchiveFilter,
  type Condition,
  condition,
  conditionsOf,
  startConditions,
  where,
} from './archive-query.ts';
import { type LabelRequirement, labelRequirements } from './label-requirements.ts';
import { hasIndex, hasLabelTimes } from './label-times.ts';
import { prefixIndex } from './server-indexes.ts';
import type { KeysWanted } from './sqlite-plan.ts';
import { tables } from './tables.ts';
import { endOfWindow, type Keys, order, upTo } from './window.ts';

const { archive, labels } = tables;

/** How many rows are sorted at most; what more of them fit is read in the order of the list. */
const sortable = 5_000;

/**
 * The statement for uids of a page in PostgreSQL and MySQL. They plan by themselves where an index of the archive leads to few workflows, but
 * not for labels: where a label leads to few, those are looked up and sorted. Else workflows are read in the order of the list, by the index
 * of `makeLabelTimes` where a label has one value, and no more than one page may look at. `most` is how many rows of the page's statement are
 * wanted, those before the page with them.
 */
export async function serverKeys(sql: Sql, wanted: KeysWanted, most: number): Promise<Keys> {
  const { own, place, filter, clusterName } = wanted;
  const { minStartedAt: _min, maxStartedAt: _max, ...timeless } = filter;
  const fixed = [...own, ...conditionsOf(timeless, sql.dialect)];
  const times = [...place, ...startConditions(filter)];
  const all = [...fixed, ...times];
  const ways: { requirement: LabelRequirement; conditions: Condition[]; count: number }[] = [];
  for (const requirement of labelRequirements(filter.labelSelector ?? '')) {
    if (requirement.operator === 'absent' || requirement.operator === 'notin') continue;
    const conditions = labelConditions(clusterName, requirement);
    ways.push({ requirement, conditions, count: await countOf(sql, labels, conditions) });
  }
  const [narrowest] = ways.toSorted((a, b) => a.count - b.count);
  if (narrowest && narrowest.count < sortable) return sorted(narrowest.conditions, { fixed, times });
  if (await isNarrow(sql, wanted)) return plain(all);
  const single = ways.find(({ requirement: { operator, values } }) => operator === 'in' && values.length === 1);
  if (single && (await hasLabelTimes(sql))) {
    const timed = [...single.conditions, ...times];
    const { within, end } = await windowOf(sql, wanted, labels, [...timed, condition('startedat is not null')]);
    const parts = { label: single.conditions, fixed, times: [...times, ...within], most };
    return { ...inOrder(parts), ...end };
  }
  const { namespace = '', minStartedAt = '', maxStartedAt = '' } = filter;
  const ordered = conditionsOf({ namespace, minStartedAt, maxStartedAt }, sql.dialect);
  if (ordered.length === conditionsOf(filter, sql.dialect).length) return plain(all);
  const { within, end } = await windowOf(sql, wanted, archive, [...own, ...place, ...ordered]);
  return { ...plain([...all, ...within]), ...end };
}

function plain(all: readonly Condition[]): Condition {
  const { text, values } = where(all);
  return condition(`select uid, startedat from ${archive}${text}${order}`, ...values);
}

/** What keeps a page within what it may look at, and where that ends. */
async function windowOf(sql: Sql, { isBounded }: KeysWanted, table: string, conditions: readonly Condition[]) {
  const end = isBounded ? await endOfWindow(sql, table, conditions) : undefined;
  return { within: end ? upTo(end) : [], end: end ? { end } : {} };
}

/** Whether an index of the archive leads to few workflows, which are sorted then. */
async function isNarrow(sql: Sql, { own, filter }: KeysWanted): Promise<boolean> {
  const { name, nameFilter = 'Exact', namePrefix, finishedBefore, createdAfter } = filter;
  const ways: ArchiveFilter[] = [
    ...(name && nameFilter === 'Exact' ? [{ name }] : []),
    ...(finishedBefore ? [{ finishedBefore }] : []),
    ...(createdAfter ? [{ createdAfter }] : []),
  ];
  const prefixes = [...(name && nameFilter === 'Prefix' ? [name] : []), ...(namePrefix ? [namePrefix] : [])];
  if (prefixes.length > 0 && (sql.dialect === 'mysql' || (await hasIndex(sql, archive, prefixIndex))))
    ways.push(...prefixes.map((prefix) => ({ namePrefix: prefix })));
  for (const way of ways)
    if ((await countOf(sql, archive, [...own, ...conditionsOf(way, sql.dialect)])) < sortable) return true;
  return false;
}

function labelConditions(clusterName: string, { key, operator, values }: LabelRequirement): Condition[] {
  return [
    condition('clustername = ?', clusterName),
    condition('name = ?', key),
    ...(operator === 'in' ? [condition(`value in (${placeholders(values.length)})`, ...values)] : []),
  ];
}

/** Up to the bound. */
async function countOf(sql: Sql, table: string, conditions: readonly Condition[]): Promise<number> {
  const { text, values } = where(conditions);
  const { rows } = await sql.query(
    `select count(*) as count from (select 1 as one from ${table}${text} limit ${sortable}) counted`,
    values,
  );
  return Number(rows[0]?.count);
}

/** Few: each is looked up by its uid. */
function sorted(label: readonly Condition[], { fixed, times }: Pick<Parts, 'fixed' | 'times'>): Condition {
  const few = lookedUp(label, fixed);
  const wanted = where([condition('startedat is not null'), ...times]);
  return condition(
    `select uid, startedat from (${few.text}) few${wanted.text}${order}`,
    ...few.values,
    ...wanted.values,
  );
}

/**
 * When the workflows with a label began, without a value for those that are not wanted. It is asked for one by one, and not as a join: both
 * servers guess how many rows there are of a cluster, and then may read all of them for each. Nor is it asked with bounds of time, for which they
 * may read all that began between these.
 */
function lookedUp(label: readonly Condition[], fixed: readonly Condition[]): Condition {
  const few = where(label);
  const one = where([...fixed, condition('uid = l.uid')]);
  return condition(
    `select uid, (select startedat from ${archive}${one.text}) as startedat from ${labels} l${few.text}`,
    ...one.values,
    ...few.values,
  );
}

/** Many: in the order of the list, until the page is full; and those whose labels others wrote, which have no time. */
function inOrder({ label, fixed, times, most }: Parts & { most: number }): Condition {
  const known = where([...label, ...times, condition('startedat is not null')]);
  const one = where([...fixed, condition('uid = l.uid')]);
  const unknown = lookedUp([...label, condition('startedat is null')], fixed);
  const wanted = where([condition('startedat is not null'), ...times]);
  return condition(
    `select uid, startedat from (
       (select uid, startedat from ${labels} l${known.text} and (select 1 from ${archive}${one.text}) = 1${order} limit ${most})
       union all
       (${unknown.text})
     ) found${wanted.text}${order}`,
    ...known.values,
    ...one.values,
    ...unknown.values,
    ...wanted.values,
  );
}

interface Parts {
  /** What is asked of the label. */
  readonly label: readonly Condition[];
  /** What is asked of the workflow. */
  readonly fixed: readonly Condition[];
  /** What is asked of the time when it began. */
  readonly times: readonly Condition[];
}
