import { type ApplicationSet, names, type services } from '@tiphys/api';
import { parseSelector } from '../applications/label-selector.ts';
import { eventListJson } from '../resources/event-json.ts';
import type { Call } from '../rpc/call.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { Code, notFound, RpcError } from '../rpc/rpc-error.ts';
import type { ServerContext } from '../server-context.ts';

const kind = { apiVersion: names.apiVersion, kind: 'ApplicationSet' } as const;

/** ApplicationSets as they are stored. What makes or previews applications from them is refused: their controller is not built yet. */
export function applicationSetService(
  context: ServerContext,
): Pick<ServiceHandlers<typeof services.applicationset>, 'list' | 'get' | 'delete' | 'listResourceEvents'> {
  const { client, namespace, events } = context;

  const access = async (
    call: Call,
    action: string,
    { name = '', appsetNamespace }: { name?: string | undefined; appsetNamespace?: string | undefined },
  ): Promise<ApplicationSet> => {
    if (appsetNamespace && appsetNamespace !== namespace)
      throw new RpcError(Code.Unknown, `namespace '${appsetNamespace}' is not permitted`);
    const found = await client.find<ApplicationSet>({ ...kind, namespace, name });
    // upstream tells whoever may log in what there is not; the words are those of its two ways to read
    const words =
      action === 'delete'
        ? 'error getting ApplicationSets: applicationsets.argoproj.io'
        : 'error getting ApplicationSet: applicationset.argoproj.io';
    if (!found) throw notFound(`${words} "${name}" not found`);
    (await context.enforcer()).enforce(call.identity, 'applicationsets', action, rbacName(found));
    return { ...found, ...kind };
  };

  return {
    async list(request, call) {
      const selects = parseSelector(request.selector);
      const enforcer = await context.enforcer();
      const { items, metadata } = await client.list<ApplicationSet>({ ...kind, namespace });
      const visible = items
        .filter(
          (item) =>
            selects(item.metadata.labels) && (!request.projects?.length || request.projects.includes(projectOf(item))),
        )
        .filter((item) => enforcer.allows(call.identity, 'applicationsets', 'get', rbacName(item)));
      return { metadata: { resourceVersion: metadata.resourceVersion ?? '' }, items: visible };
    },

    get: (request, call) => access(call, 'get', request),

    async delete(request, call) {
      const found = await access(call, 'delete', request);
      await client.delete({ ...kind, namespace, name: request.name ?? '' });
      await events.record(found, 'ResourceDeleted', call.identity?.subject, 'deleted ApplicationSets');
      return {};
    },

    async listResourceEvents(request, call) {
      const { metadata } = await access(call, 'get', request);
      const fieldSelector = `involvedObject.name=${metadata.name},involvedObject.uid=${metadata.uid},involvedObject.namespace=${metadata.namespace}`;
      return eventListJson(await client.list({ apiVersion: 'v1', kind: 'Event', namespace }, { fieldSelector }));
    },
  };
}

function projectOf(set: ApplicationSet): string {
  return (set.spec.template as { spec?: { project?: string } } | undefined)?.spec?.project || names.defaults.project;
}

function rbacName(set: ApplicationSet): string {
  return `${projectOf(set)}/${set.metadata.name}`;
}
