import type { services } from '@tiphys/api';
import type { ServerContext } from '../context/server-context.ts';
import type { Purpose } from '../repositories/repositories.ts';
import type { RepositoryJson } from '../repositories/repository-fields.ts';
import type { Call } from '../rpc/call.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';

export function repoCredsService(context: ServerContext): ServiceHandlers<typeof services.repocreds> {
  const read = templatesOf(context, 'read');
  const write = templatesOf(context, 'write');
  return {
    listRepositoryCredentials: read.list,
    createRepositoryCredentials: read.create,
    updateRepositoryCredentials: read.update,
    deleteRepositoryCredentials: read.remove,
    listWriteRepositoryCredentials: write.list,
    createWriteRepositoryCredentials: write.create,
    updateWriteRepositoryCredentials: write.update,
    deleteWriteRepositoryCredentials: write.remove,
  };
}

interface Creds {
  url?: string | undefined;
}

function templatesOf({ repositories, enforcer }: ServerContext, purpose: Purpose) {
  const resource = purpose === 'read' ? 'repositories' : 'write-repositories';
  const kind = purpose === 'read' ? 'credentials' : 'writeCredentials';
  const enforce = async (call: Call, action: string, url: string) =>
    (await enforcer()).enforce(call.identity, resource, action, url);
  return {
    async list(_request: unknown, call: Call) {
      const rules = await enforcer();
      const visible = (await repositories.templates(purpose)).filter(({ url }) =>
        rules.allows(call.identity, resource, 'get', String(url)),
      );
      return {
        items: visible.map(({ url, username }) => ({
          url: String(url),
          ...(username ? { username: String(username) } : {}),
        })),
      };
    },

    async create({ creds, upsert = false }: { creds?: Creds | undefined; upsert?: boolean | undefined }, call: Call) {
      if (!creds) throw invalidArgument('missing payload in request');
      await enforce(call, 'create', creds.url ?? '');
      if (!creds.url) throw invalidArgument('must specify URL');
      await repositories.create(kind, creds as RepositoryJson, upsert);
      return { url: creds.url };
    },

    async update({ creds }: { creds?: Creds | undefined }, call: Call) {
      if (!creds) throw invalidArgument('missing payload in request');
      await enforce(call, 'update', creds.url ?? '');
      await repositories.update(kind, creds as RepositoryJson);
      return { url: creds.url };
    },

    async remove({ url = '' }: { url?: string | undefined }, call: Call) {
      await enforce(call, 'delete', url);
      await repositories.delete(kind, url, '');
      return {};
    },
  };
}
