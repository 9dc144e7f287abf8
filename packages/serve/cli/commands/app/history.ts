import type { Application } from '@tiphys/api';
import { type Output, structured, table } from '../../terminal/output.ts';

/** What `tiphys app history` prints, oldest first. */
export function printHistory(output: Output, { status }: Application, format: string): void {
  const history = status?.history ?? [];
  if (format === 'json' || format === 'yaml') {
    output.out(structured(format, history));
    return;
  }
  if (format === 'id') {
    output.out(history.map(({ id }) => String(id)).join('\n'));
    return;
  }
  const rows = history.map((entry) => [
    String(entry.id),
    entry.deployedAt,
    `${entry.source?.targetRevision ?? 'HEAD'} (${(entry.revision ?? '').slice(0, 7)})`,
    entry.initiatedBy?.automated ? 'automated' : (entry.initiatedBy?.username ?? ''),
  ]);
  output.out(table([['ID', 'DATE', 'REVISION', 'BY'], ...rows]));
}
