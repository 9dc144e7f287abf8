import { sourcesOf } from '@tiphys/applications';
import { refOf } from '../applications/applications.ts';
import { accessApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import { comparedJson } from '../resources/compared-json.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { sensitiveAnnotations } from '../services/application/resources.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const path = /^\/api\/tiphys\/v1\/applications\/([a-z0-9.-]+)\/comparison$/;

/**
 * `GET /api/tiphys/v1/applications/NAME/comparison?revision=…&appNamespace=…&project=…`: the objects of any revision beside what is
 * live, as `managed-resources` tells those of the tracked one (`items`), and the commits or versions that were compared (`revisions`).
 * `revision` is given once, or once for each source; an empty one is the source's own target. Nothing is written. Needs
 * `applications, get`. Undefined for other paths.
 */
export function serveApplicationComparison(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const name = path.exec(asked.path)?.[1];
  if (name === undefined) return undefined;
  return serveOwn(asked, '/application.ApplicationService/GetManifests', async (call) => {
    const query = parseUrlQuery(asked.request.url);
    const { app } = await accessApplication(context, call, 'get', {
      name,
      appNamespace: query.get('appNamespace') ?? undefined,
      project: query.get('project') ?? undefined,
    });
    const named = query.getAll('revision');
    const count = sourcesOf(app.spec).length;
    if (named.length === 0) throw invalidArgument('revision is required: comparison?revision=COMMIT');
    if (named.length !== 1 && named.length !== count)
      throw invalidArgument(
        `There are ${named.length} revisions for ${count} sources: give one, or one for each source`,
      );
    const wanted = Array.from({ length: count }, (_, index) => named[index] ?? named[0] ?? '');
    const [{ resources, revisions }, sensitive] = await Promise.all([
      context.backend.comparisonAt(refOf(app), wanted, call.signal),
      sensitiveAnnotations(context),
    ]);
    return {
      revisions,
      items: resources.filter(({ hook }) => !hook).map((resource) => comparedJson(resource, sensitive)),
    };
  });
}
