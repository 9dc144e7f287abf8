import { type Application, names } from '@tiphys/api';
import { quarantineOf } from '@tiphys/applications';
import type { ResourceNode } from '../../client/application-api.ts';
import { type Output, structured, table } from '../../terminal/output.ts';
import { paintStatus } from '../../terminal/status-colour.ts';
import { sourceOf } from '../common/source-of.ts';
import { printDiagnoses } from './diagnoses.ts';
import { qualifiedName } from './list.ts';

/** What `tiphys app get` prints: the summary, what is wrong with it, and its objects. */
export function printApplication(output: Output, application: Application, format: string, server: string): void {
  if (format === 'json' || format === 'yaml') {
    output.out(structured(format, application));
    return;
  }
  output.out(summary(output, application, server));
  printDiagnoses(output, application);
  output.out(`\n${resources(output, application)}`);
}

function summary(output: Output, application: Application, server: string): string {
  const { spec, status } = application;
  const source = sourceOf(application);
  const revision = status?.sync?.revision ?? '';
  const automated = spec.syncPolicy?.automated;
  const lines: [string, string][] = [
    ['Name:', qualifiedName(application)],
    ['Project:', spec.project || 'default'],
    ['Server:', spec.destination.server || spec.destination.name || ''],
    ['Namespace:', spec.destination.namespace ?? ''],
    ['URL:', `${server}/applications/${application.metadata.name}`],
    ['Repo:', source?.repoURL ?? ''],
    ['Target:', source?.targetRevision ?? 'HEAD'],
    ['Path:', source?.path ?? source?.chart ?? ''],
    [
      'Sync Policy:',
      automated && automated.enabled !== false ? `Automated${automated.prune ? ' (Prune)' : ''}` : 'Manual',
    ],
    [
      'Sync Status:',
      `${paintStatus(output, status?.sync?.status ?? 'Unknown')}${revision ? ` (${revision.slice(0, 7)})` : ''}`,
    ],
    ['Health Status:', paintStatus(output, status?.health?.status ?? 'Unknown')],
  ];
  const dependsOn = application.metadata.annotations?.[names.annotations.dependsOn];
  if (dependsOn) lines.push(['Depends On:', dependsOn]);
  const gate = application.metadata.annotations?.[names.annotations.healthGate];
  if (gate) lines.push(['Health Gate:', gate]);
  for (const { revisions, at, reason } of quarantineOf(application))
    lines.push(['Quarantined:', `${revisions.map((each) => each.slice(0, 7)).join(', ')} since ${at}: ${reason}`]);
  const { sourceHydrator } = spec;
  const hydration = status?.sourceHydrator?.currentOperation;
  if (sourceHydrator) {
    const { drySource, syncSource, hydrateTo } = sourceHydrator;
    const dry = `${drySource.repoURL} ${drySource.path} at ${drySource.targetRevision || 'HEAD'}`;
    lines.push(['Dry Source:', dry], ['Hydrated To:', `${hydrateTo?.targetBranch ?? syncSource.targetBranch}`]);
    const shas = [hydration?.drySHA, hydration?.hydratedSHA].flatMap((sha) => (sha ? [sha.slice(0, 7)] : []));
    const words = `${hydration?.phase ?? 'Not yet'}${shas.length > 0 ? ` (${shas.join(' → ')})` : ''}`;
    lines.push(['Hydration:', hydration?.message ? `${words}: ${hydration.message}` : words]);
  }
  const state = status?.operationState;
  if (state) lines.push(['Operation:', `${paintStatus(output, state.phase)}: ${state.message ?? ''}`]);
  return lines.map(([name, value]) => `${name.padEnd(20)}${value}`).join('\n');
}

/** The objects with the result of the last sync; hooks come from that result alone. */
export function resources(output: Output, { status }: Application): string {
  const results = status?.operationState?.syncResult?.resources ?? [];
  const keyOf = (item: { group?: string; kind?: string; namespace?: string; name?: string }) =>
    [item.group ?? '', item.kind, item.namespace ?? '', item.name].join('/');
  const messages = new Map(results.map((result) => [keyOf(result), result]));
  const rows = (status?.resources ?? []).map((item) => [
    item.group ?? '',
    item.kind ?? '',
    item.namespace ?? '',
    item.name ?? '',
    item.status ?? '',
    item.health?.status ?? '',
    '',
    messages.get(keyOf(item))?.message ?? '',
  ]);
  for (const hook of results.filter(({ hookType }) => hookType)) {
    rows.push([
      hook.group ?? '',
      hook.kind,
      hook.namespace ?? '',
      hook.name,
      hook.hookPhase ?? '',
      '',
      hook.hookType ?? '',
      hook.message ?? '',
    ]);
  }
  const text = table([['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'STATUS', 'HEALTH', 'HOOK', 'MESSAGE'], ...rows]);
  return output.colours
    ? text.replace(/\b(Healthy|Synced|Progressing|OutOfSync|Missing|Suspended|Degraded)\b/g, (word) =>
        paintStatus(output, word),
      )
    : text;
}

/** Forms of `-o` of an application; argocd's tree in detail says no more than ours. */
export const applicationForms = ['wide', 'tree', 'tree=detailed', 'json', 'yaml'] as const;

export const isTree = (form: string): boolean => form.startsWith('tree');

/** The resource tree, children under their parents. */
export function printTree(output: Output, tree: { nodes?: ResourceNode[] | null }): void {
  const nodes = tree.nodes ?? [];
  const children = new Map<string, ResourceNode[]>();
  const roots: ResourceNode[] = [];
  const known = new Set(nodes.map(({ uid }) => uid));
  for (const node of nodes) {
    const parents = (node.parentRefs ?? []).filter(({ uid }) => uid && known.has(uid));
    if (parents.length === 0) roots.push(node);
    for (const { uid } of parents) children.set(uid as string, [...(children.get(uid as string) ?? []), node]);
  }
  const visit = (node: ResourceNode, indent: string, branch: string) => {
    const health = node.health?.status ? ` ${paintStatus(output, node.health.status)}` : '';
    output.out(
      `${indent}${branch}${node.kind}/${node.name}${health}${node.health?.message ? ` ${node.health.message}` : ''}`,
    );
    const below = children.get(node.uid ?? '') ?? [];
    const inner = indent + (branch === '' ? '' : branch === '└─' ? '  ' : '│ ');
    for (const child of below) visit(child, inner, child === below.at(-1) ? '└─' : '├─');
  };
  for (const root of roots) visit(root, '', '');
}
