import { type ExtraMetadata, rolloutNames } from '@tiphys/api';
import type { ReplicaSet } from './replica-set.ts';

const annotation = rolloutNames.annotations.ephemeralMetadata;

interface Metadata {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  [key: string]: unknown;
}

/** What was put on the pods of a ReplicaSet earlier; undefined if nothing was, or if the note cannot be read. */
export function notedMetadata({ metadata }: ReplicaSet): ExtraMetadata | undefined {
  try {
    const noted: unknown = JSON.parse(metadata.annotations?.[annotation] ?? 'null');
    return typeof noted === 'object' && noted !== null ? (noted as ExtraMetadata) : undefined;
  } catch {
    return undefined;
  }
}

/** The metadata with what is wanted, and without what was put there earlier and is wanted no more; the same object if nothing changes. */
export function withMetadata<M extends Metadata>(
  metadata: M,
  { earlier, wanted }: { earlier: ExtraMetadata | undefined; wanted: ExtraMetadata | undefined },
): M {
  const labels = merged(metadata.labels, earlier?.labels, wanted?.labels);
  const annotations = merged(metadata.annotations, earlier?.annotations, wanted?.annotations);
  if (labels === metadata.labels && annotations === metadata.annotations) return metadata;
  return { ...metadata, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
}

type Texts = Record<string, string> | undefined;

function merged(present: Texts, earlier: Texts = {}, wanted: Texts = {}): Texts {
  const added = Object.entries(wanted).filter(([key, value]) => present?.[key] !== value);
  const removed = Object.keys(earlier).filter(
    (key) => !Object.hasOwn(wanted, key) && present && Object.hasOwn(present, key),
  );
  if (added.length === 0 && removed.length === 0) return present;
  const next = { ...present, ...Object.fromEntries(added) };
  for (const key of removed) delete next[key];
  return next;
}

/** The ReplicaSet whose future pods carry the metadata, with a note of it; the same object if nothing changes. */
export function withPodMetadata(set: ReplicaSet, wanted: ExtraMetadata | undefined): ReplicaSet {
  const before = set.spec.template?.metadata ?? {};
  const metadata = withMetadata(before, { earlier: notedMetadata(set), wanted });
  if (metadata === before) return set;
  const { [annotation]: _, ...rest } = set.metadata.annotations ?? {};
  return {
    ...set,
    metadata: {
      ...set.metadata,
      annotations: wanted ? { ...rest, [annotation]: JSON.stringify(ordered(wanted)) } : rest,
    },
    spec: { ...set.spec, template: { ...set.spec.template, metadata } },
  };
}

/** As Go writes it: labels first, keys in order. */
function ordered({ labels, annotations }: ExtraMetadata): ExtraMetadata {
  const sorted = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ...(labels ? { labels: sorted(labels) } : {}),
    ...(annotations ? { annotations: sorted(annotations) } : {}),
  };
}
