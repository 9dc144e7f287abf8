import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf } from '@tiphys/kubernetes';
import { objectAt, objectsAt, textAt } from '../model/fields.ts';

const unschedulable = defineDiagnosis('PodUnschedulable', 'No node can take a pod', 'S9');
const claimMissing = defineDiagnosis('VolumeClaimMissing', 'A pod uses a volume claim that does not exist', 'S14');
export const claimsUnbound = defineDiagnosis('VolumeClaimsUnbound', 'A pod waits for volume claims to be bound', 'S14');

/** What the scheduler says of the nodes, and what can be done about each. */
const remedies: readonly [RegExp, string][] = [
  [/Insufficient \S+/, 'Add nodes, free some, or lower the resource requests of the pod'],
  [
    /Pod's node affinity|match node selector|affinity\/selector/,
    'Correct nodeSelector and node affinity of the pod, or label a node so that it matches',
  ],
  [
    /taint \{node\.kubernetes\.io\/(?:not-ready|unreachable)/,
    'See why the nodes are not ready (kubectl describe node): their kubelet, container runtime or network',
  ],
  [
    /taint \{node\.kubernetes\.io\/(?:disk|memory|pid)-pressure/,
    'Free the disk, memory or processes that the nodes lack (kubectl describe node shows their conditions), or add nodes',
  ],
  [
    /taint \{node\.kubernetes\.io\/unschedulable/,
    'Let the cordoned nodes take pods again (kubectl uncordon), or add nodes',
  ],
  [
    /taint \{node\.cloudprovider\.kubernetes\.io\/uninitialized/,
    'Start the cloud controller manager, which has not set the nodes up yet',
  ],
  [
    /untolerated taint(?! \{node\.(?:cloudprovider\.)?kubernetes\.io\/)/,
    'Give the pod a toleration of the taint, or take the taint from a node',
  ],
  [/were unschedulable/, 'Let the cordoned nodes take pods again (kubectl uncordon), or add nodes'],
  [/anti-affinity/, 'Add nodes, or loosen the pod anti-affinity'],
  [
    /topology spread constraints \(missing required label\)/,
    'Give the nodes the label that topologyKey of topologySpreadConstraints names, or correct topologyKey',
  ],
  [
    /topology spread constraints(?! \(missing)/,
    'Add nodes in the domains that have the fewest pods, or loosen topologySpreadConstraints',
  ],
  [/free ports/, 'Let another node take the pod, or give up hostPort'],
  [/volume node affinity/, 'Add a node in the zone of the volume, or restore the data into another zone'],
  [/max volume count/, 'Add nodes: those that are there hold as many volumes as they can'],
  [/Too many pods/, 'Add nodes: those that are there hold as many pods as they can'],
];

/** Why the scheduler has found no node for a pod, by its own message. */
export function unschedulablePod(pod: KubeObject, message: string): Diagnosis {
  const place = { object: describeKey(keyOf(pod)) };
  const missing = /persistentvolumeclaim "([^"]+)" not found/.exec(message)?.[1];
  if (missing)
    return diagnose(claimMissing, {
      message: `The pod waits for PersistentVolumeClaim ${missing}, which does not exist`,
      place: { ...place, field: 'spec.volumes' },
      evidence: { 'what the scheduler says': message, since: conditionSince(pod) },
      remedies: [`Add PersistentVolumeClaim ${missing} to the source, or correct spec.volumes of the pod`],
    });
  if (/unbound immediate PersistentVolumeClaims/.test(message)) {
    const claims = claimsOf(pod);
    return diagnose(claimsUnbound, {
      message: `The pod waits for volume claims that are not bound: ${claims.join(', ') || 'unknown'}`,
      place: { ...place, field: 'spec.volumes' },
      evidence: { 'what the scheduler says': message, since: conditionSince(pod) },
      remedies: ['See why the claims are not bound: their storage class, its provisioner, or the volumes there are'],
    });
  }
  const said = remedies.filter(([pattern]) => pattern.test(message)).map(([, remedy]) => remedy);
  return diagnose(unschedulable, {
    message: `No node can take the pod: ${message}`,
    place,
    evidence: {
      requests: requestsOf(pod) || undefined,
      'node selector': selectorOf(pod),
      since: conditionSince(pod),
    },
    remedies:
      said.length > 0
        ? said
        : ['Add nodes, or change resource requests, node selectors, affinity, tolerations or volumes of the pod'],
  });
}

/** Names of the volume claims that the pod uses. */
export function claimsOf(pod: KubeObject): string[] {
  return objectsAt(pod, 'spec', 'volumes').flatMap(
    (volume) => textAt(volume, 'persistentVolumeClaim', 'claimName') || [],
  );
}

/** `cpu 500m, memory 1Gi` of each container that asks for something. */
function requestsOf(pod: KubeObject): string {
  return objectsAt(pod, 'spec', 'containers')
    .flatMap((container) => {
      const requests = Object.entries(objectAt(container, 'resources', 'requests'));
      return requests.length > 0
        ? [`${textAt(container, 'name')}: ${requests.map(([name, amount]) => `${name} ${String(amount)}`).join(', ')}`]
        : [];
    })
    .join('; ');
}

function selectorOf(pod: KubeObject): string | undefined {
  const labels = Object.entries(objectAt(pod, 'spec', 'nodeSelector'));
  return labels.map(([name, value]) => `${name}=${String(value)}`).join(', ') || undefined;
}

function conditionSince(pod: KubeObject): string | undefined {
  const condition = objectsAt(pod, 'status', 'conditions').find(({ type }) => type === 'PodScheduled');
  return condition ? textAt(condition, 'lastTransitionTime') || undefined : undefined;
}
