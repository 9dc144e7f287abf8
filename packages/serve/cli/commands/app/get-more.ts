import type { Application, ApplicationSource } from '@tiphys/api';
import { type Output, structured, table } from '../../terminal/output.ts';
import { sourceAt } from './spec.ts';

/** `--show-operation`: what runs, or ran last, and who asked for it. */
export function printOperation(output: Output, { operation, status }: Application): void {
  const state = status?.operationState;
  if (!operation && !state) return;
  const { sync, initiatedBy, retry } = operation ?? state?.operation ?? {};
  const rows: [string, string][] = [
    ['Operation:', sync ? 'Sync' : 'none'],
    ['Sync Revision:', sync?.revisions?.join(', ') || sync?.revision || state?.syncResult?.revision || ''],
    ['Asked For By:', initiatedBy?.automated ? 'automated sync' : (initiatedBy?.username ?? '')],
    ['Prune:', String(sync?.prune ?? false)],
    ['Dry Run:', String(sync?.dryRun ?? false)],
    ['Retry Limit:', String(retry?.limit ?? 0)],
    ['Phase:', state?.phase ?? 'Pending'],
    ['Start:', state?.startedAt ?? ''],
    ['Finished:', state?.finishedAt ?? ''],
    ['Message:', state?.message ?? ''],
  ];
  output.out(`\n${rows.map(([name, value]) => `${name.padEnd(20)}${value}`.trimEnd()).join('\n')}`);
}

/** `--show-params`: the parameters of its sources, of one of them if the flags name one. */
export function printParameters(
  output: Output,
  { spec }: Application,
  flags: { readonly sourcePosition?: number; readonly sourceName?: string },
): void {
  const all = spec.sources?.length ? spec.sources : spec.source ? [spec.source] : [];
  const named = flags.sourcePosition !== undefined || flags.sourceName !== undefined;
  const chosen = named && spec.sources?.length ? [all[sourceAt(spec, flags)] as ApplicationSource] : all;
  for (const source of chosen) {
    const rows = (source.helm?.parameters ?? []).map(({ name = '', value = '' }) => [name, value]);
    const { parameters: _, ...helm } = source.helm ?? {};
    const others = { helm, kustomize: source.kustomize, plugin: source.plugin, directory: source.directory };
    const set = Object.fromEntries(Object.entries(others).filter(([, value]) => Object.keys(value ?? {}).length > 0));
    output.out(`\n${source.name || source.repoURL}`);
    output.out(table([['NAME', 'VALUE'], ...rows]));
    if (Object.keys(set).length > 0) output.out(structured('yaml', set));
  }
}
