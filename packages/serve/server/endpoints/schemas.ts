import { accessApplication } from '../context/access.ts';
import { requireClusterRight } from '../context/cluster-right.ts';
import type { ServerContext } from '../context/server-context.ts';
import { readKindSchema } from '../resources/kind-schema.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const ofApplication = /^\/api\/tiphys\/v1\/applications\/([a-z0-9.-]+)\/schema$/;
const ofControlPlane = '/api/tiphys/v1/schema';

/**
 * What a cluster's OpenAPI says of a kind, for editors: `root` names one of `definitions`, which refer to each other by `$ref`.
 * - `GET /api/tiphys/v1/applications/NAME/schema?appNamespace=…&group=…&version=…&kind=…`: of the application's cluster; needs
 *   `applications, get`.
 * - `GET /api/tiphys/v1/schema?group=…&version=…&kind=…`: of the control plane's; needs `clusters, get, *`.
 *
 * NotFound where the cluster publishes none. Undefined for other paths.
 */
export function serveSchemas(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const name = ofApplication.exec(asked.path)?.[1];
  if (name === undefined && asked.path !== ofControlPlane) return undefined;
  const method = name === undefined ? '/cluster.ClusterService/List' : '/application.ApplicationService/Get';
  return serveOwn(asked, method, async (call) => {
    const query = parseUrlQuery(asked.request.url);
    const wanted = {
      group: query.get('group') ?? '',
      version: query.get('version') ?? '',
      kind: query.get('kind') ?? '',
    };
    if (name === undefined) {
      await requireClusterRight(context, call, 'get');
      return readKindSchema(context.client, wanted, call.signal);
    }
    const { app } = await accessApplication(context, call, 'get', {
      name,
      appNamespace: query.get('appNamespace') ?? undefined,
      project: query.get('project') ?? undefined,
    });
    const { client } = await context.backend.clusterOf(app);
    return readKindSchema(client, wanted, call.signal);
  });
}
