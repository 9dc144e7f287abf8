import { isMirrorPod, type PodObject, type PodReferences, podReferences } from '@tiphys/kinds';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import type { Item, Store } from '@tiphys/store';

/** Kinds that a node may read where one of its pods, or it itself, is meant. */
export type RelatedKind =
  | 'configmap'
  | 'secret'
  | 'pvc'
  | 'pv'
  | 'resourceclaim'
  | 'serviceaccount'
  | 'pod'
  | 'resourceslice'
  | 'volumeattachment';

interface Reference {
  name?: string;
  namespace?: string;
}

interface Volume extends KubeObject {
  spec: { claimRef?: Reference | null; azureFile?: AzureFile } & Record<string, { secretRef?: Reference } | undefined>;
}

interface AzureFile {
  secretName?: string;
  secretNamespace?: string | null;
}

/** Items never change, so what was read of one stays true. */
const known = new WeakMap<Item, PodReferences>();

/**
 * Whether an object belongs to what a node runs, as kube-apiserver's node authorizer follows it: pods on the node, what they
 * name, the volumes of their claims with the secrets that a kubelet needs for them.
 */
export function isRelated(store: Store, node: string, kind: RelatedKind, namespace: string, name: string): boolean {
  const namesNode = (collection: string, key: string) =>
    (store.collection(collection).get(key)?.object.spec as coreV1.PodSpec | undefined)?.nodeName === node;
  switch (kind) {
    case 'pod':
      return namesNode('pods', `${namespace}/${name}`);
    case 'resourceslice':
      return namesNode('resource.k8s.io/resourceslices', name);
    case 'volumeattachment':
      return namesNode('storage.k8s.io/volumeattachments', name);
    case 'serviceaccount':
      return podsOn(store, node, namespace).some(({ object }) => object.spec.serviceAccountName === name);
    case 'configmap':
      return podsOn(store, node, namespace).some(({ references }) => references.configMaps.has(name));
    case 'pvc':
      return podsOn(store, node, namespace).some(({ references }) => references.volumeClaims.has(name));
    case 'resourceclaim':
      return podsOn(store, node, namespace).some(({ references }) => references.resourceClaims.has(name));
    case 'pv':
      return isClaimed(store, node, store.collection('persistentvolumes').get(name)?.object);
    default:
      return (
        podsOn(store, node, namespace).some(({ references }) => references.secrets.has(name)) ||
        volumesWithSecret(store, namespace, name).some((volume) => isClaimed(store, node, volume))
      );
  }
}

interface PodOnNode {
  readonly object: PodObject;
  readonly references: PodReferences;
}

/** The pods of a namespace on the node; mirror pods lead nowhere. */
function podsOn(store: Store, node: string, namespace: string): IteratorObject<PodOnNode> {
  const pods = store.collection('pods');
  const prefix = `${namespace}/`;
  return pods
    .keys()
    .values()
    .filter((key) => key.startsWith(prefix))
    .map((key) => pods.get(key) as Item)
    .filter(({ object }) => (object as PodObject).spec.nodeName === node)
    .filter(({ object }) => !isMirrorPod(object))
    .map((item) => ({ object: item.object as PodObject, references: referencesOf(item) }));
}

function referencesOf(item: Item): PodReferences {
  const found = known.get(item) ?? podReferences(item.object as PodObject);
  known.set(item, found);
  return found;
}

function isClaimed(store: Store, node: string, volume: KubeObject | undefined): boolean {
  const { claimRef } = (volume as Volume | undefined)?.spec ?? {};
  return !!claimRef && isRelated(store, node, 'pvc', claimRef.namespace ?? '', claimRef.name ?? '');
}

function volumesWithSecret(store: Store, namespace: string, name: string): IteratorObject<KubeObject> {
  const volumes = store.collection('persistentvolumes');
  return volumes
    .keys()
    .values()
    .map((key) => (volumes.get(key) as Item).object)
    .filter((volume) =>
      secretsOf(volume as Volume).some((secret) => secret.namespace === namespace && secret.name === name),
    );
}

/** Sources whose secret is in the claim's namespace unless it names one, and those that always name one. */
const IN_CLAIM = ['cephfs', 'flexVolume', 'rbd', 'scaleIO', 'iscsi'] as const;
const NAMED = ['cinder', 'storageos'] as const;
const OF_KUBELET = ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'] as const;

/** The secrets of a volume that a kubelet needs; others are for controllers alone. */
function secretsOf({ spec }: Volume): Reference[] {
  const { claimRef, azureFile } = spec;
  if (!claimRef) return [];
  const inClaim = ({ name = '', namespace }: Reference) => ({
    name,
    namespace: namespace || (claimRef.namespace ?? ''),
  });
  const azure = azureFile
    ? [inClaim({ name: azureFile.secretName ?? '', namespace: azureFile.secretNamespace ?? '' })]
    : [];
  const csi = spec.csi as Partial<Record<(typeof OF_KUBELET)[number], Reference>> | undefined;
  return [
    ...azure,
    ...IN_CLAIM.flatMap((source) => spec[source]?.secretRef ?? []).map(inClaim),
    ...NAMED.flatMap((source) => spec[source]?.secretRef ?? []),
    ...OF_KUBELET.flatMap((field) => csi?.[field] ?? []),
  ];
}
