import {
  builtinModels,
  builtinType,
  deducedType,
  gvkOf,
  type KubeObject,
  type ObjectType,
  sameValue,
} from '@tiphys/kubernetes';
import { annotation, annotationNames, syncFieldManager } from '../model/annotations.ts';
import { isObject } from '../model/fields.ts';
import type { Difference } from '../model/model.ts';
import { isSecret, maskedValue, maskSecrets } from '../model/secret-mask.ts';
import { differencesOf } from './differences.ts';
import { extractOwned, owns } from './field-path.ts';
import type { Ignore } from './ignore-rules.ts';
import { type MergeContext, mergeObject } from './three-way.ts';

export interface ObjectComparison {
  readonly differences: readonly Difference[];
  /** For display: live and predicted after normalisation, Secrets masked. Made when first asked for. */
  readonly normalized: { readonly live: KubeObject; readonly predicted: KubeObject };
}

export interface ObjectCompareOptions {
  readonly ignore?: Ignore | undefined;
  readonly ignoreStatus: boolean;
  readonly ignoreAggregatedRoles: boolean;
  /** The object is applied by server-side apply: what we own by managed fields stands for the last applied configuration. */
  readonly serverSide: boolean;
  /** Instance label that annotation tracking no longer sets; a live one that is not desired is no difference. */
  readonly staleLabel?: string | undefined;
}

/** How objects of the kind are merged: by the schema of built-in kinds, else by the value alone. */
export function typeOf(object: KubeObject): { type: ObjectType; builtin: boolean } {
  const type = builtinType(gvkOf(object));
  return { type: type ?? deducedType, builtin: type !== undefined };
}

/** Three-way comparison of one object; neither is changed. Equal means that applying the desired one would change nothing that counts. */
export function compareObject(desired: KubeObject, live: KubeObject, options: ObjectCompareOptions): ObjectComparison {
  const { type } = typeOf(desired);
  const before = normalize(live, options);
  const predicted = normalize(predict(desired, live, options.serverSide, options.ignore), options);
  if (options.ignore) {
    const writable = structuredClone([before, predicted] as const);
    for (const side of writable) options.ignore(side, live);
    return result(writable[0], writable[1], live, type);
  }
  return result(before, predicted, live, type);
}

/** Compares the live object with what the server says it would become. */
export function comparePredicted(
  predicted: KubeObject,
  live: KubeObject,
  options: ObjectCompareOptions,
): ObjectComparison {
  const sides = structuredClone([normalize(live, options), normalize(predicted, options)] as const);
  if (options.ignore) for (const side of sides) options.ignore(side, live);
  return result(sides[0], sides[1], live, typeOf(live).type);
}

function result(live: KubeObject, predicted: KubeObject, raw: KubeObject, type: ObjectType): ObjectComparison {
  if (sameValue(live, predicted))
    return { differences: none, normalized: { live: shown(live), predicted: shown(live) } };
  const secret = isSecret(raw);
  const withManagers = {
    ...live,
    metadata: {
      ...live.metadata,
      ...(raw.metadata.managedFields ? { managedFields: raw.metadata.managedFields } : {}),
    },
  };
  const differences = differencesOf(
    withManagers,
    {
      ...predicted,
      metadata: {
        ...predicted.metadata,
        ...(raw.metadata.managedFields ? { managedFields: raw.metadata.managedFields } : {}),
      },
    },
    type,
  ).map((difference) => (secret ? hide(difference) : difference));
  const [maskedLive, maskedPredicted] = maskSecrets([live, predicted]);
  return { differences, normalized: { live: maskedLive as KubeObject, predicted: maskedPredicted as KubeObject } };
}

const none: readonly Difference[] = [];
const shown = (object: KubeObject): KubeObject =>
  isSecret(object) ? (maskSecrets([object])[0] as KubeObject) : object;

function hide(difference: Difference): Difference {
  if (!/^(data|stringData)\b/.test(difference.path)) return difference;
  const { live, desired } = difference;
  if (isObject(live) || isObject(desired))
    return { ...difference, live: live && '++++++++', desired: desired && '++++++++++++' };
  return {
    ...difference,
    live: maskedValue(live, desired),
    desired: desired === undefined ? undefined : live === undefined ? maskedValue(desired, undefined) : '++++++++++++',
  };
}

/** The live object after an apply of the desired one. Fields that an ignore rule names keep their live value where `ignore` is given. */
export function predict(desired: KubeObject, live: KubeObject, serverSide: boolean, _ignore?: Ignore): KubeObject {
  const { type, builtin } = typeOf(desired);
  const wanted = storedForm(desired);
  const context: MergeContext = {
    builtin,
    atomic: serverSide,
    foreign: (path) => isForeign(live, path),
  };
  const last = lastApplied(live, serverSide);
  const predicted = mergeObject(wanted, last, live, type, [], context) as KubeObject;
  if (builtin) return predicted;
  // metadata of custom resources has a schema, whatever the rest has
  const metadata = mergeObject(
    wanted.metadata,
    isObject(last) ? last['metadata'] : undefined,
    live.metadata,
    metadataType(),
    ['metadata'],
    {
      ...context,
      builtin: true,
    },
  );
  return { ...predicted, metadata };
}

const metadataType = (): ObjectType => builtinModels().named('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');

/** The desired object as the server would store it: `stringData` in `data`, without what only the server sets. */
export function storedForm(desired: KubeObject): KubeObject {
  const stringData = desired['stringData'];
  if (!isSecret(desired) || !isObject(stringData)) return desired;
  const { stringData: _, ...rest } = desired;
  const encoded = Object.fromEntries(
    Object.entries(stringData).map(([name, value]) => [name, Buffer.from(String(value)).toString('base64')]),
  );
  return { ...rest, data: { ...(isObject(desired['data']) ? desired['data'] : {}), ...encoded } };
}

/** What was applied before: our own managed fields under server-side apply, else the annotation that kubectl and we write. */
function lastApplied(live: KubeObject, serverSide: boolean): unknown {
  const entry = live.metadata.managedFields?.find(
    ({ manager, operation, subresource }) => manager === syncFieldManager && operation === 'Apply' && !subresource,
  );
  if (entry && (serverSide || annotation(live, annotationNames.lastApplied) === undefined))
    return extractOwned(live, entry.fieldsV1, typeOf(live).type);
  const text = annotation(live, annotationNames.lastApplied);
  if (text === undefined) return undefined;
  try {
    const last: unknown = JSON.parse(text);
    return isSecret(live) && isObject(last) ? storedForm(last as KubeObject) : last;
  } catch {
    // an annotation that another program spoilt tells nothing about what was applied
    return undefined;
  }
}

const ourManagers = new Set([syncFieldManager, 'argocd-application-controller', 'kubectl-client-side-apply', 'tiphys']);

function isForeign(live: KubeObject, path: Parameters<MergeContext['foreign']>[0]): boolean {
  return (live.metadata.managedFields ?? []).some(
    (entry) => !ourManagers.has(entry.manager ?? '') && entry.subresource !== 'status' && owns(entry, path),
  );
}

const bookkeeping = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** Without what no manifest says: bookkeeping of the server, the last applied configuration, status as settings ask. */
function normalize(object: KubeObject, options: ObjectCompareOptions): KubeObject {
  const copy: KubeObject = { ...object, metadata: { ...object.metadata } };
  const { metadata } = copy;
  for (const field of bookkeeping) delete metadata[field];
  if (metadata.annotations) {
    const { [annotationNames.lastApplied]: _, ...annotations } = metadata.annotations;
    if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
    else delete metadata.annotations;
  }
  if (options.ignoreStatus) delete copy['status'];
  if (options.ignoreAggregatedRoles && copy.kind === 'ClusterRole' && copy['aggregationRule']) delete copy['rules'];
  return copy;
}
