import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { type ComparedResource, isLive } from '../model/model.ts';

const kindRemoved = defineDiagnosis(
  'KindRemoved',
  'The definition of a kind was removed after its objects were delivered, and they went with it',
  'M11',
);

/**
 * Kinds that the cluster has ceased to serve although objects of them were delivered; once for each kind. `soon` while such an object
 * is gone and its kind is still served: the definition goes after its objects.
 */
export function removedKinds(
  resources: readonly ComparedResource[],
  cache: ClusterCache,
  wasDelivered: (resource: ComparedResource) => boolean,
): { readonly diagnoses: readonly Diagnosis[]; readonly soon: boolean } {
  let soon = false;
  const found = new Map<string, { first: ComparedResource; count: number }>();
  for (const resource of resources) {
    const { key, desired, version, hook } = resource;
    if (!desired || hook || isLive(resource) || !key.group || !wasDelivered(resource)) continue;
    const apiVersion = `${key.group}/${version}`;
    if (cache.find(apiVersion, key.kind)) {
      soon ||= !key.group.endsWith('.k8s.io') && key.group.includes('.');
      continue;
    }
    const id = `${apiVersion} ${key.kind}`;
    const before = found.get(id);
    found.set(id, { first: before?.first ?? resource, count: (before?.count ?? 0) + 1 });
  }
  const diagnoses = [...found.values()].map(({ first: { key, version, origin }, count }) =>
    diagnose(kindRemoved, {
      message: `The cluster no longer serves ${key.kind} of ${key.group}/${version}: its definition was removed, and with it all objects of the kind, such as ${describeKey(key)}`,
      place: {
        object: describeKey(key),
        ...(origin?.file ? { file: origin.file, ...(origin.line ? { line: origin.line } : {}) } : {}),
      },
      evidence: { 'objects of this application that are gone': count },
      remedies: [
        'Install the CustomResourceDefinition, or the API server behind the group, again; the next sync makes the objects anew',
        'If the kind is not used any more, remove its objects from Git',
      ],
    }),
  );
  return { diagnoses, soon };
}
