import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { builtinDiscovery } from '@tiphys/kubernetes';
import { send, sendBytes, sendText } from './answer.ts';
import type { ServerContext } from './context.ts';
import { aggregated, coreVersions, groupList, groupOf, resourceList } from './discovery.ts';
import type { OpenApi } from './openapi.ts';
import type { RequestInfo } from './request-info.ts';
import { ISSUER } from './tokens.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Answers requests that name no resource: discovery, OpenAPI, version, health. */
export function general(
  server: ServerContext,
  openapi: OpenApi,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
): void {
  const path = info.path.length > 1 ? info.path.replace(/\/$/, '') : info.path;
  const accept = request.headers.accept ?? '';
  const json = (value: unknown, contentType?: string) =>
    value === undefined
      ? sendText(response, 404, '404 page not found\n')
      : sendTagged(request, response, JSON.stringify(value), contentType);
  const { registry } = server;
  if (path === '/version')
    return void sendBytes(
      response,
      200,
      'application/json',
      Buffer.from(JSON.stringify(builtinDiscovery().version, null, 2)),
    );
  const [, probe] = /^\/(healthz|livez|readyz)(?:\/|$)/.exec(path) ?? [];
  if (probe) return void sendText(response, 200, isVerbose(request) ? verbose(probe) : 'ok');
  if (path === '/api' || path === '/apis') {
    const core = path === '/api';
    if (/as=APIGroupDiscoveryList/.test(accept) && /v=v2[;,]|v=v2$/.test(accept))
      return void json(aggregated(registry, core), AGGREGATED);
    return void json(core ? coreVersions(request.headers.host ?? '') : groupList(registry));
  }
  if (path.startsWith('/apis/') && !info.version) return void json(groupOf(registry, info.group));
  if (path.startsWith('/api'))
    return void json(
      registry.hasVersion(info.group, info.version) ? resourceList(registry, info.group, info.version) : undefined,
    );
  if (path === '/openapi/v3') return void json(openapi.v3Paths());
  if (path.startsWith('/openapi/v3/')) return void json(openapi.v3(path.slice('/openapi/v3/'.length)));
  if (path === '/openapi/v2') {
    const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
    if (/proto-openapi/.test(accept)) return void sendBytes(response, 200, protobuf, openapi.v2Protobuf());
    return void json(openapi.v2());
  }
  if (path === '/.well-known/openid-configuration')
    return void json({
      issuer: ISSUER,
      jwks_uri: `https://${request.headers.host}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
  if (path === '/openid/v1/jwks') return void json(server.tokens.jwks());
  if (path === '/') return void json({ paths: openapi.rootPaths() });
  return void sendText(response, 404, '404 page not found\n');
}

function isVerbose({ url = '' }: IncomingMessage): boolean {
  return new URL(url, 'http://server').searchParams.has('verbose');
}

function verbose(probe: string): string {
  return `[+]ping ok\n[+]log ok\n[+]etcd ok\n${probe} check passed\n`;
}

/** Documents that clients ask for again and again: 304 when they have the same one. */
function sendTagged(request: IncomingMessage, response: ServerResponse, body: string, contentType?: string): void {
  const etag = `"${createHash('sha256').update(body).digest('hex').toUpperCase()}"`;
  response.setHeader('etag', etag);
  response.setHeader('vary', 'Accept');
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304);
    response.end();
  } else send(response, { code: 200, body }, contentType ? { contentType } : {});
}
