import type { ApplicationSet } from '@tiphys/api';
import { applicationSetKind } from '../applications/application-sets.ts';
import { accessApplicationSet } from '../context/application-set-access.ts';
import type { ServerContext } from '../context/server-context.ts';
import { BodyBudget } from '../http/body-budget.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, postOwn, serveOwn } from './own-api.ts';

const path = /^\/api\/tiphys\/v1\/applicationsets\/([a-z0-9.-]+)\/(elements|preview|confirm-deletions)$/;
const service = '/applicationset.ApplicationSetService';
const largestSet = 4 * 1024 * 1024;
const budget = new BodyBudget(16 * 1024 * 1024);

/**
 * Below `/api/tiphys/v1/applicationsets/NAME`, with `?appsetNamespace=`; undefined for other paths:
 * - `GET …/elements`: which element of which generator each Application is made for. Needs `applicationsets, get`.
 * - `GET …/preview`: what the controller would create, change and delete now. Needs `get` as well.
 * - `POST …/preview` with a set: the same for that set, stored or not. Needs `create`, as Generate.
 * - `POST …/confirm-deletions`: agrees to deletions that wait. Needs `applicationsets, update`.
 */
export function serveApplicationSets(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const [, name, what] = path.exec(asked.path) ?? [];
  if (name === undefined) return undefined;
  const appsetNamespace = parseUrlQuery(asked.request.url).get('appsetNamespace') ?? undefined;
  const query = { name, appsetNamespace };
  const { applicationSets } = context;
  if (asked.request.method === 'POST')
    return postOwn(asked, `${service}/Create`, async (call) => {
      if (what === 'confirm-deletions') {
        await applicationSets.backend.confirmDeletions(await accessApplicationSet(context, call, 'update', query));
        return {};
      }
      const given = readSet(await budget.read(asked.request, largestSet));
      const metadata = { ...given.metadata, name, namespace: appsetNamespace || context.namespace };
      const set: ApplicationSet = { ...given, ...applicationSetKind, metadata };
      applicationSets.assertNamespace(metadata.namespace);
      (await context.enforcer()).enforce(call.identity, 'applicationsets', 'create', applicationSets.rbacName(set));
      return applicationSets.backend.preview(set, call.signal);
    });
  return serveOwn(asked, `${service}/Get`, async (call) => {
    const set = await accessApplicationSet(context, call, 'get', query);
    if (what === 'preview') return applicationSets.backend.preview(set, call.signal);
    const origins = await applicationSets.backend.origins(set, call.signal);
    return { items: [...origins].map(([application, origin]) => ({ application, origin })) };
  });
}

function readSet(bytes: Buffer | undefined): ApplicationSet {
  if (!bytes) throw invalidArgument(`The set has more than ${largestSet} bytes`);
  try {
    const set = JSON.parse(bytes.toString('utf8')) as ApplicationSet | null;
    if (set?.spec?.template?.spec) return set;
  } catch {
    // told below
  }
  throw invalidArgument('The body is no JSON of an ApplicationSet with spec.template.spec');
}
