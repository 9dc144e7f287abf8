import type { Application, ApplicationSource } from '@tiphys/api';
import { allSourcesOf, sourceDenial } from '@tiphys/applications';
import { diagnosisOf } from '@tiphys/diagnosis';
import type { ServerContext } from '../context/server-context.ts';
import { missingProjectError } from '../projects/missing-project.ts';
import type { Call } from '../rpc/call.ts';
import { permissionDenied } from '../rpc/rpc-error.ts';
import { mayStore, readDraft } from './application-draft.ts';
import { type OwnRequest, postOwn } from './own-api.ts';

const path = '/api/tiphys/v1/applications/parameters';

/**
 * `POST /api/tiphys/v1/applications/parameters` with an Application: what each of its sources can be told, without storing it: values of
 * a chart with the files and lines that say them, images, parameters that a plugin announces. Needs what storing it needs. What a
 * source's own failure is stands in its place, as a diagnosis. Undefined for other paths.
 */
export function serveApplicationParameters(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (asked.path !== path) return undefined;
  return postOwn(asked, '/application.ApplicationService/Create', async (call) =>
    parameters(context, call, await readDraft(asked.request, context)),
  );
}

async function parameters(context: ServerContext, call: Call, app: Application) {
  const { projects } = context;
  await mayStore(context, call, app);
  const name = app.spec.project || 'default';
  const project = projects.known(name);
  if (!project) throw missingProjectError(name);
  const sources = allSourcesOf(app.spec);
  for (const { repoURL } of sources)
    if (sourceDenial(projects.effective(project), { repoURL }))
      throw permissionDenied(`repository '${repoURL}' not permitted in project '${name}'`);
  return { items: await Promise.all(sources.map((source) => detailsOf(context, call, app, source))) };
}

async function detailsOf({ backend }: ServerContext, call: Call, app: Application, source: ApplicationSource) {
  // a source that gives nothing but files to the others has no parameters
  if (source.ref && !source.path && !source.chart) return { type: '' };
  try {
    return await backend.sourceDetails(app, { ...source }, call.signal);
  } catch (error) {
    call.signal.throwIfAborted();
    return { type: '', problem: diagnosisOf(error) };
  }
}
