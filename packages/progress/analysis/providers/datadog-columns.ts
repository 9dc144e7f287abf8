import { badAnswer } from '../model/failures.ts';
import { plainNumber } from './go-format.ts';
import type { Reading } from './provider.ts';

/** A column of an answer of version 2: numbers (null for no data), or for each row the values of a tag. */
export interface DatadogColumn {
  readonly name?: string;
  readonly type?: string;
  readonly values?: readonly unknown[];
}

/** Groups that are told with a measurement: statuses are bounded, and the extremes are what matters. */
const maxGroups = 100;

interface Group {
  readonly name: string;
  readonly value: number;
}

/** The number of an answer without groups, or the list of numbers of one with groups, even with a single one. */
export function columnsReading(columns: readonly DatadogColumn[]): Reading {
  const numbers = columns.find(({ type }) => !type || type === 'number');
  const tags = columns.filter(({ type }) => type === 'group');
  const groups = (numbers?.values ?? []).flatMap((value, row): Group[] => {
    if (value === null) return [];
    if (typeof value !== 'number')
      throw badAnswer(`could not parse numeric value ${JSON.stringify(value)} in column "${numbers?.name ?? ''}"`);
    return [{ name: tags.length > 0 ? groupName(tags, row) : '', value }];
  });
  const [first] = groups;
  if (!first) return { value: '[]', result: null };
  if (tags.length === 0) return { value: plainNumber(first.value), result: first.value };
  const values = groups.map(({ value }) => value);
  return { value: `[${values.map(plainNumber).join(',')}]`, result: values, metadata: groupsMetadata(groups) };
}

function groupName(tags: readonly DatadogColumn[], row: number): string {
  const parts = tags.flatMap(({ values = [] }) => {
    const names = values[row];
    if (!Array.isArray(names) || names.length === 0) throw badAnswer(`could not parse group label at index ${row}`);
    return names as string[];
  });
  return parts.join(',');
}

function groupsMetadata(groups: readonly Group[]): Record<string, string> {
  if (groups.length <= maxGroups) return { groups: JSON.stringify(groups) };
  const sorted = [...groups].sort((a, b) => a.value - b.value);
  const half = maxGroups / 2;
  return { groups: JSON.stringify([...sorted.slice(0, half), ...sorted.slice(-half)]), groups_truncated: 'true' };
}
