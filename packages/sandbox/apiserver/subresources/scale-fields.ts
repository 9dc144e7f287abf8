import {
  builtinType,
  type Clock,
  decodeManaged,
  deducedType,
  encodeManaged,
  FieldManager,
  FieldSet,
  type KubeObject,
  type Managed,
  type ManagedFieldsEntry,
} from '@tiphys/kubernetes';

const GROUP_VERSION = 'autoscaling/v1';
const IN_SCALE = ['spec', 'replicas'];

const elements = (names: readonly string[]): string[] => names.map((name) => `f:${name}`);

type Entries = readonly ManagedFieldsEntry[] | undefined;

/** The keeper of managed fields of Scales. */
export function scaleManager(clock: Clock): FieldManager {
  const type = builtinType({ group: 'autoscaling', version: 'v1', kind: 'Scale' }) ?? deducedType;
  return new FieldManager({
    apiVersion: GROUP_VERSION,
    kind: 'Scale',
    subresource: 'scale',
    typeOf: () => type,
    now: () => clock.now(),
  });
}

/** Who owns the replicas of an object, as its Scale has it. */
export function entriesInScale(entries: Entries, path: string): ManagedFieldsEntry[] {
  const { fields, times } = decodeManaged(entries);
  const owned: Managed['fields'] = new Map();
  for (const [id, { set, applied }] of fields)
    if (set.has(elements(path.split('.'))))
      owned.set(id, { set: FieldSet.of(IN_SCALE), apiVersion: GROUP_VERSION, applied });
  return encodeManaged({ fields: owned, times });
}

/**
 * The entries of an object after a write of its Scale: the replicas are those of anyone who owns them in the Scale. Times
 * get lost on the way, and an updater is another one than that of the object itself, as with kube-apiserver.
 */
export function entriesInParent(
  entries: Entries,
  inScale: Entries,
  path: string,
  object: KubeObject,
): ManagedFieldsEntry[] {
  const parent = decodeManaged(entries);
  const scale = decodeManaged(inScale).fields;
  const replicas = path.split('.');
  const fields: Managed['fields'] = new Map();
  for (const [id, owned] of parent.fields) {
    if (!owned.set.has(elements(replicas))) fields.set(id, owned);
    else if (scale.delete(id)) fields.set(id, owned);
    else {
      const set = owned.set.difference(FieldSet.of(replicas));
      if (!set.isEmpty) fields.set(id, { ...owned, set });
    }
  }
  for (const [id, { set, applied }] of scale)
    if (set.has(elements(IN_SCALE)))
      fields.set(id, { set: FieldSet.of(replicas), apiVersion: object.apiVersion, applied });
  return encodeManaged({ fields, times: parent.times });
}
