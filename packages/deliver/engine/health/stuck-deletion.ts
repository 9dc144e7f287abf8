import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf, parseApiVersion } from '@tiphys/kubernetes';

const finalizerStuck = defineDiagnosis('FinalizerStuck', 'An object is deleted but a finalizer keeps it', 'C11');

const dependantsLeft = defineDiagnosis('DeletionWaitsForDependants', 'An object is deleted after what belongs to it');

/** A deletion is on its way for so long, in milliseconds, before anything is said to keep it. */
const underWay = 5_000;

/** What keeps an object that is being deleted; undefined while its deletion has only begun. */
export function slowDeletion(object: KubeObject, now: number): Diagnosis | undefined {
  const since = Date.parse(object.metadata.deletionTimestamp ?? '');
  // a pod's deletion is dated at the end of its grace
  return now - since < underWay ? undefined : stuckDeletion(object);
}

/** What keeps an object that is being deleted: its finalizers, and who must take them away. */
export function stuckDeletion(object: KubeObject): Diagnosis {
  const key = keyOf(object);
  const finalizers = object.metadata.finalizers ?? [];
  const children = finalizers.length === 1 && finalizers[0] === 'foregroundDeletion';
  const { group } = parseApiVersion(object.apiVersion);
  const why = children
    ? 'waits for its dependants to be deleted'
    : finalizers.length > 0
      ? `is kept by the finalizers ${finalizers.join(', ')}`
      : 'is still being deleted';
  return diagnose(children ? dependantsLeft : finalizerStuck, {
    message: `${describeKey(key)} ${why}`,
    place: { object: describeKey(key), ...(finalizers.length > 0 ? { field: 'metadata.finalizers' } : {}) },
    evidence: {
      'deleting since': object.metadata.deletionTimestamp,
      'last written by': lastWriter(object, finalizers),
    },
    remedies: children
      ? ['Wait for the dependants']
      : [
          'Start the controller that removes the finalizer',
          {
            text: 'Or remove the finalizers by hand',
            paste: `kubectl patch ${object.kind.toLowerCase()}${group ? `.${group}` : ''} ${key.name}${key.namespace ? ` -n ${key.namespace}` : ''} --type=merge -p '{"metadata":{"finalizers":null}}'`,
            loses: 'what the controller would have cleaned up',
          },
        ],
  });
}

/** Who set the finalizers, by managedFields: mostly the controller that takes them away again. */
function lastWriter({ metadata }: KubeObject, finalizers: readonly string[]): string | undefined {
  const owners = (metadata.managedFields ?? []).filter(({ fieldsV1 }) => {
    const fields = (fieldsV1 as { 'f:metadata'?: { 'f:finalizers'?: object } } | undefined)?.['f:metadata'];
    return finalizers.length > 0 && fields?.['f:finalizers'] !== undefined;
  });
  return owners.map(({ manager, time }) => `${manager ?? 'unknown'} (${time ?? 'no time'})`).join(', ') || undefined;
}
