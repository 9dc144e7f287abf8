import { type Application, names, type OperationState, type SyncOperation } from '@tiphys/api';
import type { SyncOptions } from '@tiphys/engine';
import { inClusterServer } from '../clusters/cluster-registry.ts';
import { revisionsOf } from '../spec/source-of.ts';

/** What an operation asks of the planner, with what the Application's spec and annotations add to it. */
export function syncOptionsOf(application: Application, state: OperationState, sync: SyncOperation): SyncOptions {
  const { annotations } = application.metadata;
  const strategy = sync.syncStrategy;
  const options = sync.syncOptions ?? [];
  return {
    revision: revisionsOf(state.syncResult)[0] ?? '',
    startedAt: state.startedAt,
    syncOptions: options,
    prune: sync.prune ?? false,
    dryRun: sync.dryRun ?? false,
    force: (strategy?.apply?.force || strategy?.hook?.force) ?? false,
    keepGenerated: state.operation.initiatedBy?.automated ?? false,
    skipHooks: strategy?.apply !== undefined && strategy.hook === undefined,
    ...(sync.resources ? { resources: sync.resources } : {}),
    ...(application.spec.syncPolicy?.managedNamespaceMetadata
      ? { managedNamespaceMetadata: application.spec.syncPolicy.managedNamespaceMetadata }
      : {}),
    deletionApprovedAt: annotations?.[names.annotations.deletionApproved],
    migrationManager: annotations?.[names.annotations.clientSideApplyMigrationManager],
  };
}

/** What keeps an Application from pruning the control plane that reconciles it. */
export function ownParts(
  { server }: { readonly server: string },
  { controlNamespace }: { readonly controlNamespace: string },
): Pick<SyncOptions, 'controlNamespace'> {
  return server === inClusterServer ? { controlNamespace } : {};
}
