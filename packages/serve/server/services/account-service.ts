import { randomUUID } from 'node:crypto';
import type { services } from '@tiphys/api';
import { RE2JS, RE2JSException } from 're2js';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { projectRoleOf } from '../rpc/identity.ts';
import { Code, invalidArgument, notFound, RpcError } from '../rpc/rpc-error.ts';
import { type Account, defaultPasswordPattern } from '../session/accounts.ts';
import { localIssuer } from '../session/sessions.ts';

const actions = ['get', 'create', 'update', 'delete', 'sync', 'override', 'action', 'invoke'];
const resources = [
  'clusters',
  'projects',
  'applications',
  'applicationsets',
  'repositories',
  'write-repositories',
  'certificates',
  'accounts',
  'gpgkeys',
  'logs',
  'exec',
  'extensions',
];
const projectScoped = new Set(['applications', 'applicationsets', 'logs', 'exec', 'clusters', 'repositories']);
/** A login at the identity provider that is older than this, in seconds, must be repeated before it may set a password. */
const freshness = 300;

export function accountService(context: ServerContext): ServiceHandlers<typeof services.account> {
  const { accounts, passwords, sessions, namespace, clock, plane } = context;

  /** Accounts may look after themselves; others need the right to. */
  const allowed = async (call: Call, action: string, name: string): Promise<boolean> =>
    (call.identity?.subject === name && call.identity.issuer === localIssuer) ||
    (await context.enforcer()).allows(call.identity, 'accounts', action, name);
  const assertAllowed = async (call: Call, action: string, name: string) => {
    if (!(await allowed(call, action, name)))
      (await context.enforcer()).enforce(call.identity, 'accounts', action, name);
  };

  return {
    async canI({ resource = '', action = '', subresource = '' }, call) {
      if (!actions.includes(action)) throw invalidArgument(`[${actions.join(' ')}] does not contain ${action}`);
      if (!resources.includes(resource)) throw invalidArgument(`[${resources.join(' ')}] does not contain ${resource}`);
      const parts = subresource.split('/');
      const object =
        projectScoped.has(resource) && parts.length === 3 && parts[1] === namespace
          ? `${parts[0]}/${parts[2]}`
          : subresource;
      return { value: (await context.enforcer()).allows(call.identity, resource, action, object) ? 'yes' : 'no' };
    },

    async updatePassword({ name = '', currentPassword = '', newPassword = '' }, call) {
      const caller = call.identity;
      const target = name || (caller?.subject ?? '');
      const local = caller?.issuer === localIssuer;
      if (!caller || !local || target !== caller.subject)
        (await context.enforcer()).enforce(caller, 'accounts', 'update', name);
      if (local) {
        if (projectRoleOf(caller.subject))
          throw invalidArgument(`password can only be changed for local users, not user "${caller.subject}"`);
        if (!(await sessions.confirm(caller.subject, currentPassword)))
          throw invalidArgument('current password does not match');
      } else if (clock.now() / 1000 - (caller?.issuedAt ?? 0) > freshness)
        throw new RpcError(Code.Unknown, "SSO token is too old. Please use 'argocd relogin' to get a new token");
      const pattern = plane.configMap('argocd-cm').passwordPattern || defaultPasswordPattern;
      if (!passwordExpression(pattern).test(newPassword))
        throw new RpcError(Code.Unknown, `new password does not match the following expression: ${pattern}`);
      await accounts.get(target);
      await accounts.setPassword(target, await passwords.make(newPassword), clock.now());
      return {};
    },

    async listAccounts(_request, call) {
      const items = [];
      for (const account of await accounts.list())
        if (await allowed(call, 'get', account.name)) items.push(accountJson(account));
      return { items: items.sort((a, b) => (a.name < b.name ? -1 : 1)) };
    },

    async getAccount({ name = '' }, call) {
      await assertAllowed(call, 'get', name);
      return accountJson(await accounts.get(name));
    },

    async createToken({ name = '', expiresIn = 0, id = '' }, call) {
      await assertAllowed(call, 'update', name);
      const account = await accounts.get(name);
      if (!account.capabilities.includes('apiKey'))
        throw new RpcError(
          Code.Unknown,
          `failed to update account with new token: account '${name}' does not have apiKey capability`,
        );
      const tokenId = id || randomUUID();
      const iat = Math.floor(clock.now() / 1000);
      await accounts.changeTokens(name, (tokens) => {
        if (tokens.some((token) => token.id === tokenId))
          throw new RpcError(
            Code.Unknown,
            `failed to update account with new token: account already has token with id '${tokenId}'`,
          );
        return [...tokens, { id: tokenId, iat, ...(expiresIn > 0 ? { exp: iat + expiresIn } : {}) }];
      });
      return { token: await sessions.sign(`${name}:apiKey`, expiresIn, tokenId, iat) };
    },

    async deleteToken({ name = '', id = '' }, call) {
      await assertAllowed(call, 'update', name);
      await accounts.get(name);
      await accounts.changeTokens(name, (tokens) => {
        if (!tokens.some((token) => token.id === id)) throw notFound(`token with id '${id}' does not exist`);
        return tokens.filter((token) => token.id !== id);
      });
      return {};
    },
  };
}

/** `passwordPattern` is in Go's syntax, and matched in linear time whatever it is. */
function passwordExpression(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new RpcError(
      Code.Unknown,
      `failed to compile password regex: passwordPattern of argocd-cm is not an expression: ${error.message}`,
    );
  }
}

function accountJson({ name, enabled, capabilities, tokens }: Account) {
  const sorted = [...tokens].sort((a, b) => b.iat - a.iat);
  return {
    name,
    enabled,
    capabilities: [...capabilities],
    tokens: sorted.map((token) => ({ id: token.id, issuedAt: token.iat, expiresAt: token.exp ?? 0 })),
  };
}
