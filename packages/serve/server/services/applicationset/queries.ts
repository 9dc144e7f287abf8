import type { ApplicationSet, services } from '@tiphys/api';
import { projectOf } from '../../applications/application-sets.ts';
import { parseSelector } from '../../applications/label-selector.ts';
import { accessApplicationSet } from '../../context/application-set-access.ts';
import type { ServerContext } from '../../context/server-context.ts';
import { eventListJson } from '../../resources/event-json.ts';
import { mergeQueue } from '../../rpc/event-queue.ts';
import type { ServiceHandlers } from '../../rpc/handlers.ts';

type Handlers = ServiceHandlers<typeof services.applicationset>;

export function applicationSetQueries(
  context: ServerContext,
): Pick<Handlers, 'list' | 'get' | 'resourceTree' | 'listResourceEvents' | 'watch'> {
  const { client, applicationSets } = context;
  return {
    async list(request, call) {
      const selects = parseSelector(request.selector);
      const enforcer = await context.enforcer();
      const items = applicationSets
        .list()
        .filter(({ metadata }) => !request.appsetNamespace || metadata.namespace === request.appsetNamespace)
        .filter(
          (set) =>
            selects(set.metadata.labels) && (!request.projects?.length || request.projects.includes(projectOf(set))),
        )
        .filter((set) => enforcer.allows(call.identity, 'applicationsets', 'get', applicationSets.rbacName(set)));
      return { metadata: { resourceVersion: applicationSets.resourceVersion }, items };
    },

    get: (request, call) => accessApplicationSet(context, call, 'get', request),

    async resourceTree(request, call) {
      const set = await accessApplicationSet(context, call, 'get', request);
      const { name = '', namespace = '', uid = '' } = set.metadata;
      const parent = { group: 'argoproj.io', version: 'v1alpha1', kind: 'ApplicationSet', name, namespace, uid };
      const nodes = (set.status?.resources ?? []).map((resource) => ({
        group: resource.group ?? '',
        version: resource.version ?? '',
        kind: resource.kind ?? '',
        name: resource.name ?? '',
        namespace,
        ...(resource.health ? { health: resource.health } : {}),
        parentRefs: [parent],
      }));
      return { nodes: nodes.sort((a, b) => (a.name < b.name ? -1 : 1)) };
    },

    async listResourceEvents(request, call) {
      const { metadata } = await accessApplicationSet(context, call, 'get', request);
      const { name, uid, namespace = '' } = metadata;
      const fieldSelector = `involvedObject.name=${name},involvedObject.uid=${uid},involvedObject.namespace=${namespace}`;
      return eventListJson(await client.list({ apiVersion: 'v1', kind: 'Event', namespace }, { fieldSelector }));
    },

    async *watch(request, call) {
      const selects = parseSelector(request.selector);
      const projects = new Set(request.projects ?? []);
      const since = Number(request.resourceVersion || 0) || 0;
      const wanted = (set: ApplicationSet) =>
        (projects.size === 0 || projects.has(set.spec.template?.spec?.project ?? '')) &&
        Number(set.metadata.resourceVersion) >= since &&
        (!request.name || set.metadata.name === request.name) &&
        (!request.appSetNamespace || set.metadata.namespace === request.appSetNamespace) &&
        selects(set.metadata.labels);
      const permitted = async (set: ApplicationSet) =>
        (await context.enforcer()).allows(call.identity, 'applicationsets', 'get', applicationSets.rbacName(set));
      const queue = mergeQueue<{ type: string; applicationSet: ApplicationSet }>(
        ({ applicationSet: { metadata } }) => `${metadata.namespace}/${metadata.name}`,
        call.signal,
      );
      const unsubscribe = applicationSets.subscribe(({ type, object }) => {
        if (wanted(object)) queue.push({ type: eventTypes[type], applicationSet: object });
      });
      try {
        // upstream rule: who watches all of them has listed them before
        if (request.name)
          for (const applicationSet of applicationSets.list())
            if (wanted(applicationSet) && (await permitted(applicationSet))) yield { type: 'ADDED', applicationSet };
        for await (const event of queue) if (await permitted(event.applicationSet)) yield event;
      } finally {
        unsubscribe();
      }
    },
  };
}

const eventTypes = { added: 'ADDED', updated: 'MODIFIED', deleted: 'DELETED' } as const;
