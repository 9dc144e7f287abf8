import { type Application, type ApplicationSet, names } from '@tiphys/api';
import { copyJson, deepEqual, mergePatch } from '@tiphys/controller';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { compileIgnoreRules, type IgnoreRules } from '@tiphys/engine';
import { generatedApplicationRefused } from '../diagnoses/diagnoses.ts';
import { normalizeSpec } from './normalize-spec.ts';

/** Annotations that others write on generated Applications and that are never taken off. */
const keptAnnotations = [
  'notified.notifications.argoproj.io',
  'argocd.argoproj.io/refresh',
  names.annotations.showRefresh,
  'argocd.argoproj.io/hydrate',
  names.annotations.quarantine,
  // without them what is decided would be told by nobody
  names.annotations.notificationOutbox,
  names.annotations.notificationProblems,
];
/** Beginnings of finalizers that hooks of the deletion leave. */
const keptFinalizers = ['pre-delete-finalizer.argocd.argoproj.io', 'post-delete-finalizer.argocd.argoproj.io'];

/** Keys of metadata that stay as they are live, by the set and by the settings. */
export interface Preserved {
  readonly annotations: readonly string[];
  readonly labels: readonly string[];
}

/** What is to be done for one Application. */
export type Change =
  | { readonly kind: 'create'; readonly application: Application }
  | { readonly kind: 'update'; readonly before: Application; readonly patch: Record<string, unknown> }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly diagnosis: Diagnosis };

/** The rules of `ignoreApplicationDifferences`; the same value for the same rules. */
export function ignoreRulesOf(set: ApplicationSet): IgnoreRules | undefined {
  const rules = set.spec.ignoreApplicationDifferences ?? [];
  if (rules.length === 0) return undefined;
  return compileIgnoreRules(
    rules.map(({ name, jsonPointers = [], jqPathExpressions = [] }) => ({
      group: 'argoproj.io',
      kind: 'Application',
      ...(name ? { name } : {}),
      jsonPointers,
      jqPathExpressions,
    })),
    'ignoreApplicationDifferences',
  );
}

export interface PlanOptions {
  readonly preserved: Preserved;
  readonly rules: IgnoreRules | undefined;
  /** The policy keeps Applications when their set is deleted. */
  readonly keeps?: boolean;
}

/** What makes a live Application (undefined if there is none) the desired one. A pure function. */
export function planChange(
  set: ApplicationSet,
  desired: Application,
  live: Application | undefined,
  { preserved, rules, keeps = false }: PlanOptions,
): Change {
  if (!live) return { kind: 'create', application: stored(set, desired, keeps) };
  const owner = live.metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner && owner.uid !== set.metadata.uid) return { kind: 'refused', diagnosis: owned(desired, owner) };
  // it comes again when it is gone
  if (live.metadata.deletionTimestamp) return { kind: 'none' };
  const before = part({ ...live, spec: normalizeSpec(live.spec) });
  const after = part(wanted(set, desired, live, preserved, keeps));
  if (rules) {
    ignore(rules, before, live);
    ignore(rules, after, live);
  }
  if (deepEqual(comparable(before), comparable(after))) return { kind: 'none' };
  const patch = mergePatch(before, after) as Record<string, unknown> | undefined;
  return patch === undefined ? { kind: 'none' } : { kind: 'update', before: live, patch };
}

/** The specs say the same after both controllers have normalized them; fields that are ignored do not count. */
export function sameSpec(live: Application, desired: Application, rules: IgnoreRules | undefined): boolean {
  const [a, b] = [live, desired].map((application) => {
    const normal = part({ ...application, spec: normalizeSpec(application.spec) });
    if (rules) ignore(rules, normal, live);
    return normal.spec;
  });
  return deepEqual(withoutEmpty(a), withoutEmpty(b));
}

interface Part {
  metadata: Record<string, unknown>;
  spec: Application['spec'];
  operation?: Application['operation'];
}

/** What an ApplicationSet decides of an Application. */
function part({ metadata, spec, operation }: Application): Part {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  return copyJson({
    metadata: {
      labels: labels ?? {},
      annotations: annotations ?? {},
      finalizers: finalizers ?? [],
      ownerReferences: ownerReferences ?? [],
    },
    spec,
    ...(operation === undefined ? {} : { operation }),
  });
}

function stored(set: ApplicationSet, desired: Application, keeps: boolean): Application {
  const { metadata, operation } = desired;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { ...metadata, ownerReferences: [ownerOf(set, keeps)] },
    spec: normalizeSpec(desired.spec),
    ...(operation === undefined ? {} : { operation }),
  };
}

function wanted(
  set: ApplicationSet,
  desired: Application,
  live: Application,
  preserved: Preserved,
  keeps: boolean,
): Application {
  const { metadata } = desired;
  const keep = (
    own: Record<string, string> | undefined,
    found: Record<string, string> | undefined,
    keys: readonly string[],
  ) => ({
    ...own,
    ...Object.fromEntries(keys.flatMap((key) => (found?.[key] === undefined ? [] : [[key, found[key]]]))),
  });
  const hooks = (live.metadata.finalizers ?? []).filter((finalizer) =>
    keptFinalizers.some((kept) => finalizer.startsWith(kept)),
  );
  const references = (live.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== set.metadata.uid);
  const operation = desired.operation ?? live.operation;
  return {
    ...live,
    metadata: {
      ...live.metadata,
      labels: keep(metadata.labels, live.metadata.labels, preserved.labels),
      annotations: keep(metadata.annotations, live.metadata.annotations, [
        ...preserved.annotations,
        ...keptAnnotations,
      ]),
      finalizers: [...new Set([...(metadata.finalizers ?? []), ...hooks])],
      ownerReferences: [...references, ownerOf(set, keeps)],
    },
    spec: normalizeSpec(desired.spec),
    ...(operation === undefined ? {} : { operation }),
  };
}

/**
 * What of a live Application must change where the policy forbids updates: the garbage collector deletes what blocks the deletion of
 * a set, before anybody can let it go, so that Applications which are to be kept must not block it.
 */
export function planOwnership(set: ApplicationSet, live: Application, keeps: boolean): Change {
  const references = live.metadata.ownerReferences ?? [];
  const own = references.find(({ uid }) => uid === set.metadata.uid);
  if (!own || own.blockOwnerDeletion === !keeps || live.metadata.deletionTimestamp) return { kind: 'none' };
  const ownerReferences = references.map((reference) => (reference === own ? ownerOf(set, keeps) : reference));
  return { kind: 'update', before: live, patch: { metadata: { ownerReferences } } };
}

function ownerOf(set: ApplicationSet, keeps: boolean) {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    name: set.metadata.name ?? '',
    uid: set.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: !keeps,
  };
}

function ignore(rules: IgnoreRules, value: Part, live: Application): void {
  const { namespace = '', name = '' } = live.metadata;
  const apply = rules.for({ group: 'argoproj.io', kind: 'Application', namespace, name });
  if (!apply) return;
  const { operation } = value;
  apply(value as never, live);
  // a rule may not keep a sync from being started
  if (operation !== undefined) value.operation = operation;
}

function comparable({ metadata, spec, operation }: Part): unknown {
  return { metadata: withoutEmpty(metadata), spec: withoutEmpty(spec), operation };
}

/** Without empty texts, lists and maps, which say the same as absent ones. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const inner = withoutEmpty(member);
    const empty = inner === '' || inner === null || (typeof inner === 'object' && Object.keys(inner).length === 0);
    return empty ? [] : [[key, inner]];
  });
  return Object.fromEntries(kept);
}

function owned(desired: Application, owner: { kind: string; name: string }): Diagnosis {
  const { namespace, name } = desired.metadata;
  return diagnose(generatedApplicationRefused, {
    message: `Object ${namespace}/${name} is already owned by another ${owner.kind} controller ${owner.name}`,
    place: { object: `Application ${namespace}/${name}`, field: 'metadata.ownerReferences' },
    evidence: { owner: `${owner.kind} ${owner.name}` },
    remedies: ['Give the Applications of the two sets different names, or delete one of the sets'],
  });
}
