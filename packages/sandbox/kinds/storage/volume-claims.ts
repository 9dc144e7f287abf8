import { isDeepStrictEqual } from 'node:util';
import type { Strategy } from '@tiphys/apimachinery';
import { compareQuantities, type coreV1, type KubeObject, parseQuantity } from '@tiphys/kubernetes';
import { claimStatus, validateClaimSpec, validateStorageClass } from '../pod/storage-validation.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { accessModes, storageClassOf } from './volume-cells.ts';

const isDefaultClass = ({ metadata }: KubeObject): boolean =>
  ['storageclass.kubernetes.io', 'storageclass.beta.kubernetes.io'].some(
    (group) => metadata.annotations?.[`${group}/is-default-class`] === 'true',
  );

interface ClaimSpec {
  accessModes?: string[];
  volumeMode?: string;
  storageClassName?: string;
  volumeName?: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  volumeAttributesClassName?: string;
  [field: string]: unknown;
}

interface DataSource {
  apiGroup?: string;
  kind?: string;
  namespace?: string;
}

export function defaultClaimSpec(spec: { volumeMode?: string }): void {
  spec.volumeMode ??= 'Filesystem';
}

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

export const persistentVolumeClaim: Strategy = {
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: true,
  defaults(object) {
    defaultClaimSpec(object.spec as ClaimSpec);
    const status = (object.status ?? {}) as coreV1.PersistentVolumeClaimStatus;
    status.phase ??= 'Pending';
    object.status = status;
  },
  admit(object, { server }) {
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes('kubernetes.io/pvc-protection'))
      object.metadata.finalizers = [...finalizers, 'kubernetes.io/pvc-protection'];
    const spec = object.spec as ClaimSpec;
    if (
      spec.storageClassName !== undefined ||
      object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] !== undefined
    )
      return;
    const classes = server.store.collection('storage.k8s.io/storageclasses');
    const defaults = classes
      .keys()
      .map((key) => classes.objectOf(key))
      .filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true')
      .sort((a, b) => Date.parse(b.metadata.creationTimestamp ?? '') - Date.parse(a.metadata.creationTimestamp ?? ''));
    if (defaults[0]?.metadata.name) spec.storageClassName = defaults[0].metadata.name;
  },
  prepareCreate(object) {
    const spec = object.spec as ClaimSpec & { dataSource?: DataSource; dataSourceRef?: DataSource };
    // References to other namespaces are behind a feature that is off.
    if (spec.dataSourceRef?.namespace) delete spec.dataSourceRef;
    const kind = `${spec.dataSource?.apiGroup ?? ''}/${spec.dataSource?.kind}`;
    // Of other kinds the older field is not believed; the newer one takes all.
    if (!['/PersistentVolumeClaim', 'snapshot.storage.k8s.io/VolumeSnapshot'].includes(kind)) delete spec.dataSource;
    if (spec.dataSource) spec.dataSourceRef ??= structuredClone(spec.dataSource);
    else if (spec.dataSourceRef && !spec.dataSourceRef.namespace) spec.dataSource = structuredClone(spec.dataSourceRef);
  },
  validate: (object, errors) => validateClaimSpec(object.spec as object, 'spec', errors),
  validateStatus: claimStatus,
  validateUpdate(object, old, errors) {
    const [now, before] = [object.spec as ClaimSpec, old.spec as ClaimSpec];
    const bound = (object.status as coreV1.PersistentVolumeClaimStatus | undefined)?.phase === 'Bound';
    if (!isDeepStrictEqual(frozenClaim(now, bound), frozenClaim(adopted(before, now), bound)))
      errors.forbidden(
        'spec',
        'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      );
    const size = (spec: ClaimSpec) => spec.resources?.requests?.storage ?? '0';
    const { capacity } = (old.status ?? {}) as coreV1.PersistentVolumeClaimStatus;
    if (
      (compareQuantities(size(now), size(before)) ?? 0) < 0 &&
      (compareQuantities(size(now), capacity?.storage ?? '0') ?? 0) <= 0
    )
      errors.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity');
    if (now.volumeMode !== before.volumeMode) errors.invalid('volumeMode', now.volumeMode, 'field is immutable');
  },
  warnings: (object) => claimWarnings(object.spec as ClaimSpec, 'spec'),
};

/** The spec before, with what may be filled in once. */
function adopted(before: ClaimSpec, now: ClaimSpec): ClaimSpec {
  return {
    ...before,
    ...(before.volumeName || !now.volumeName ? {} : { volumeName: now.volumeName }),
    ...(before.storageClassName === undefined && now.storageClassName !== undefined
      ? { storageClassName: now.storageClassName }
      : {}),
  };
}

/** What of a claim must not change; a bound one may ask for another size and other attributes. */
function frozenClaim({ volumeAttributesClassName, ...spec }: ClaimSpec, bound: boolean): unknown {
  if (!bound) return { ...spec, volumeAttributesClassName };
  const { storage: _, ...requests } = spec.resources?.requests ?? {};
  return { ...spec, resources: { ...spec.resources, requests } };
}

/** Bytes that are no whole number. */
export function claimWarnings(spec: ClaimSpec, at: string): string[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const storage = spec.resources?.[list]?.storage;
    const value = storage === undefined ? undefined : parseQuantity(storage);
    return value && value.nano % 1_000_000_000n !== 0n
      ? [
          `${at}.resources.${list}[storage]: fractional byte value ${JSON.stringify(storage)} is invalid, must be an integer`,
        ]
      : [];
  });
}

export const storageClass: Strategy = {
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: false,
  defaults(object) {
    object.reclaimPolicy ??= 'Delete';
    object.volumeBindingMode ??= 'Immediate';
  },
  validate: validateStorageClass,
  validateUpdate(object, old, errors) {
    for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'])
      if (!isDeepStrictEqual(object[field], old[field])) errors.forbidden(field, `updates to ${field} are forbidden.`);
  },
};

export const persistentVolumeClaims: BuiltinKind = {
  strategy: persistentVolumeClaim,
  cells: (o, now) => [
    name(o),
    o.metadata.deletionTimestamp ? 'Terminating' : textAt(o, 'status.phase'),
    textAt(o, 'spec.volumeName'),
    textAt(o, 'spec.volumeName') ? textAt(o, 'status.capacity.storage', '0') : '',
    textAt(o, 'spec.volumeName') ? accessModes(at(o, 'status.accessModes')) : '',
    storageClassOf(o),
    textAt(o, 'spec.volumeAttributesClassName', '<unset>'),
    age(o, now),
    textAt(o, 'spec.volumeMode', '<unset>'),
  ],
};

export const storageClasses: BuiltinKind = {
  strategy: storageClass,
  cells: (o, now) => [
    `${name(o)}${isDefaultClass(o) ? ' (default)' : ''}`,
    o.provisioner,
    textAt(o, 'reclaimPolicy', 'Delete'),
    textAt(o, 'volumeBindingMode', 'Immediate'),
    at(o, 'allowVolumeExpansion') === true,
    age(o, now),
  ],
};
