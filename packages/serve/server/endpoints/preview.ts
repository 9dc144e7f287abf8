import type { Application } from '@tiphys/api';
import { manifestSourcesOf } from '@tiphys/applications';
import { rbacName } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import { type PreviewedRevisions, previewRevisions } from '../previews/preview-revisions.ts';
import { sameRepository } from '../repositories/same-repository.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const path = '/api/tiphys/v1/preview';

interface PreviewQuery extends PreviewedRevisions {
  readonly application: string | undefined;
}

/**
 * `GET /api/tiphys/v1/preview?repo=URL&base=REF&head=REF&application=[NAMESPACE/]NAME`: what a merge of `head` into `base` changes of the manifests of
 * each application that tracks `base` in this repository: `items`, those with changes or problems alone, and `applications`, how many were
 * looked at. A commit as `base` stands for every application of the repository. An application whose render reads nothing that differs costs no
 * render. Needs `applications, get`, and shows no others. Undefined for other paths.
 */
export function servePreview(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (asked.path !== path) return undefined;
  return serveOwn(asked, '/application.ApplicationService/GetManifests', async (call) => {
    const query = readQuery(parseUrlQuery(asked.request.url));
    return previewRevisions(context, await concerned(context, call, query), query, call.signal);
  });
}

function readQuery(search: URLSearchParams): PreviewQuery {
  const wanted = (name: string) => {
    const text = search.get(name);
    if (!text || text.length > 1_000) throw invalidArgument(`${name} is required: preview?repo=URL&base=REF&head=REF`);
    return text;
  };
  return {
    repo: wanted('repo'),
    base: wanted('base'),
    head: wanted('head'),
    application: search.get('application') || undefined,
  };
}

async function concerned(
  context: ServerContext,
  call: Call,
  { repo, application }: PreviewQuery,
): Promise<Application[]> {
  const { namespace } = context;
  const enforcer = await context.enforcer();
  const wanted = application && !application.includes('/') ? `${namespace}/${application}` : application;
  const all = await context.applications.list();
  return all
    .filter((app) => wanted === undefined || wanted === `${app.metadata.namespace}/${app.metadata.name}`)
    .filter((app) => enforcer.allows(call.identity, 'applications', 'get', rbacName(app, namespace)))
    .filter((app) => manifestSourcesOf(app.spec).some(({ repoURL }) => sameRepository(repoURL, repo)));
}
