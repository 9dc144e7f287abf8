import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf, keyString, type ObjectKey, parseApiVersion } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { hookTypesOf, isHook, isSkipped, waveOf } from '../model/hooks.ts';
import type { DesiredObject, GeneratedField, HookType, Origin, Tracking } from '../model/model.ts';
import { setTracking } from '../model/tracking.ts';

const repeatedResource = defineDiagnosis(
  'RepeatedResource',
  'The manifests hold an object more than once; the last one counts',
);
const excludedResource = defineDiagnosis(
  'ExcludedResource',
  'The manifests hold objects of a kind that settings exclude',
);
const namespaceMissing = defineDiagnosis(
  'DestinationNamespaceMissing',
  'A namespaced object and the destination both name no namespace',
);
export const nameMissing = defineDiagnosis('ManifestNameMissing', 'An object of the manifests has no name', 'M12');

/** A desired object as it will be applied. */
export interface PreparedObject {
  readonly key: ObjectKey;
  readonly id: string;
  readonly version: string;
  readonly object: KubeObject;
  readonly origin: Origin;
  readonly generated: readonly GeneratedField[];
  readonly hook: boolean;
  readonly hookTypes: readonly HookType[];
  readonly skipped: boolean;
  readonly wave: number;
  /** Undefined if the cluster does not know the kind (yet). */
  readonly namespaced: boolean | undefined;
}

export interface PreparedState {
  /** Objects and hooks without repetitions, in the order of the manifests. */
  readonly objects: readonly PreparedObject[];
  readonly findings: readonly {
    type: 'RepeatedResourceWarning' | 'ExcludedResourceWarning' | 'InvalidSpecError';
    diagnosis: Diagnosis;
  }[];
}

const prepared = new WeakMap<DesiredObject, { settings: string; result: PreparedObject }>();

/** Namespaces, tracks and de-duplicates the manifests. The work for a manifest is done once as long as nothing about it changes. */
export function prepareState(
  desired: readonly DesiredObject[],
  cache: ClusterCache,
  tracking: Tracking,
  destinationNamespace: string,
): PreparedState {
  const byId = new Map<string, PreparedObject[]>();
  const findings: PreparedState['findings'][number][] = [];
  const definitions = definedScopes(desired);
  for (const [index, entry] of desired.entries()) {
    const item = prepare(entry, cache, tracking, destinationNamespace, definitions);
    if (cache.excludes(item.key.group, item.key.kind)) {
      findings.push({ type: 'ExcludedResourceWarning', diagnosis: excluded(item) });
      continue;
    }
    if (item.namespaced && !item.key.namespace)
      findings.push({ type: 'InvalidSpecError', diagnosis: withoutNamespace(item) });
    if (!item.hook && isNameless(item.object))
      findings.push({ type: 'InvalidSpecError', diagnosis: withoutName(item) });
    const id = item.key.name ? item.id : `${item.id}${item.object.metadata.generateName ?? ''}${index}`;
    const same = byId.get(id);
    if (same) same.push(item);
    else byId.set(id, [item]);
  }
  const objects: PreparedObject[] = [];
  for (const items of byId.values()) {
    objects.push(items.at(-1) as PreparedObject);
    if (items.length > 1) findings.push({ type: 'RepeatedResourceWarning', diagnosis: repeated(items) });
  }
  return { objects, findings };
}

/** The manifests as they will be applied: namespaced, tracked, without repetitions. Treat the objects as read-only. */
export function prepareDesired(request: {
  desired: readonly DesiredObject[];
  cache: ClusterCache;
  tracking: Tracking;
  destinationNamespace: string;
}): { object: KubeObject; origin: Origin }[] {
  const { desired, cache, tracking, destinationNamespace } = request;
  return prepareState(desired, cache, tracking, destinationNamespace).objects.map(({ object, origin }) => ({
    object,
    origin,
  }));
}

function prepare(
  entry: DesiredObject,
  cache: ClusterCache,
  tracking: Tracking,
  destination: string,
  definitions: ReadonlyMap<string, boolean>,
): PreparedObject {
  const { group, version } = parseApiVersion(entry.object.apiVersion);
  const { kind } = entry.object;
  const namespaced = cache.findKind(group, kind)?.namespaced ?? definitions.get(`${group}/${kind}`);
  const settings = `${tracking.method} ${tracking.instance} ${tracking.labelKey ?? ''} ${tracking.installationId ?? ''} ${destination} ${namespaced}`;
  const known = prepared.get(entry);
  if (known?.settings === settings) return known.result;
  // what is below metadata is the manifest's own, which nobody changes: large manifests are there once
  const object: KubeObject = { ...entry.object, metadata: { ...entry.object.metadata } };
  const { metadata } = object;
  if (namespaced === false) delete metadata.namespace;
  else if (!metadata.namespace && destination) metadata.namespace = destination;
  for (const field of ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields', 'selfLink'])
    delete metadata[field];
  const hook = isHook(object);
  // definitions are shared by all who use them: as upstream, only their live owner's annotation is theirs
  if (!isSkipped(object)) setTracking(object, tracking, destination);
  const key = keyOf(object);
  const result: PreparedObject = {
    key,
    id: keyString(key),
    version,
    object,
    origin: entry.origin,
    generated: entry.generated ?? [],
    hook,
    hookTypes: hook ? hookTypesOf(object) : [],
    skipped: isSkipped(object),
    wave: waveOf(object),
    namespaced,
  };
  prepared.set(entry, { settings, result });
  return result;
}

/** Scope of the kinds that the manifests themselves define. */
function definedScopes(desired: readonly DesiredObject[]): ReadonlyMap<string, boolean> {
  const scopes = new Map<string, boolean>();
  for (const { object } of desired) {
    if (object.kind !== 'CustomResourceDefinition') continue;
    const spec = object['spec'] as { group?: string; scope?: string; names?: { kind?: string } } | undefined;
    scopes.set(`${spec?.group ?? ''}/${spec?.names?.kind ?? ''}`, spec?.scope !== 'Cluster');
  }
  return scopes;
}

export function placeOf({ key, origin }: { key: ObjectKey; origin?: Origin | undefined }) {
  return { object: describeKey(key), ...(origin?.file ? { file: origin.file, line: origin.line } : {}) };
}

function repeated(items: readonly PreparedObject[]): Diagnosis {
  const last = items.at(-1) as PreparedObject;
  const { group, kind, namespace, name } = last.key;
  return diagnose(repeatedResource, {
    message: `Resource ${group}/${kind}/${namespace}/${name} appeared ${items.length} times among application resources.`,
    place: placeOf(last),
    evidence: items.map((item, index) => ({
      name: index === items.length - 1 ? 'used' : 'ignored',
      value: `${item.origin.file}:${item.origin.line}`,
    })),
    remedies: ['Keep one of them'],
  });
}

function excluded(item: PreparedObject): Diagnosis {
  const { group, kind, name } = item.key;
  return diagnose(excludedResource, {
    message: `Resource ${group}/${kind} ${name} is excluded in the settings`,
    place: placeOf(item),
    remedies: ['Remove it from the manifests, or the kind from resource.exclusions in argocd-cm'],
  });
}

/** The server would refuse it: it has no name, and nothing to make one of. */
export function isNameless({ metadata }: KubeObject): boolean {
  return !metadata.name && !metadata.generateName;
}

export function withoutName(item: { key: ObjectKey; origin?: Origin | undefined }): Diagnosis {
  return diagnose(nameMissing, {
    message: `The ${item.key.kind} has no name`,
    place: { ...placeOf(item), field: 'metadata.name' },
    remedies: ['Add metadata.name'],
  });
}

function withoutNamespace(item: PreparedObject): Diagnosis {
  const { group, kind, name } = item.key;
  return diagnose(namespaceMissing, {
    message: `Namespace for ${name} ${group ? `${group}/` : ''}${item.version}, Kind=${kind} is missing.`,
    place: placeOf(item),
    remedies: ['Set metadata.namespace, or spec.destination.namespace of the Application'],
  });
}
