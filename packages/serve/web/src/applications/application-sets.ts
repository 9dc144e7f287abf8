import type { ApplicationSet, SetElement, SetPreview } from '../api/model.ts';
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

/** What a preview comes to: `3 create, 1 delete`; `no change` if it does nothing. */
export function previewSummary({ applications, failures }: SetPreview): string {
  if (failures.length > 0) return t('{count} failed: nothing would be changed', { count: failures.length });
  const counts = (['create', 'update', 'delete', 'refused'] as const).flatMap((change) => {
    const count = applications.filter((application) => application.change === change).length;
    return count > 0 ? [`${count} ${t(change)}`] : [];
  });
  return counts.join(', ') || t('no change');
}
