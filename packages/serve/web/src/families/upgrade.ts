import type { Diagnosis } from '../api/model.ts';
import type { ApiUse } from '../api/upgrade.ts';

/** The release after the one that a cluster runs: `v1.34.2` → `1.35`; empty if the version is not known. */
export function nextRelease(serverVersion: string | undefined): string {
  const [, major, minor] = /^v?(\d{1,3})\.(\d{1,4})/.exec(serverVersion ?? '') ?? [];
  return minor === undefined ? '' : `${major}.${Number(minor) + 1}`;
}

export const isRelease = (text: string) => /^v?\d{1,3}\.\d{1,4}$/.test(text);

export function apiName({ group, version, kind }: { group: string; version: string; kind: string }): string {
  return `${group ? `${group}/` : ''}${version} ${kind}`;
}

export interface UseGroup {
  /** `namespace/name`; empty for what no Application brings. */
  readonly application: string;
  readonly removed: number;
  readonly uses: readonly ApiUse[];
}

/** Uses by application: those that lose most first, what no Application brings last. */
export function groupUses(uses: readonly ApiUse[]): UseGroup[] {
  const groups = new Map<string, ApiUse[]>();
  for (const use of uses) groups.set(use.application ?? '', [...(groups.get(use.application ?? '') ?? []), use]);
  return [...groups]
    .map(([application, of]) => ({
      application,
      removed: of.filter(({ state }) => state === 'removed').length,
      uses: of,
    }))
    .sort(
      (a, b) =>
        Number(a.application === '') - Number(b.application === '') ||
        b.removed - a.removed ||
        (a.application < b.application ? -1 : 1),
    );
}

/** Who uses it, in one line. */
export function whoUses({ origin, object = '', caller, manager }: ApiUse): string {
  if (caller) return caller.workload ?? caller.pod ?? (caller.userAgent || caller.user);
  return origin === 'live' && manager ? `${manager} → ${object}` : object;
}

export interface ReadinessGroup {
  readonly code: string;
  readonly found: readonly { readonly message: string; readonly application: string | undefined }[];
  readonly remedies: readonly string[];
}

/** What stands in the way by its kind, in the order of the report; what can be done about all of a kind is reported once. */
export function groupReadiness(diagnoses: readonly Diagnosis[]): ReadinessGroup[] {
  const groups = new Map<string, Diagnosis[]>();
  for (const diagnosis of diagnoses) groups.set(diagnosis.code, [...(groups.get(diagnosis.code) ?? []), diagnosis]);
  return [...groups].map(([code, of]) => ({
    code,
    found: of.map(({ message, evidence = [] }) => ({
      message,
      application: evidence.find(({ name }) => name === 'application')?.value,
    })),
    remedies: [...new Set(of.flatMap(({ remedies = [] }) => remedies.map(({ text }) => text)))],
  }));
}
