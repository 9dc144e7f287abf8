import type { ApplicationSource, ApplicationSpec, ApplicationStatus } from '@tiphys/api';
import { folderOf } from './files.ts';

export type SourceHydrator = NonNullable<ApplicationSpec['sourceHydrator']>;
export type SourceHydratorStatus = NonNullable<ApplicationStatus['sourceHydrator']>;
export type HydrateOperation = NonNullable<SourceHydratorStatus['currentOperation']>;

/** The source that manifests are made of. */
export function drySourceOf({ drySource }: SourceHydrator): ApplicationSource {
  return { ...drySource } as ApplicationSource;
}

/** Where hydrated manifests are synced from: the repository of the dry source unless another one is named. */
export function syncSourceOf({ drySource, syncSource }: SourceHydrator): ApplicationSource {
  return {
    repoURL: syncSource.repoURL || drySource.repoURL,
    path: syncSource.path,
    targetRevision: syncSource.targetBranch,
  } as ApplicationSource;
}

/** Where hydrated manifests are committed to. */
export function hydrateToOf(hydrator: SourceHydrator): { repoURL: string; branch: string; path: string } {
  const { drySource, syncSource, hydrateTo } = hydrator;
  return {
    repoURL: syncSource.repoURL || drySource.repoURL,
    branch: hydrateTo?.targetBranch || syncSource.targetBranch,
    path: folderOf(syncSource.path ?? '') ?? '..',
  };
}
