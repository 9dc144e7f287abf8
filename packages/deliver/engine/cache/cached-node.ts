import type { Diagnosis } from '@tiphys/diagnosis';
import { type KubeObject, keyString, type ObjectKey, parseApiVersion } from '@tiphys/kubernetes';
import { type HealthContext, healthOf } from '../health/health.ts';
import { podTrouble } from '../health/pod-trouble.ts';
import { replicaTrouble } from '../health/replica-trouble.ts';
import { objectsAt, textAt } from '../model/fields.ts';
import type { Health } from '../model/model.ts';
import { owningInstance } from '../model/tracking.ts';
import type { CacheSettings } from './cache-settings.ts';
import { type HostFacts, hostFacts, type PodLoad, podLoad } from './host-facts.ts';
import { KeptObject } from './kept-object.ts';
import { type Info, type Networking, nodeFacts } from './node-info.ts';
import { type PodSelection, podSelection } from './pod-selection.ts';

interface Owner {
  /** Empty where the owner is only known by its key. */
  readonly uid: string;
  readonly key: ObjectKey;
  readonly version: string;
}

/** What the cache keeps of every object: enough for the tree. The whole object is kept of an application's own ones only. */
export interface CachedNode {
  readonly id: string;
  readonly key: ObjectKey;
  readonly version: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAt: string;
  readonly deleting: boolean;
  readonly owners: readonly Owner[];
  /** Instance that the object is tracked to and that it is no copy of; empty for none. */
  readonly instance: string;
  readonly health?: Health;
  readonly info: readonly Info[];
  readonly images: readonly string[];
  readonly networking?: Networking;
  /** Names of a StatefulSet's volume claim templates. */
  readonly claimTemplates?: readonly string[];
  /** Of a Deployment or a Rollout that makes pods of its own. */
  readonly selection?: PodSelection;
  /** What a pod asks of the node that it runs on. */
  readonly load?: PodLoad;
  /** What a node offers. */
  readonly host?: HostFacts;
  /** The whole object, of an application's own ones alone. */
  readonly kept?: KeptObject;
}

const noOwners: readonly Owner[] = [];

export function cachedNode(
  object: KubeObject,
  { tracking, customLabels }: Pick<CacheSettings, 'tracking' | 'customLabels'>,
  context: HealthContext,
): CachedNode {
  const { group, version } = parseApiVersion(object.apiVersion);
  const { metadata, kind } = object;
  const key: ObjectKey = { group, kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  const owners = ownersOf(object, group);
  const instance = metadata.ownerReferences?.length ? '' : owningInstance(object, tracking);
  const facts = nodeFacts(object, customLabels);
  const assessed = healthOf(object, context);
  const trouble = troubleOf(object, group);
  const health = assessed && trouble ? { ...assessed, diagnosis: trouble } : assessed;
  const claimTemplates =
    group === 'apps' && kind === 'StatefulSet'
      ? objectsAt(object, 'spec', 'volumeClaimTemplates').map((template) => textAt(template, 'metadata', 'name'))
      : [];
  const selection = podSelection(object, group);
  return {
    id: keyString(key),
    key,
    version,
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    createdAt: metadata.creationTimestamp ?? '',
    deleting: metadata.deletionTimestamp !== undefined,
    owners,
    instance,
    ...(health ? { health } : {}),
    info: facts.info,
    images: facts.images,
    ...(facts.networking ? { networking: facts.networking } : {}),
    ...(claimTemplates.length > 0 ? { claimTemplates } : {}),
    ...(selection ? { selection } : {}),
    ...hostPart(object, group),
    ...(instance ? { kept: new KeptObject(object) } : {}),
  };
}

function hostPart(object: KubeObject, group: string): Pick<CachedNode, 'load' | 'host'> {
  if (group !== '') return {};
  if (object.kind === 'Node') return { host: hostFacts(object) };
  const load = object.kind === 'Pod' ? podLoad(object) : undefined;
  return load ? { load } : {};
}

function troubleOf(object: KubeObject, group: string): Diagnosis | undefined {
  if (group === '' && object.kind === 'Pod') return podTrouble(object);
  return group === 'apps' && object.kind === 'ReplicaSet' ? replicaTrouble(object) : undefined;
}

/** Owner references, and the owners that upstream infers where Kubernetes sets none. */
function ownersOf(object: KubeObject, group: string): readonly Owner[] {
  const { metadata, kind } = object;
  const namespace = metadata.namespace ?? '';
  const owners = (metadata.ownerReferences ?? []).map((reference): Owner => {
    const parent = parseApiVersion(reference.apiVersion);
    return {
      uid: reference.uid,
      version: parent.version,
      key: { group: parent.group, kind: reference.kind, namespace, name: reference.name },
    };
  });
  if (group === '' && kind === 'Endpoints' && owners.length === 0) {
    owners.push({ uid: '', version: 'v1', key: { group: '', kind: 'Service', namespace, name: metadata.name ?? '' } });
  }
  if (group === '' && kind === 'Secret' && object['type'] === 'kubernetes.io/service-account-token') {
    const uid = metadata.annotations?.['kubernetes.io/service-account.uid'] ?? '';
    const name = metadata.annotations?.['kubernetes.io/service-account.name'] ?? '';
    if (uid && name) owners.push({ uid, version: 'v1', key: { group: '', kind: 'ServiceAccount', namespace, name } });
  }
  const operatorGroup = metadata.annotations?.['olm.operatorGroup'];
  if (group === 'operators.coreos.com' && kind === 'ClusterServiceVersion' && operatorGroup) {
    owners.push({ uid: '', version: 'v1', key: { group, kind: 'OperatorGroup', namespace, name: operatorGroup } });
  }
  return owners.length > 0 ? owners : noOwners;
}
