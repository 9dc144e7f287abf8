import type { services } from '@tiphys/api';
import { commaList } from '@tiphys/applications';
import type { ComparedResource } from '@tiphys/engine';
import type { KubeObject } from '@tiphys/kubernetes';
import { refOf } from '../../applications/applications.ts';
import { viewApplication } from '../../context/access.ts';
import type { ServerContext } from '../../context/server-context.ts';
import type { ActedObject } from '../../events/event-recorder.ts';
import { comparedJson } from '../../resources/compared-json.ts';
import { actionTarget, liveResource, type ResourceQuery } from '../../resources/live-resource.ts';
import { maskSecrets } from '../../resources/mask-secrets.ts';
import { carryOut, refusingActions } from '../../resources/run-action.ts';
import { treeJson } from '../../resources/tree-json.ts';
import type { Call } from '../../rpc/call.ts';
import { mergeQueue } from '../../rpc/event-queue.ts';
import type { ServiceHandlers } from '../../rpc/handlers.ts';
import { Code, RpcError } from '../../rpc/rpc-error.ts';

type Handlers = ServiceHandlers<typeof services.application>;
type Methods =
  | 'managedResources'
  | 'resourceTree'
  | 'watchResourceTree'
  | 'getResource'
  | 'patchResource'
  | 'deleteResource'
  | 'listResourceActions'
  | 'runResourceAction'
  | 'runResourceActionV2';

export function applicationResources(context: ServerContext): Pick<Handlers, Methods> {
  const { backend, events } = context;

  const runAction = async (
    call: Call,
    request: ResourceQuery & { action?: string | undefined },
    parameters: Readonly<Record<string, string>>,
  ) => {
    const action = request.action ?? '';
    const permission = `action/${request.group ?? ''}/${request.kind ?? ''}/${action}`;
    const live = await actionTarget(context, call, permission, request);
    const object = await live.client.get(live.ref);
    const effects = refusingActions(() => backend.planAction(refOf(live.app), object, action, parameters));
    await carryOut(live.client, effects);
    await events.record(live.app, 'ResourceActionRan', call.identity?.subject, {
      action: `ran action ${action} on resource ${request.group ?? ''}/${request.kind}/${request.resourceName}`,
      object: objectOf(request),
    });
    return {};
  };

  return {
    async managedResources(request, call) {
      const { app } = await viewApplication(context, call, 'get', { ...request, name: request.applicationName });
      const [comparison, sensitive] = await Promise.all([
        backend.comparison(refOf(app), call.signal),
        sensitiveAnnotations(context),
      ]);
      const wanted = ({ key }: ComparedResource) =>
        (!request.name || key.name === request.name) &&
        (!request.namespace || key.namespace === request.namespace) &&
        (!request.group || key.group === request.group) &&
        (!request.kind || key.kind === request.kind);
      return {
        items: comparison.resources
          .filter((resource) => !resource.hook && wanted(resource))
          .map((resource) => comparedJson(resource, sensitive)),
      };
    },

    async resourceTree(request, call) {
      const { app } = await viewApplication(context, call, 'get', { ...request, name: request.applicationName });
      return treeJson(await backend.tree(refOf(app), call.signal));
    },

    async *watchResourceTree(request, call) {
      const query = { ...request, name: request.applicationName };
      const { app } = await viewApplication(context, call, 'get', query);
      const queue = mergeQueue<{ type?: string }>(() => 'tree', call.signal);
      const unsubscribe = backend.onTreeChange(refOf(app), () => queue.push({}));
      try {
        yield treeJson(await backend.tree(refOf(app), call.signal));
        for await (const _change of queue) {
          await viewApplication(context, call, 'get', query);
          yield treeJson(await backend.tree(refOf(app), call.signal));
        }
      } finally {
        unsubscribe();
      }
    },

    async getResource(request, call) {
      const live = await liveResource(context, call, 'get', request);
      return { manifest: await masked(context, await live.client.get(live.ref)) };
    },

    async patchResource(request, call) {
      const live = await liveResource(context, call, 'update', request);
      const type = patchTypes[request.patchType ?? ''];
      if (!type) throw new RpcError(Code.InvalidArgument, `Patch type '${request.patchType ?? ''}' is not supported`);
      const patch = async () => await live.client.patch(live.ref, type, parseJson(request.patch ?? ''));
      const patched = await patch().catch((error: unknown) => {
        // who refuses a patch repeats what it holds, and so values of the Secret
        if (live.node.key.group === '' && live.node.key.kind === 'Secret')
          throw new RpcError(
            Code.Unknown,
            `failed to patch Secret ${request.namespace ?? ''}/${request.resourceName ?? ''}`,
          );
        throw error;
      });
      await events.record(live.app, 'ResourceUpdated', call.identity?.subject, {
        action: `patched resource ${request.group ?? ''}/${request.kind} '${request.resourceName}'`,
        object: objectOf(request),
      });
      return { manifest: await masked(context, patched) };
    },

    async deleteResource(request, call) {
      const live = await liveResource(context, call, 'delete', request);
      const options = request.orphan
        ? { propagationPolicy: 'Orphan' as const }
        : request.force
          ? { propagationPolicy: 'Background' as const, gracePeriodSeconds: 0 }
          : { propagationPolicy: 'Foreground' as const };
      await live.client.delete(live.ref, options);
      await events.record(live.app, 'ResourceDeleted', call.identity?.subject, {
        action: `deleted resource ${request.group ?? ''}/${request.kind} '${request.resourceName}'`,
        object: objectOf(request),
      });
      return {};
    },

    async listResourceActions(request, call) {
      const live = await actionTarget(context, call, 'get', request);
      const object = await live.client.get(live.ref);
      const actions = refusingActions(() => backend.availableActions(object));
      return {
        actions: actions.map(({ params, ...info }) => ({ ...info, ...(params ? { params: [...params] } : {}) })),
      };
    },

    runResourceAction: (request, call) => runAction(call, request, {}),
    runResourceActionV2: (request, call) =>
      runAction(
        call,
        request,
        Object.fromEntries((request.resourceActionParameters ?? []).map(({ name, value }) => [name, value ?? ''])),
      ),
  };
}

const patchTypes: Readonly<Record<string, 'json' | 'merge' | 'strategic'>> = {
  '': 'json',
  json: 'json',
  merge: 'merge',
  strategic: 'strategic',
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RpcError(
      Code.FailedPrecondition,
      `error patching resource: error decoding patch: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function masked(context: ServerContext, object: KubeObject): Promise<string> {
  return JSON.stringify(maskSecrets([object], await sensitiveAnnotations(context))[0]);
}

/** Annotation keys of `resource.sensitive.mask.annotations`. */
export async function sensitiveAnnotations({ plane }: ServerContext): Promise<string[]> {
  return commaList(plane.configMap('argocd-cm')['resource.sensitive.mask.annotations']);
}

function objectOf({ group, kind, namespace, resourceName }: ResourceQuery): ActedObject {
  return { group: group ?? '', kind: kind ?? '', namespace: namespace ?? '', name: resourceName ?? '' };
}
