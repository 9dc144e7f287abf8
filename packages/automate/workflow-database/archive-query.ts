import { type Dialect, placeholders, type SqlValue, sqlTime } from '@tiphys/sql';
import { type LabelRequirement, labelRequirements } from './label-requirements.ts';
import { tables } from './tables.ts';

/** Which archived workflows are wanted. */
export interface ArchiveFilter {
  /** All namespaces if absent. */
  readonly namespace?: string;
  readonly excludedNamespace?: string;
  readonly name?: string;
  readonly nameFilter?: 'Exact' | 'Contains' | 'Prefix' | 'NotEquals';
  readonly namePrefix?: string;
  /** RFC 3339. */
  readonly minStartedAt?: string;
  readonly maxStartedAt?: string;
  readonly createdAfter?: string;
  readonly finishedBefore?: string;
  readonly labelSelector?: string;
  readonly phase?: string;
}

/** A part of a `where` clause with its values. */
export interface Condition {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

export const condition = (text: string, ...values: SqlValue[]): Condition => ({ text, values });

/** The conditions that a filter means. Throws a diagnosis for a label selector that cannot be read. */
export function conditionsOf(filter: ArchiveFilter, dialect: Dialect): Condition[] {
  return [
    ...when(filter.namespace, (value) => condition('namespace = ?', value)),
    ...when(filter.excludedNamespace, (value) => condition('namespace <> ?', value)),
    ...(filter.name ? nameConditions(filter.name, filter.nameFilter ?? 'Exact', dialect) : []),
    ...(filter.namePrefix ? prefixConditions(filter.namePrefix, dialect) : []),
    ...startConditions(filter),
    ...when(filter.createdAfter, (value) => condition('creationtimestamp >= ?', sqlTime(value))),
    ...when(filter.finishedBefore, (value) => condition('finishedat <= ?', sqlTime(value))),
    ...when(filter.phase, (value) => condition('phase = ?', value)),
    ...labelRequirements(filter.labelSelector ?? '').map((requirement) => labelCondition(requirement, dialect)),
  ];
}

function when(value: string | undefined, make: (value: string) => Condition): Condition[] {
  return value ? [make(value)] : [];
}

/** What the filter asks of the time of start. */
export function startConditions({ minStartedAt, maxStartedAt }: ArchiveFilter): Condition[] {
  return [
    ...when(minStartedAt, (value) => condition('startedat >= ?', sqlTime(value))),
    ...when(maxStartedAt, (value) => condition('startedat <= ?', sqlTime(value))),
  ];
}

const escaped = (name: string) => name.replace(/[!%_]/g, '!$&');

function nameConditions(
  name: string,
  filter: NonNullable<ArchiveFilter['nameFilter']>,
  dialect: Dialect,
): readonly Condition[] {
  switch (filter) {
    case 'Contains':
      return [condition(`name like ? escape '!'`, `%${escaped(name)}%`)];
    case 'Prefix':
      return prefixConditions(name, dialect);
    case 'NotEquals':
      return [condition('name <> ?', name)];
    default:
      return [condition('name = ?', name)];
  }
}

/** What is last in the order of bytes, which is that of SQLite alone. */
const lastCharacter = '\u{10ffff}';

/** The test itself first, and behind it the bounds that an index can be asked for. */
export function prefixConditions(prefix: string, dialect: Dialect): readonly Condition[] {
  const test = condition(`name like ? escape '!'`, `${escaped(prefix)}%`);
  if (dialect !== 'sqlite') return [test];
  return [test, condition('name >= ?', prefix), condition('name < ?', `${prefix}${lastCharacter}`)];
}

function labelCondition({ key, operator, values }: LabelRequirement, dialect: Dialect): Condition {
  const { archive, labels } = tables;
  const number = dialect === 'mysql' ? 'signed' : 'integer';
  const more =
    operator === 'in' || operator === 'notin'
      ? ` and value in (${placeholders(values.length)})`
      : operator === 'greater' || operator === 'less'
        ? ` and cast(value as ${number}) ${operator === 'greater' ? '>' : '<'} ?`
        : '';
  const isWanted = operator !== 'absent' && operator !== 'notin';
  const bound = operator === 'greater' || operator === 'less' ? values.map(Number) : values;
  // servers that know nothing of the table yet would seek the name, which all workflows may have, and not the uid
  const name = dialect === 'sqlite' ? 'l.name' : `concat(l.name, '')`;
  const label = `(select 1 from ${labels} l where l.clustername = ${archive}.clustername and l.uid = ${archive}.uid and ${name} = ?${more})`;
  // servers make a join of `exists`, for which they may read all labels; this they ask of those workflows alone that are looked at
  const test =
    dialect === 'sqlite' ? `${isWanted ? '' : 'not '}exists ${label}` : `${label} is ${isWanted ? 'not ' : ''}null`;
  return condition(test, key, ...bound);
}

export function where(conditions: readonly Condition[]): { text: string; values: SqlValue[] } {
  return {
    text: ` where ${conditions.map(({ text }) => text).join(' and ')}`,
    values: conditions.flatMap(({ values }) => [...values]),
  };
}
