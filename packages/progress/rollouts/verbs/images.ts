import { type Experiment, type Rollout, rolloutNames } from '@tiphys/api';
import { annotationOf, type ReplicaSet } from '../objects/replica-set.ts';
import { ofOwner, type Relatives, tagsOf } from './family-tree.ts';

/** The images that pods of the Rollout and of its Experiments run, with the parts they have, by name. */
export function rolloutImages(rollout: Rollout, { replicaSets, experiments }: Relatives): string[] {
  const own = tagged(ofOwner(replicaSets, rollout), (set) => tagsOf(set, rollout));
  const others = ofOwner(experiments, rollout).flatMap((experiment) => ofExperiment(experiment, replicaSets));
  return merged([...own, ...others]);
}

export function experimentImages(experiment: Experiment, { replicaSets }: Relatives): string[] {
  return merged(ofExperiment(experiment, replicaSets));
}

type Tagged = readonly [image: string, tags: readonly string[]];

function ofExperiment(experiment: Experiment, sets: readonly ReplicaSet[]): Tagged[] {
  return tagged(ofOwner(sets, experiment), (set) => {
    const template = annotationOf(set, rolloutNames.annotations.experimentTemplateName);
    return template ? [`Σ:${template}`] : [];
  });
}

function tagged(sets: readonly ReplicaSet[], tags: (set: ReplicaSet) => string[]): Tagged[] {
  return sets
    .filter(({ status }) => (status?.replicas ?? 0) > 0)
    .flatMap((set) => {
      const containers = (set.spec.template?.spec?.containers ?? []) as { image?: string }[];
      return containers.map(({ image = '' }) => [image, tags(set)] as const);
    });
}

/** Parts stand as `tagsOf` gives them; those of an image that several have stand in alphabetical order. */
function merged(images: readonly Tagged[]): string[] {
  const byImage = new Map<string, readonly string[]>();
  for (const [image, tags] of images) {
    const known = byImage.get(image);
    byImage.set(image, known ? [...new Set([...known, ...tags])].sort() : tags);
  }
  return [...byImage]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([image, tags]) => (tags.length > 0 ? `${image} (${tags.join(', ')})` : image));
}
