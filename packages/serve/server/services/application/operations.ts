import type { Application, ApplicationSource, Operation, RevisionHistory, SyncOperation, services } from '@tiphys/api';
import { blockingWindow, sourcesOf, wantsSignatures } from '@tiphys/applications';
import { rbacName, refOf } from '../../applications/applications.ts';
import { revisionsByPosition } from '../../applications/revisions-by-position.ts';
import { accessApplication } from '../../context/access.ts';
import type { ServerContext } from '../../context/server-context.ts';
import type { Call } from '../../rpc/call.ts';
import type { ServiceHandlers } from '../../rpc/handlers.ts';
import {
  Code,
  failedPrecondition,
  invalidArgument,
  permissionDenied,
  RpcError,
  rpcErrorOf,
} from '../../rpc/rpc-error.ts';

type Handlers = ServiceHandlers<typeof services.application>;
type SyncRequest = Parameters<NonNullable<Handlers['sync']>>[0];

export function applicationOperations(
  context: ServerContext,
): Pick<Handlers, 'sync' | 'rollback' | 'terminateOperation'> {
  const { applications, namespace, events, clock } = context;

  const start = async (call: Call, app: Application, operation: Operation, action: string): Promise<Application> => {
    const started = await applications.change(refOf(app), (current) => {
      if (current.operation) throw failedPrecondition('another operation is already in progress');
      const { operationState: _previous, ...status } = current.status ?? {};
      return {
        ...current,
        operation,
        ...(current.status ? { status: status as NonNullable<Application['status']> } : {}),
      };
    });
    await events.record(started, 'OperationStarted', call.identity?.subject, action);
    return started;
  };

  return {
    async sync(request, call) {
      const { app, project } = await accessApplication(context, call, 'get', request);
      const blocked = blockingWindow(project, app, clock.now());
      if (blocked)
        throw permissionDenied(`cannot sync: blocked by sync window${blocked === true ? '' : `: ${blocked}`}`);
      const enforcer = await context.enforcer();
      enforcer.enforce(call.identity, 'applications', 'sync', rbacName(app, namespace));
      const local = Boolean(request.manifests?.length);
      if (local) {
        enforcer.enforce(call.identity, 'applications', 'override', rbacName(app, namespace));
        if (isAutomated(app) && !request.dryRun)
          throw failedPrecondition('cannot use local sync when Automatic Sync Policy is enabled unless for dry run');
        if (wantsSignatures(project, sourcesOf(app.spec)))
          throw failedPrecondition('Cannot use local manifests when source integrity is enforced');
      }
      if (app.metadata.deletionTimestamp) throw failedPrecondition('application is deleting');
      const resolved = local
        ? { revision: '', revisions: undefined, display: '' }
        : await resolve(context, call, app, request);
      const policy = app.spec.syncPolicy;
      const retry = request.retryStrategy ?? policy?.retry;
      const syncOptions = request.syncOptions?.items ?? policy?.syncOptions;
      const allowed = context.plane.configMap('argocd-cmd-params-cm')['server.sync.replace.allowed'] ?? 'true';
      if (allowed === 'false' && syncOptions?.includes('Replace=true'))
        throw failedPrecondition(
          'sync with replace was disabled on the API Server level via the server configuration (server.sync.replace.allowed)',
        );
      const sync: SyncOperation = compact({
        ...(app.spec.sources?.length
          ? { sources: app.spec.sources, revisions: resolved.revisions }
          : { source: sourcesOf(app.spec)[0], revision: resolved.revision }),
        prune: request.prune,
        dryRun: request.dryRun,
        syncOptions,
        syncStrategy: request.strategy,
        resources: request.resources,
        manifests: request.manifests,
      });
      const operation: Operation = {
        sync,
        initiatedBy: initiator(call),
        ...(request.infos?.length ? { info: request.infos } : {}),
        ...(retry ? { retry } : {}),
      };
      const partial = request.resources?.length ? 'partial ' : '';
      return await start(
        call,
        app,
        operation,
        local ? `initiated ${partial}sync locally` : `initiated ${partial}sync to ${resolved.display}`,
      );
    },

    async rollback(request, call) {
      const { app } = await accessApplication(context, call, 'sync', request);
      if (app.metadata.deletionTimestamp) throw failedPrecondition('application is deleting');
      if (isAutomated(app)) throw failedPrecondition('rollback cannot be initiated when auto-sync is enabled');
      const id = request.id ?? 0;
      const deployment = app.status?.history?.find((entry: RevisionHistory) => entry.id === id);
      if (!deployment)
        throw invalidArgument(
          `application ${app.metadata.namespace}/${app.metadata.name} does not have deployment with id ${id}`,
        );
      if (!deployment.source && !deployment.sources?.length)
        throw failedPrecondition(
          'cannot rollback to revision deployed with Argo CD v0.11 or lower. sync to revision instead.',
        );
      const sync: SyncOperation = compact({
        revision: deployment.revision,
        revisions: deployment.revisions,
        source: deployment.source,
        sources: deployment.sources,
        dryRun: request.dryRun,
        prune: request.prune,
        syncOptions: app.spec.syncPolicy?.syncOptions,
        syncStrategy: { apply: {} },
      });
      return await start(call, app, { sync, initiatedBy: initiator(call) }, `initiated rollback to ${id}`);
    },

    async terminateOperation(request, call) {
      const { app } = await accessApplication(context, call, 'sync', request);
      const terminated = await applications.change(refOf(app), (current) => {
        const state = current.status?.operationState;
        if (!current.operation || !current.status || !state)
          throw invalidArgument('Unable to terminate operation. No operation is in progress');
        return { ...current, status: { ...current.status, operationState: { ...state, phase: 'Terminating' } } };
      });
      await events.record(terminated, 'ResourceUpdated', call.identity?.subject, 'terminated running operation');
      return {};
    },
  };
}

/** Revisions of a sync as commits; a revision other than the spec's is refused while auto-sync is on. */
async function resolve(
  context: ServerContext,
  call: Call,
  app: Application,
  request: SyncRequest,
): Promise<{ revision: string; revisions: string[] | undefined; display: string }> {
  const sources = sourcesOf(app.spec);
  const several = Boolean(app.spec.sources?.length);
  const wanted = several ? revisionsByPosition(sources.length, request) : [request.revision ?? ''];
  await assertOverridable(context, call, app, sources, wanted, Boolean(request.dryRun));
  const resolved: { revision: string; display: string }[] = [];
  for (const [index, revision] of wanted.entries()) {
    try {
      resolved.push(await context.backend.resolveRevision(app, several ? index : 0, revision, call.signal));
    } catch (error) {
      const refused = rpcErrorOf(error);
      throw new RpcError(Code.FailedPrecondition, refused.message, { cause: error });
    }
  }
  const display = resolved.map((item) => item.display).join(',');
  return several
    ? { revision: '', revisions: resolved.map((item) => item.revision), display }
    : { revision: resolved[0]?.revision ?? '', revisions: undefined, display };
}

async function assertOverridable(
  context: ServerContext,
  call: Call,
  app: Application,
  sources: readonly ApplicationSource[],
  wanted: readonly string[],
  dryRun: boolean,
): Promise<void> {
  for (const [index, revision] of wanted.entries()) {
    const target = sources[index]?.targetRevision || 'HEAD';
    if (!revision || revision === target) continue;
    const config = context.plane.configMap('argocd-cm');
    if (config['application.sync.requireOverridePrivilegeForRevisionSync'] === 'true') {
      (await context.enforcer()).enforce(call.identity, 'applications', 'override', rbacName(app, context.namespace));
    }
    if (!isAutomated(app) || dryRun) continue;
    const which = app.spec.sources?.length ? `source ${sources[index]?.repoURL} ` : '';
    throw failedPrecondition(
      `Cannot sync ${which}to ${revision}: auto-sync currently set to ${sources[index]?.targetRevision ?? ''}`,
    );
  }
}

function isAutomated(app: Application): boolean {
  const automated = app.spec.syncPolicy?.automated;
  return automated !== undefined && automated !== null && automated.enabled !== false;
}

function initiator(call: Call): { username?: string } {
  return call.identity ? { username: call.identity.subject } : {};
}

/** Without fields that say nothing, as Go's omitempty leaves them out. */
function compact(operation: { [K in keyof SyncOperation]: SyncOperation[K] | undefined }): SyncOperation {
  return Object.fromEntries(
    Object.entries(operation).filter(
      ([, value]) =>
        value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  ) as SyncOperation;
}
