import type { IncomingMessage, ServerResponse } from 'node:http';
import { ISSUER, methodNotAllowed, noSuchResource, type ServerContext, StatusError } from '@tiphys/apimachinery';
import { builtinDiscovery } from '@tiphys/kubernetes';
import { sendBytes } from '../http/answer.ts';

/** What the API server tells of itself: one media type, for GET alone. */
interface WebService {
  readonly type: string;
  /** Anybody may keep the answer for an hour. */
  readonly kept: boolean;
  readonly text: (server: ServerContext, request: IncomingMessage) => string;
}

const SERVICES: Readonly<Record<string, WebService>> = {
  '/version': {
    type: 'application/json',
    kept: false,
    text: () => JSON.stringify(builtinDiscovery().version, null, 2),
  },
  '/.well-known/openid-configuration': {
    type: 'application/json',
    kept: true,
    text: (_, { headers }) =>
      JSON.stringify({
        issuer: ISSUER,
        jwks_uri: `https://${headers.host}/openid/v1/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
  },
  '/openid/v1/jwks': {
    type: 'application/jwk-set+json',
    kept: true,
    text: ({ tokens }) => JSON.stringify(tokens.jwks()),
  },
};

/** Answers `/version` and what verifies service accounts' tokens; false for other paths. Throws a StatusError as go-restful does. */
export function answerWebService(
  server: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): boolean {
  const root = Object.keys(SERVICES).find((one) => path === one || path.startsWith(`${one}/`));
  const service = root === undefined ? undefined : SERVICES[root];
  if (!service) return false;
  if (path !== root) throw noSuchResource();
  if (request.method !== 'GET') throw methodNotAllowed();
  requireAccepted(request.headers.accept, service.type);
  if (service.kept) response.setHeader('cache-control', 'public, max-age=3600');
  sendBytes(response, 200, service.type, Buffer.from(service.text(server, request)));
  return true;
}

function requireAccepted(accept: string | undefined, type: string): void {
  const accepted = (accept || '*/*').split(',').map((clause) => clause.split(';')[0]?.trim());
  if (accepted.includes(type) || accepted.includes('*/*')) return;
  throw new StatusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${type}`, {});
}
