import { type Application, names, type services } from '@tiphys/api';
import { allSourcesOf } from '@tiphys/applications';
import { projectOf, rbacName, refOf } from '../../applications/applications.ts';
import { parseSelector } from '../../applications/label-selector.ts';
import { accessApplication } from '../../context/access.ts';
import type { ServerContext } from '../../context/server-context.ts';
import { sameRepository } from '../../repositories/same-repository.ts';
import { mergeQueue } from '../../rpc/event-queue.ts';
import type { ServiceHandlers } from '../../rpc/handlers.ts';
import { invalidArgument } from '../../rpc/rpc-error.ts';

type Handlers = ServiceHandlers<typeof services.application>;
interface Query {
  projects?: string[] | undefined;
  project?: string[] | undefined;
}

const projectsOf = (query: Query): string[] => [...(query.projects ?? []), ...(query.project ?? [])].filter(Boolean);

export function applicationQueries(context: ServerContext): Pick<Handlers, 'list' | 'get' | 'watch'> {
  const { applications, namespace } = context;
  return {
    async list(request, call) {
      const selects = parseSelector(request.selector);
      const projects = new Set(projectsOf(request));
      const enforcer = await context.enforcer();
      const items = applications
        .list()
        .filter((app) => !request.appNamespace || app.metadata.namespace === request.appNamespace)
        .filter((app) => selects(app.metadata.labels) && (!request.name || app.metadata.name === request.name))
        .filter((app) => projects.size === 0 || projects.has(projectOf(app)))
        .filter(
          (app) =>
            !request.repo ||
            allSourcesOf(app.spec).some((source) => sameRepository(source.repoURL, request.repo as string)),
        )
        .filter((app) => enforcer.allows(call.identity, 'applications', 'get', rbacName(app, namespace)))
        .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
      return { metadata: { resourceVersion: applications.resourceVersion }, items };
    },

    async get(request, call) {
      const projects = projectsOf(request);
      if (projects.length > 1)
        throw invalidArgument('multiple projects specified - the get endpoint accepts either zero or one project');
      const { app } = await accessApplication(context, call, 'get', { ...request, project: projects[0] });
      if (request.refresh === undefined) return app;
      return await refresh(context, app, request.refresh === 'hard' ? 'hard' : 'normal', call.signal);
    },

    async *watch(request, call) {
      const selects = parseSelector(request.selector);
      const projects = new Set(projectsOf(request));
      const since = Number(request.resourceVersion || 0) || 0;
      const wanted = (app: Application) =>
        (projects.size === 0 || projects.has(projectOf(app))) &&
        Number(app.metadata.resourceVersion) >= since &&
        (!request.name ||
          (app.metadata.name === request.name && app.metadata.namespace === (request.appNamespace || namespace))) &&
        selects(app.metadata.labels);
      const permitted = async (app: Application) =>
        (await context.enforcer()).allows(call.identity, 'applications', 'get', rbacName(app, namespace));
      const queue = mergeQueue<{ type: string; application: Application }>(
        (event) => `${event.application.metadata.namespace}/${event.application.metadata.name}`,
        call.signal,
      );
      const unsubscribe = applications.subscribe(({ type, object }) => {
        if (wanted(object)) queue.push({ type: eventTypes[type], application: object });
      });
      try {
        if (!request.resourceVersion || request.name) {
          const known = applications.list().sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
          for (const application of known)
            if (wanted(application) && (await permitted(application))) yield { type: 'ADDED', application };
          // anyone who deletes and then watches for the end of it may come after the end
          const gone =
            request.name &&
            applications.deletedLately({ name: request.name, namespace: request.appNamespace || namespace });
          if (gone && wanted(gone) && (await permitted(gone))) yield { type: 'DELETED', application: gone };
        }
        for await (const event of queue) if (await permitted(event.application)) yield event;
      } finally {
        unsubscribe();
      }
    },
  };
}

/** By name, then by namespace. */
function sortKey({ metadata }: Application): string {
  return `${metadata.name} ${metadata.namespace}`;
}

const eventTypes = { added: 'ADDED', updated: 'MODIFIED', deleted: 'DELETED' } as const;

/** Asks the controller to compare again, by annotation, and waits until it has taken the annotation away. */
async function refresh(
  { applications }: ServerContext,
  app: Application,
  type: 'normal' | 'hard',
  signal: AbortSignal,
): Promise<Application> {
  const ref = refOf(app);
  const patched = await applications.mergePatch(ref, {
    metadata: {
      annotations: {
        [names.annotations.refresh]: type,
        [names.annotations.showRefresh]: 'true',
        ...(app.spec.sourceHydrator ? { [names.annotations.hydrate]: type } : {}),
      },
    },
  });
  const asked = Number(patched.metadata.resourceVersion);
  const done = (seen: Application) =>
    Number(seen.metadata.resourceVersion) > asked &&
    seen.metadata.annotations?.[names.annotations.refresh] === undefined;
  const known = applications.known(ref);
  return known && done(known) ? known : await applications.until(ref, done, signal);
}
