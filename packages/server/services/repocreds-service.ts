import type { services } from '@tiphys/api';
import type { RepositoryJson } from '../repositories/repository-fields.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import type { ServerContext } from '../server-context.ts';

export function repoCredsService(context: ServerContext): ServiceHandlers<typeof services.repocreds> {
  const { repositories } = context;
  return {
    async listRepositoryCredentials(_request, call) {
      const enforcer = await context.enforcer();
      const visible = (await repositories.templates()).filter(({ url }) =>
        enforcer.allows(call.identity, 'repositories', 'get', String(url)),
      );
      return {
        items: visible.map(({ url, username }) => ({
          url: String(url),
          ...(username ? { username: String(username) } : {}),
        })),
      };
    },

    async createRepositoryCredentials({ creds, upsert = false }, call) {
      if (!creds) throw invalidArgument('missing payload in request');
      if (!creds.url) throw invalidArgument('must specify URL');
      (await context.enforcer()).enforce(call.identity, 'repositories', 'create', creds.url);
      await repositories.create('credentials', creds as RepositoryJson, upsert);
      return { url: creds.url };
    },

    async updateRepositoryCredentials({ creds }, call) {
      if (!creds) throw invalidArgument('missing payload in request');
      (await context.enforcer()).enforce(call.identity, 'repositories', 'update', creds.url ?? '');
      await repositories.update('credentials', creds as RepositoryJson);
      return { url: creds.url };
    },

    async deleteRepositoryCredentials({ url = '' }, call) {
      (await context.enforcer()).enforce(call.identity, 'repositories', 'delete', url);
      await repositories.delete('credentials', url, '');
      return {};
    },
  };
}
