import { type Dialect, placeholders, type SqlValue, sqlTime } from '@tiphys/sql';
import { type LabelRequirement, labelRequirements } from './label-requirements.ts';
import { tables } from './schema.ts';

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
    ...when(filter.name, (value) => nameCondition(value, filter.nameFilter ?? 'Exact')),
    ...when(filter.namePrefix, (value) => nameCondition(value, 'Prefix')),
    ...when(filter.minStartedAt, (value) => condition('startedat >= ?', sqlTime(value))),
    ...when(filter.maxStartedAt, (value) => condition('startedat <= ?', sqlTime(value))),
    ...when(filter.createdAfter, (value) => condition('creationtimestamp >= ?', sqlTime(value))),
    ...when(filter.finishedBefore, (value) => condition('finishedat <= ?', sqlTime(value))),
    ...when(filter.phase, (value) => condition('phase = ?', value)),
    ...labelRequirements(filter.labelSelector ?? '').map((requirement) => labelCondition(requirement, dialect)),
  ];
}

function when(value: string | undefined, make: (value: string) => Condition): Condition[] {
  return value ? [make(value)] : [];
}

function nameCondition(name: string, filter: NonNullable<ArchiveFilter['nameFilter']>): Condition {
  const escaped = name.replace(/[!%_]/g, '!$&');
  switch (filter) {
    case 'Contains':
      return condition(`name like ? escape '!'`, `%${escaped}%`);
    case 'Prefix':
      return condition(`name like ? escape '!'`, `${escaped}%`);
    case 'NotEquals':
      return condition('name <> ?', name);
    default:
      return condition('name = ?', name);
  }
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
  const not = operator === 'absent' || operator === 'notin' ? 'not ' : '';
  const bound = operator === 'greater' || operator === 'less' ? values.map(Number) : values;
  return condition(
    `${not}exists (select 1 from ${labels} l where l.clustername = ${archive}.clustername and l.uid = ${archive}.uid and l.name = ?${more})`,
    key,
    ...bound,
  );
}
