import type { Application, ApplicationSource } from '@tiphys/api';
import { allSourcesOf, sourceDenial } from '@tiphys/applications';
import type { SourceDetails } from '@tiphys/source';
import { projectOf } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import { missingProjectError } from '../projects/missing-project.ts';
import type { Call } from '../rpc/call.ts';
import { permissionDenied } from '../rpc/rpc-error.ts';

interface Query {
  readonly source: ApplicationSource;
  readonly appName?: string | undefined;
  readonly appProject?: string | undefined;
  readonly sourceIndex?: number | undefined;
  readonly versionId?: number | undefined;
}

/**
 * What a source can be told, for who may see the application that it is of, or may make one. Of an application that exists
 * nothing but its own sources, now or in its history, is looked at.
 */
export async function appDetails(context: ServerContext, query: Query, call: Call) {
  const { applications, projects, namespace, backend } = context;
  const { source, appProject = '' } = query;
  const [appName = '', appNamespace = namespace] = (query.appName ?? '').split('/').reverse();
  const enforcer = await context.enforcer();
  const object = `${appProject}/${query.appName ?? ''}`;
  enforcer.enforce(call.identity, 'applications', 'get', object);
  const app = appName === '' ? undefined : await applications.find({ namespace: appNamespace, name: appName });
  if (!app) enforcer.enforce(call.identity, 'applications', 'create', object);
  else if (projectOf(app) !== appProject || !isOwnSource(app, query)) throw permissionDenied();
  const project = projects.known(appProject);
  if (!project) throw missingProjectError(appProject);
  if (sourceDenial(projects.effective(project), { repoURL: source.repoURL }))
    throw permissionDenied(`repository '${source.repoURL}' not permitted in project '${appProject}'`);
  const asked = app ?? draft(appName, appNamespace, appProject, source);
  return response(await backend.sourceDetails(asked, { ...source }, call.signal));
}

function draft(name: string, namespace: string, project: string, source: ApplicationSource): Application {
  return { metadata: { name, namespace }, spec: { project, source, destination: {} } } as Application;
}

function response({ type, helm, kustomize, plugin }: SourceDetails) {
  return {
    type,
    ...(helm
      ? {
          helm: {
            valueFiles: [...helm.valueFiles],
            values: helm.values,
            parameters: helm.parameters.map(({ name, value }) => ({ name, value })),
            fileParameters: [...helm.fileParameters],
          },
        }
      : {}),
    ...(kustomize ? { kustomize: { images: [...kustomize.images] } } : {}),
    ...(plugin
      ? {
          plugin: {
            parametersAnnouncement: plugin.parametersAnnouncement.map(({ array, map, ...rest }) => ({
              ...rest,
              array: [...(array ?? [])],
              map: { ...map },
            })),
          },
        }
      : {}),
  };
}

/** Upstream's rule: a source of the spec, or one of the history with the revision that was deployed as its target. */
function isOwnSource(app: Application, { source, sourceIndex = 0, versionId = 0 }: Query): boolean {
  const wanted = textOf(source);
  if (allSourcesOf(app.spec).some((own) => textOf(own) === wanted)) return true;
  return (app.status?.history ?? []).some((entry) => {
    if (entry.sources?.length) {
      const past = entry.sources[sourceIndex];
      const targetRevision = entry.revisions?.[sourceIndex];
      return (
        entry.id === versionId && past && targetRevision !== undefined && textOf({ ...past, targetRevision }) === wanted
      );
    }
    return entry.source && textOf({ ...entry.source, targetRevision: entry.revision ?? '' }) === wanted;
  });
}

/** Equal for equal sources: what is empty says nothing, and the order of fields neither. */
function textOf(value: unknown): string {
  return JSON.stringify(plain(value)) ?? '';
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(plain);
  if (typeof value !== 'object' || value === null)
    return value === '' || value === false || value === null ? undefined : value;
  const entries = Object.entries(value)
    .map(([name, item]) => [name, plain(item)] as const)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
