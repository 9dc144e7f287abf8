import { workflowNames } from '@tiphys/api';
import { Code, invalidArgument, notFound, permissionDenied, RpcError } from '@tiphys/server';
import { cursorOf, labelRequirements, type WorkflowArchive } from '@tiphys/workflow-database';
import { retried } from '@tiphys/workflows';
import { RE2JS } from 're2js';
import { type FlowCall, mayDo } from '../common/caller.ts';
import { filterOf, type ListRequest } from '../common/list-options.ts';
import { LiveWorkflows, type StoredWorkflow } from '../common/live-workflows.ts';
import type { ServerParts } from '../common/server-parts.ts';
import { resubmit } from './workflow-service.ts';

interface Wanted {
  readonly uid?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** `workflowarchive.ArchivedWorkflowService`. */
export function archiveService(parts: ServerParts) {
  const live = new LiveWorkflows(parts);

  const archive = (): WorkflowArchive => {
    if (parts.archive) return parts.archive;
    throw new RpcError(
      Code.Unimplemented,
      'getting archived workflows not supported: set persistence in workflow-controller-configmap',
    );
  };

  const get = async (call: FlowCall, wanted: Wanted, verb = 'get'): Promise<StoredWorkflow> => {
    if (!wanted.uid && (!wanted.name || !wanted.namespace))
      throw invalidArgument('both name and namespace are required if uid is not specified');
    const found = (await archive().find(wanted)) as StoredWorkflow | undefined;
    if (!found) throw notFound('not found');
    const { namespace = '', name = '' } = found.metadata;
    if (!(await mayDo(call, 'get', { namespace, name }))) throw permissionDenied();
    if (verb !== 'get' && !(await mayDo(call, verb, { namespace, name }))) throw permissionDenied();
    return found;
  };

  /** Labels are told of all workflows together, which is for who may list them all. */
  const requireAll = async (call: FlowCall): Promise<void> => {
    const namespace = parts.managedNamespace ?? '';
    if (!(await mayDo(call, 'list', { namespace })))
      throw permissionDenied(
        `Permission denied, you are not allowed to list workflows in ${namespace ? `namespace "${namespace}"` : 'all namespaces'}, whose labels were asked for.`,
      );
  };

  return {
    async listArchivedWorkflows(request: ListRequest, call: FlowCall) {
      const filter = filterOf(request);
      const { namespace = '' } = filter;
      if (!(await mayDo(call, 'list', { namespace })))
        throw permissionDenied(
          `Permission denied, you are not allowed to list workflows in namespace "${namespace}". Maybe you want to specify a namespace with query parameter \`.namespace=${namespace}\`?`,
        );
      const page = await archive().list(filter, { cursor: cursorOf(filter.continue), limit: filter.limit });
      return { metadata: page.continue ? { continue: page.continue } : {}, items: page.items };
    },

    getArchivedWorkflow: (request: Wanted, call: FlowCall) => get(call, request),

    async deleteArchivedWorkflow(request: Wanted, call: FlowCall) {
      const { metadata } = await get(call, request, 'delete');
      await archive().delete(metadata.uid ?? '');
      return {};
    },

    async listArchivedWorkflowLabelKeys(_: object, call: FlowCall) {
      await requireAll(call);
      return { items: await archive().labelKeys() };
    },

    async listArchivedWorkflowLabelValues({ listOptions }: ListRequest, call: FlowCall) {
      await requireAll(call);
      const requirements = labelRequirements(listOptions?.labelSelector ?? '');
      const [requirement] = requirements;
      if (requirements.length !== 1 || !requirement)
        throw invalidArgument(`only allow 1 labelRequirement, found ${requirements.length}`);
      if (requirement.operator !== 'exists')
        throw invalidArgument(`operation ${requirement.operator} is not supported`);
      if (isHidden(requirement.key, parts.env.DISABLE_VALUE_LIST_RETRIEVAL_KEY_PATTERN)) return { items: [] };
      return { items: await archive().labelValues(requirement.key) };
    },

    async resubmitArchivedWorkflow(
      request: Wanted & { namespace: string; memoized?: boolean; parameters?: readonly string[] },
      call: FlowCall,
    ) {
      const found = await get(call, byNameOr(request));
      return await resubmit(parts, live, call, { ...request, found: await live.whole(found) });
    },

    async retryArchivedWorkflow(
      request: Wanted & {
        namespace: string;
        restartSuccessful?: boolean;
        nodeFieldSelector?: string;
        parameters?: readonly string[];
      },
      call: FlowCall,
    ) {
      const found = await get(call, byNameOr(request));
      const { namespace = '', name = '' } = found.metadata;
      const kind = { apiVersion: workflowNames.apiVersion, kind: 'Workflow' };
      if (await call.client.find({ ...kind, namespace: request.namespace || namespace, name }, { signal: call.signal }))
        throw new RpcError(Code.AlreadyExists, 'Workflow already exists on cluster, use argo retry {name} instead');
      const { workflow, pods } = retried(await live.whole(found), {
        now: parts.clock.now(),
        restartSuccessful: request.restartSuccessful === true,
        ...(request.nodeFieldSelector ? { nodeFieldSelector: request.nodeFieldSelector } : {}),
        parameters: request.parameters ?? [],
      });
      await live.deletePods(call, namespace, pods);
      const { resourceVersion, uid, ...metadata } = (workflow as StoredWorkflow).metadata;
      // its nodes come with it, however large: there is no version of them for the uid that it will have
      const stored = await live.stored({ ...(workflow as StoredWorkflow), metadata }, false);
      return await live.create(call, request.namespace || namespace, stored);
    },
  };
}

function byNameOr({ uid, namespace, name }: Wanted): Wanted {
  return name ? { name, ...(namespace ? { namespace } : {}) } : { ...(uid ? { uid } : {}) };
}

/** Values of labels that installations do not want to be looked up. */
function isHidden(key: string, pattern: string | undefined): boolean {
  return pattern ? RE2JS.compile(pattern).matcher(key).find() : false;
}
