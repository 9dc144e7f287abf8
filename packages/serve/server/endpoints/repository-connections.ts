import type { ServerContext } from '../context/server-context.ts';
import { rbacObject } from '../repositories/repositories.ts';
import { sanitizedRepository, withCredentials } from '../repositories/repository-fields.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

/**
 * `GET /api/tiphys/v1/repositories`: what Argo CD's list has, and for each repository what every replica found: node, last results, cause, and
 * what is wrong although it can be read. `forceRefresh=true` makes this replica look again. Needs `repositories, get`. Undefined for other paths.
 */
export function serveRepositoryConnections(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (asked.path !== '/api/tiphys/v1/repositories') return undefined;
  return serveOwn(asked, '/repository.RepositoryService/List', async ({ identity, signal }) => {
    const force = parseUrlQuery(asked.request.url).get('forceRefresh') === 'true';
    const enforcer = await context.enforcer();
    const { repositories, repositoryChecks: checks } = context;
    const visible = (await repositories.list()).filter((json) =>
      enforcer.allows(identity, 'repositories', 'get', rbacObject(json)),
    );
    const items = await Promise.all(
      visible.map(async (json) => {
        const { state, replicas } = await checks.connection(json, force, signal);
        const shown = sanitizedRepository(withCredentials(json, await repositories.template(String(json.repo ?? ''))));
        return { ...shown, connectionState: state, replicas };
      }),
    );
    const sortKey = (item: Record<string, unknown>) => `${String(item.project ?? '')}/${String(item.repo)}`;
    return { items: items.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)) };
  });
}
