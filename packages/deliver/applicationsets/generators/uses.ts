import type { ApplicationSet, ApplicationSetGenerator } from '@tiphys/api';

/** All generators of a list, those inside of others included. */
export function* everyGenerator(generators: readonly ApplicationSetGenerator[]): Generator<ApplicationSetGenerator> {
  for (const generator of generators) {
    yield generator;
    for (const combination of [generator.matrix, generator.merge])
      yield* everyGenerator((combination?.generators ?? []) as ApplicationSetGenerator[]);
  }
}

/** The repositories that Git generators read, with the project whose credentials are used; those that another generator names are left out. */
export function gitSourcesOf({ spec }: ApplicationSet): { repoURL: string; project: string }[] {
  const wanted = spec.template?.spec?.project ?? '';
  const project = wanted.includes('{{') ? '' : wanted;
  return [...everyGenerator(spec.generators ?? [])].flatMap(({ git }) =>
    git?.repoURL && !git.repoURL.includes('{{') ? [{ repoURL: git.repoURL, project }] : [],
  );
}

/** Whether the registered clusters decide what a set makes. */
export function usesClusters({ spec }: ApplicationSet): boolean {
  return [...everyGenerator(spec.generators ?? [])].some(
    ({ clusters, clusterDecisionResource }) => clusters !== undefined || clusterDecisionResource !== undefined,
  );
}
