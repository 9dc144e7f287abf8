import { placeholders, type Sql } from '@tiphys/sql';
import { type Condition, condition, conditionsOf, startConditions, where } from './archive-query.ts';
import { type LabelRequirement, labelRequirements } from './label-requirements.ts';
import { hasLabelTimes } from './label-times.ts';
import type { KeysWanted } from './sqlite-plan.ts';
import { tables } from './tables.ts';

const { archive, labels } = tables;

/** How many rows are sorted at most; what more of them fit is read in the order of the list. */
const sortable = 5_000;

/**
 * The statement for uids of a page in PostgreSQL and MySQL. They plan by themselves, but not for labels: where a label leads to few
 * workflows those are looked up and sorted; where its value leads to many, they are read in the order of the list by the index of
 * `makeLabelTimes`. `most` is how many rows of the page's statement are wanted, those before the page with them.
 */
export async function serverKeys(sql: Sql, wanted: KeysWanted, most: number): Promise<Condition> {
  const { own, place, filter, clusterName } = wanted;
  const all = [...own, ...place, ...conditionsOf(filter, sql.dialect)];
  const ways: { requirement: LabelRequirement; conditions: Condition[]; count: number }[] = [];
  for (const requirement of labelRequirements(filter.labelSelector ?? '')) {
    if (requirement.operator === 'absent' || requirement.operator === 'notin') continue;
    const conditions = labelConditions(clusterName, requirement);
    ways.push({ requirement, conditions, count: await countOf(sql, conditions) });
  }
  const [narrowest] = ways.toSorted((a, b) => a.count - b.count);
  if (narrowest && narrowest.count < sortable) return sorted(narrowest.conditions, all);
  const single = ways.find(({ requirement: { operator, values } }) => operator === 'in' && values.length === 1);
  if (single && !isNarrow(filter) && (await hasLabelTimes(sql))) {
    const timed = [...single.conditions, ...place, ...startConditions(filter)];
    return inOrder({ label: single.conditions, timed, all, most });
  }
  const { text, values } = where(all);
  return condition(`select uid, startedat from ${archive}${text}${order}`, ...values);
}

const order = ' order by startedat desc, uid desc';

/** What upstream's own index leads to few workflows by. */
const isNarrow = ({ name, nameFilter = 'Exact' }: KeysWanted['filter']) => !!name && nameFilter === 'Exact';

function labelConditions(clusterName: string, { key, operator, values }: LabelRequirement): Condition[] {
  return [
    condition('clustername = ?', clusterName),
    condition('name = ?', key),
    ...(operator === 'in' ? [condition(`value in (${placeholders(values.length)})`, ...values)] : []),
  ];
}

async function countOf(sql: Sql, conditions: readonly Condition[]): Promise<number> {
  const { text, values } = where(conditions);
  const { rows } = await sql.query(
    `select count(*) as count from (select 1 as one from ${labels}${text} limit ${sortable}) counted`,
    values,
  );
  return Number(rows[0]?.count);
}

/** Few: each is looked up by its uid. */
function sorted(label: readonly Condition[], all: readonly Condition[]): Condition {
  const few = lookedUp(label, all);
  return condition(`select uid, startedat from (${few.text}) few where startedat is not null${order}`, ...few.values);
}

/**
 * When the workflows with a label began, without a value for those that are not wanted. It is asked for one by one, and not as a join: both
 * servers guess how many rows there are of a cluster, and then may read all of them for each.
 */
function lookedUp(label: readonly Condition[], all: readonly Condition[]): Condition {
  const few = where(label);
  const one = where([...all, condition('uid = l.uid')]);
  return condition(
    `select uid, (select startedat from ${archive}${one.text}) as startedat from ${labels} l${few.text}`,
    ...one.values,
    ...few.values,
  );
}

/** Many: in the order of the list, until the page is full; and those whose labels others wrote, which have no time. */
function inOrder({ label, timed, all, most }: Parts): Condition {
  const known = where([...timed, condition('startedat is not null')]);
  const one = where([...all, condition('uid = l.uid')]);
  const unknown = lookedUp([...label, condition('startedat is null')], all);
  return condition(
    `select uid, startedat from (
       (select uid, startedat from ${labels} l${known.text} and (select 1 from ${archive}${one.text}) = 1${order} limit ${most})
       union all
       (${unknown.text})
     ) found where startedat is not null${order}`,
    ...known.values,
    ...one.values,
    ...unknown.values,
  );
}

interface Parts {
  /** What is asked of the label. */
  readonly label: readonly Condition[];
  /** The same, and what is asked of its time. */
  readonly timed: readonly Condition[];
  /** What is asked of the workflow. */
  readonly all: readonly Condition[];
  readonly most: number;
}
