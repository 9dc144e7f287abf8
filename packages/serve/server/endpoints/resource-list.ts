import { rbacName } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import { ListQueryError } from '../overview/list-query.ts';
import { listResources, readResourceQuery } from '../overview/resource-list.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

/**
 * `GET /api/tiphys/v1/resources?text=…&kind=…&health=…&offset=…&limit=…`: the objects of all applications that one may `get`, worst first,
 * with how many match and counts by facet. Undefined for other paths.
 */
export function serveResourceList(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (asked.path !== '/api/tiphys/v1/resources') return undefined;
  return serveOwn(asked, '/application.ApplicationService/List', async (call) => {
    const query = readQuery(parseUrlQuery(asked.request.url));
    const may = (await context.enforcer()).decider(call.identity, 'applications', 'get');
    const { applications } = context;
    return listResources(
      applications.list().filter((application) => may(rbacName(application, applications.namespace))),
      query,
    );
  });
}

function readQuery(search: URLSearchParams) {
  try {
    return readResourceQuery(search);
  } catch (error) {
    throw error instanceof ListQueryError ? invalidArgument(error.message) : error;
  }
}
