export { hydrationCommands } from './commands.ts';
export { commitManifests, type HydratedFolder, type HydrationCommit } from './commit-manifests.ts';
export { failureWait, hydrationNeed } from './decide.ts';
export type { DryCommit } from './dry-commit.ts';
export {
  drySourceOf,
  type HydrateOperation,
  hydrateToOf,
  type SourceHydrator,
  type SourceHydratorStatus,
  syncSourceOf,
} from './types.ts';
