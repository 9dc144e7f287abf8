import type { services } from '@tiphys/api';
import type { ServerContext } from '../context/server-context.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { unauthenticated } from '../rpc/rpc-error.ts';

export function sessionService({ sessions }: ServerContext): ServiceHandlers<typeof services.session> {
  return {
    async getUserInfo(_request, { identity }) {
      if (!identity) return {};
      return {
        loggedIn: true,
        username: identity.name ?? identity.subject,
        iss: identity.issuer,
        groups: [...identity.groups],
      };
    },
    async create({ username = '', password = '', token }) {
      if (token)
        throw unauthenticated('token-based session creation no longer supported. please upgrade argocd cli to v0.7+');
      return { token: await sessions.login(username, password) };
    },
    async delete(_request, { identity, token }) {
      if (identity && token && identity.capability === 'login') await sessions.logout(identity, token);
      return { token: '' };
    },
  };
}
