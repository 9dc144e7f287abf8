import type { Diagnosis } from '../api/model.ts';
import { isNotice } from './notices.ts';

export interface DiagnosisGroup {
  readonly diagnosis: Diagnosis;
  /** The same cause at other places. */
  readonly others: readonly Diagnosis[];
  /** That syncs are not tried again because of it. */
  readonly gaveUp?: Diagnosis;
  /** What was done because of it. */
  readonly done?: Diagnosis;
}

const gaveUpCode = 'AutoSyncGaveUp';

/** One cause is reported once, however many objects it holds up, and also where syncs were given up because of it. */
export function groupDiagnoses(diagnoses: readonly Diagnosis[]): DiagnosisGroup[] {
  const groups = new Map<string, Diagnosis[]>();
  for (const diagnosis of diagnoses) {
    const key = `${diagnosis.code} ${diagnosis.message}`;
    groups.set(key, [...(groups.get(key) ?? []), diagnosis]);
  }
  const all = withDone(
    [...groups.values()].map(([diagnosis, ...others]) => ({ diagnosis: diagnosis as Diagnosis, others })),
  );
  const gaveUp = all.find(({ diagnosis }) => diagnosis.code === gaveUpCode);
  const cause = gaveUp && all.find((group) => group !== gaveUp && causes(group.diagnosis, gaveUp.diagnosis.message));
  if (!cause) return [...all];
  return all
    .filter((group) => group !== gaveUp)
    .map((group) => (group === cause ? { ...group, gaveUp: gaveUp.diagnosis } : group));
}

/** That another revision runs is what was done with the one that is in quarantine, and no second cause. */
function withDone(groups: readonly DiagnosisGroup[]): readonly DiagnosisGroup[] {
  const restored = groups.find(({ diagnosis }) => diagnosis.code === 'RevisionRestored');
  if (!restored || !groups.some(({ diagnosis }) => diagnosis.code === 'RevisionQuarantined')) return groups;
  return groups
    .filter((group) => group !== restored)
    .map((group) => (group.diagnosis.code === 'RevisionQuarantined' ? { ...group, done: restored.diagnosis } : group));
}

/** Whether a sentence of a failed sync is about this cause: it repeats its words, or names its place. */
function causes(diagnosis: Diagnosis, sentence: string): boolean {
  if (isNotice(diagnosis)) return false;
  const { file, line } = diagnosis.place ?? {};
  return sentence.includes(diagnosis.message) || (line !== undefined && sentence.includes(`(${file}:${line}`));
}

/** The message of a failed sync without what the diagnoses say already; all of it where they do not. */
export function shortMessage(
  message: string,
  diagnoses: readonly Diagnosis[],
): { what: string; retried?: string; again?: string } | undefined {
  if (!diagnoses.some((diagnosis) => diagnosis.code !== gaveUpCode && causes(diagnosis, message))) return undefined;
  const end = message.search(/, reason: |: /);
  if (end < 0) return undefined;
  const retried = /\(retried (\d+) times\)/.exec(message)?.[1];
  const again = /trying again at ([\d:]+)/i.exec(message)?.[1];
  return { what: message.slice(0, end), ...(retried ? { retried } : {}), ...(again ? { again } : {}) };
}
