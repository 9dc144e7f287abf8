import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { ClusterHandle } from './cluster-registry.ts';

const registeredTwice = defineDiagnosis(
  'ClusterRegisteredTwice',
  'Several cluster Secrets register one address, so that another credential may be used than is meant',
);

/** What is worth knowing of how a cluster is registered. */
export function clusterNotices({
  server,
  name,
  declaredBy,
}: Pick<ClusterHandle, 'server' | 'name' | 'declaredBy'>): Diagnosis[] {
  if (!declaredBy) return [];
  const [used, ...others] = declaredBy;
  return [
    diagnose(registeredTwice, {
      message: `${declaredBy.length} cluster Secrets register ${server}; the credential of ${used} (cluster ${name}) is used`,
      place: { object: `Secret ${used}`, field: 'data.server' },
      evidence: { 'registered also by': others.join(', ') },
      remedies: [
        `Delete the Secrets that are not meant (argocd cluster rm tells by name), or name the cluster that is meant in spec.destination.name`,
      ],
    }),
  ];
}
