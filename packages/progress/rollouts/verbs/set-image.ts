import { failure } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { noContainer } from './refusals.ts';

interface Container {
  name: string;
  image?: string;
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

interface Templated extends KubeObject {
  spec: { template?: { spec?: Partial<Record<(typeof lists)[number], Container[]>> } };
}

/** A copy of a Rollout or Deployment whose containers of the name have the image; `*` is all of them. Throws if there is none. */
export function withImage(object: KubeObject, container: string, image: string): KubeObject {
  const copy = structuredClone(object) as Templated;
  const pod = copy.spec.template?.spec ?? {};
  const all = lists.flatMap((list) => pod[list] ?? []);
  const chosen = all.filter(({ name }) => container === '*' || name === container);
  for (const each of chosen) each.image = image;
  if (chosen.length > 0) return copy;
  const { kind, metadata } = object;
  throw failure(noContainer, {
    message: `${kind} ${metadata.name} has no container ${container}`,
    place: { object: `${kind} ${metadata.namespace ?? ''}/${metadata.name}`, field: 'spec.template.spec' },
    evidence: { containers: all.map(({ name }) => name).join(', ') || 'none' },
    remedies: ['name one of its containers, or * for all of them'],
  });
}
