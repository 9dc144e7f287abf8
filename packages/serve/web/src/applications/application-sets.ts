import type { ApplicationSet, SetElement, SetPreview, TreeNode } from '../api/model.ts';
import { t } from '../i18n/texts.ts';

/** Kinds of the generators of a set, as `git, matrix`. */
export function generatorsOf({ spec }: ApplicationSet): string {
  const kinds = (spec.generators ?? []).flatMap((generator) =>
    Object.keys(generator).filter((kind) => kind !== 'selector'),
  );
  return [...new Set(kinds)].join(', ');
}

/** What is wrong with a set, in one sentence; empty if nothing is. */
export function setProblem({ status }: ApplicationSet): string {
  const conditions = status?.conditions ?? [];
  const failed = conditions.find(({ type, status: is }) => type === 'ErrorOccurred' && is === 'True');
  const held = conditions.find(({ type, status: is }) => type === 'ResourcesUpToDate' && is === 'False');
  return failed?.message ?? held?.message ?? '';
}

/** True while deletions wait that somebody may confirm. */
export function deletionsWait({ metadata }: ApplicationSet): boolean {
  return metadata.annotations?.['tiphys.dev/pending-deletions'] !== undefined;
}

export interface SetRow {
  readonly name: string;
  readonly health: string | undefined;
  readonly sync: string | undefined;
  /** `2 Waiting` of a progressive sync; empty without one. */
  readonly step: string;
  readonly element: string;
  readonly generator: string;
}

/** The Applications of a set with what they are made for. */
export function rowsOf(set: ApplicationSet, elements: readonly SetElement[]): SetRow[] {
  const origins = new Map(elements.map(({ application, origin }) => [application, origin]));
  const steps = new Map(
    (set.status?.applicationStatus ?? []).map(({ application, step, status }) => [
      application,
      step === '-1' ? status : `${step} ${status}`,
    ]),
  );
  return (set.status?.resources ?? []).map(({ name, health, status }) => ({
    name,
    health: health?.status,
    sync: status,
    step: steps.get(name) ?? '',
    element: origins.get(name)?.element ?? '',
    generator: origins.get(name)?.field ?? '',
  }));
}

/** Group of the boxes that stand for generators, which are no objects. */
const generatorGroup = 'generator';

/** A set as a tree: its generators, and below each the Applications that its elements have made; what no generator is known of hangs on the set itself. */
export function treeOf(set: ApplicationSet, rows: readonly SetRow[], elements: readonly SetElement[]): TreeNode[] {
  const origins = new Map(elements.map(({ application, origin }) => [application, origin]));
  const generators = new Map<string, TreeNode>();
  const applications = rows.map(({ name, health }): TreeNode => {
    const origin = origins.get(name);
    const uid = origin && `generator ${origin.field}`;
    if (origin && uid) generators.set(uid, { group: generatorGroup, kind: origin.generator, name: origin.field, uid });
    return {
      group: 'argoproj.io',
      kind: 'Application',
      namespace: set.metadata.namespace,
      name,
      uid: `application ${name}`,
      ...(health ? { health: { status: health } } : {}),
      ...(uid ? { parentRefs: [{ uid }] } : {}),
    };
  });
  return [...generators.values(), ...applications];
}

export const isGenerator = ({ group }: TreeNode) => group === generatorGroup;

/** The rows that have all of the words in their name, element or generator, and the health and sync that are asked for; empty texts match all. */
export function filterRows(
  rows: readonly SetRow[],
  { text, health, sync }: { text: string; health: string; sync: string },
): readonly SetRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const own = `${row.name} ${row.element} ${row.generator}`.toLowerCase();
    return (
      words.every((word) => own.includes(word)) && (!health || row.health === health) && (!sync || row.sync === sync)
    );
  });
}

/** What a preview comes to: `3 create, 1 delete`; `no change` if it does nothing. */
export function previewSummary({ applications, failures }: SetPreview): string {
  if (failures.length > 0) return t('{count} failed: nothing would be changed', { count: failures.length });
  const counts = (['create', 'update', 'delete', 'refused'] as const).flatMap((change) => {
    const count = applications.filter((application) => application.change === change).length;
    return count > 0 ? [`${count} ${t(change)}`] : [];
  });
  return counts.join(', ') || t('no change');
}
