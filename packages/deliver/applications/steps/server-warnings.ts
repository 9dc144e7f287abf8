import type { ApplicationStatus } from '@tiphys/api';
import { type ComparedResource, manifestDigest, type ServerWarning, type WrittenManifest } from '@tiphys/engine';
import { describeKey } from '@tiphys/kubernetes';
import { type StoredDiagnosis, setConditions } from '../reconciliation/conditions.ts';

const type = 'ServerWarning';

function warningsOf({ diagnoses = [] }: ApplicationStatus): ServerWarning[] {
  return (diagnoses as unknown as (StoredDiagnosis & ServerWarning)[])
    .filter(({ condition }) => condition === type)
    .map(({ condition: _, ...warning }) => warning);
}

function store(status: ApplicationStatus, warnings: readonly ServerWarning[], now: string): void {
  setConditions(
    status,
    [type],
    warnings.map((diagnosis) => ({ type, diagnosis, notice: true })),
    now,
  );
}

/** Keeps what the API server warned of when it took manifests, in place of what it had said of the same objects. */
export function keepWarnings(status: ApplicationStatus, written: readonly WrittenManifest[], now: string): void {
  if (written.length === 0) return;
  const anew = new Set(written.map(({ object }) => object));
  const others = warningsOf(status).filter(({ place }) => !anew.has(place?.object ?? ''));
  store(status, [...others, ...written.flatMap(({ warnings }) => warnings)], now);
}

/** Drops warnings of manifests that are not desired any more, or not as they were when the server warned. */
export function dropOldWarnings(status: ApplicationStatus, resources: readonly ComparedResource[], now: string): void {
  const before = warningsOf(status);
  if (before.length === 0) return;
  const desired = new Map(resources.map((resource) => [describeKey(resource.key), resource.desired]));
  const kept = before.filter(({ place, manifest }) => {
    const object = desired.get(place?.object ?? '');
    return object !== undefined && manifestDigest(object) === manifest;
  });
  if (kept.length < before.length) store(status, kept, now);
}
