import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type ObjectKey } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { textAt } from '../model/fields.ts';
import type { TreeNode } from '../model/model.ts';

const blocked = defineDiagnosis(
  'StatefulSetBlockedByOldPod',
  'A StatefulSet waits for a pod of an older revision that never gets ready, and so does not replace it',
  'S4',
);

/**
 * What keeps a StatefulSet, where its leaf is a pod of another revision than the one that is wanted now. With OrderedReady
 * the controller waits for that pod to be ready before it replaces it, so that a correction in Git alone changes nothing.
 * The leaf as it is for everything else.
 */
export async function ofOldRevision(
  leaf: Diagnosis,
  { key }: { readonly key: ObjectKey },
  branch: readonly TreeNode[],
  cache: ClusterCache,
  signal?: AbortSignal,
): Promise<Diagnosis> {
  if (key.group !== 'apps' || key.kind !== 'StatefulSet') return leaf;
  const at = branch.find((node) => node.key.kind === 'Pod' && describeKey(node.key) === leaf.place?.object)?.key;
  if (!at) return leaf;
  const { namespace, name } = key;
  const set = await cache.load({ apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name }, signal);
  const pod = await cache.load({ apiVersion: 'v1', kind: 'Pod', namespace: at.namespace, name: at.name }, signal);
  const revision = pod?.metadata.labels?.['controller-revision-hash'] ?? '';
  const wanted = textAt(set, 'status', 'updateRevision');
  if (!revision || !wanted || revision === wanted) return leaf;
  if (textAt(set, 'spec', 'podManagementPolicy') === 'Parallel') return leaf;
  if (textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return leaf;
  const message = `StatefulSet ${name} goes to revision ${wanted}, but waits for Pod ${at.name} of the older revision ${revision}, which never gets ready; it replaces no pod before that`;
  return diagnose(blocked, {
    message,
    place: leaf.place ?? { object: describeKey(at) },
    evidence: {
      'revision of the pod': revision,
      'revision that is wanted': wanted,
      'what keeps the pod': leaf.message,
    },
    remedies: [
      {
        text: `Delete the pod: the controller makes it anew of the revision that is wanted`,
        paste: `kubectl delete pod -n ${at.namespace} ${at.name}`,
        loses: 'the pod, which does no work; its volume claims stay',
      },
    ],
    causes: [leaf],
  });
}
