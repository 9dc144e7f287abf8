import { rbacObject } from '../repositories/repositories.ts';
import { sanitizedRepository, withCredentials } from '../repositories/repository-fields.ts';
import type { Admit } from '../rpc/grpc.ts';
import { httpStatusOf, rpcErrorOf } from '../rpc/rpc-error.ts';
import type { ServerContext } from '../server-context.ts';
import { type HttpRequest, type HttpResponse, sendJson } from './gateway.ts';
import { parseUrlQuery } from './url-query.ts';

/**
 * `GET /api/tiphys/v1/repositories`: what Argo CD's list has, and for each repository what every replica found: node, last results, cause, and
 * what is wrong although it can be read. `forceRefresh=true` makes this replica look again. Needs `repositories, get`.
 */
export async function serveRepositoryConnections(
  request: HttpRequest,
  response: HttpResponse,
  admit: Admit,
  context: Pick<ServerContext, 'repositories' | 'repositoryChecks' | 'enforcer'>,
): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  try {
    if (request.method !== 'GET') return sendJson(response, 405, { error: 'Method Not Allowed', code: 12 });
    const header = (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const call = await admit({ path: '/repository.RepositoryService/List', header, signal: abort.signal });
    const force = parseUrlQuery(request.url).get('forceRefresh') === 'true';
    const enforcer = await context.enforcer();
    const { repositories, repositoryChecks: checks } = context;
    const visible = (await repositories.list()).filter((json) =>
      enforcer.allows(call.identity, 'repositories', 'get', rbacObject(json)),
    );
    const items = await Promise.all(
      visible.map(async (json) => {
        const { state, replicas } = await checks.connection(json, force, abort.signal);
        const shown = sanitizedRepository(withCredentials(json, await repositories.template(String(json.repo ?? ''))));
        return { ...shown, connectionState: state, replicas };
      }),
    );
    const sortKey = (item: Record<string, unknown>) => `${String(item.project ?? '')}/${String(item.repo)}`;
    sendJson(response, 200, { items: items.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)) });
  } catch (error) {
    const refused = rpcErrorOf(error);
    sendJson(response, httpStatusOf(refused.code), {
      error: refused.message,
      code: refused.code,
      message: refused.message,
    });
  }
}
