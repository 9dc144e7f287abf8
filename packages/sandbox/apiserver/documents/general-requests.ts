import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { methodNotAllowed, type ServerContext } from '@tiphys/apimachinery';
import { requestUrl } from '@tiphys/inbound';
import { formOfAnswer, send, sendBytes, sendText } from '../http/answer.ts';
import { negotiate } from '../http/negotiate.ts';
import { METRICS } from '../observe/metrics.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { aggregated, coreVersions, groupList, groupOf, resourceList } from './discovery.ts';
import { answerProbe, probeMetrics, probeOf, probePaths } from './health.ts';
import type { OpenApi } from './openapi.ts';
import { answerOpenApi } from './openapi-requests.ts';
import { answerWebService } from './web-services.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Answers requests that name no resource: discovery, OpenAPI, version, health. Throws a StatusError for what is not served so. */
export async function general(
  server: ServerContext,
  openapi: OpenApi,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
): Promise<void> {
  const path = info.path.length > 1 ? info.path.replace(/(?<!z|\/openapi\/v2)\/$/, '') : info.path;
  const query = requestUrl(request).searchParams;
  const probe = probeOf(path);
  if (probe) return answerProbe(server, response, probe, query);
  if (path.startsWith('/openapi/')) return answerOpenApi(openapi, request, response, path, query);
  if (path === '/metrics/slis') return sendBytes(response, 200, METRICS, Buffer.from(probeMetrics()));
  if (answerWebService(server, request, response, path)) return;
  if (path === '/' || path === '/index.html') {
    const paths = [...openapi.rootPaths(), ...probePaths()].sort();
    sendBytes(response, 200, 'application/json', Buffer.from(JSON.stringify({ paths }, null, 2)));
    return;
  }
  const found = discovery(server, request, path, info);
  if (found === undefined) return sendText(response, 404, '404 page not found\n');
  // The aggregator, who answers for all groups, does not look at the method.
  const byAggregator = /^\/apis(\/[^/]+)?$/.test(path) && path !== '/apis/apiregistration.k8s.io';
  if (!byAggregator) onlyGet(request);
  if (found.aggregated) return sendTagged(request, response, JSON.stringify(found.value));
  const accept = request.headers.accept ?? '';
  // Who wants protobuf alone is told by the type of the answer that it is not to be had.
  const wanted = negotiate(accept.includes('protobuf') ? undefined : accept, {
    custom: false,
    list: false,
    aggregator: byAggregator,
  });
  const answer = { code: 200, body: JSON.stringify(found.value) };
  send(response, answer, { ...formOfAnswer(request, query), yaml: wanted.yaml });
}

function onlyGet({ method }: IncomingMessage): void {
  if (method !== 'GET') throw methodNotAllowed();
}

interface Found {
  readonly value: unknown;
  readonly aggregated?: boolean;
}

function discovery(
  { registry }: ServerContext,
  request: IncomingMessage,
  path: string,
  { group, version }: RequestInfo,
): Found | undefined {
  const accept = request.headers.accept ?? '';
  if (path === '/api' || path === '/apis') {
    const core = path === '/api';
    if (/as=APIGroupDiscoveryList/.test(accept) && /v=v2[;,]|v=v2$/.test(accept))
      return { value: aggregated(registry, core), aggregated: true };
    return { value: core ? coreVersions(request.headers.host ?? '') : groupList(registry) };
  }
  if (!path.startsWith('/api')) return undefined;
  if (path.startsWith('/apis/') && !version) return foundOf(groupOf(registry, group));
  return registry.hasVersion(group, version) ? { value: resourceList(registry, group, version) } : undefined;
}

const foundOf = (value: unknown): Found | undefined => (value === undefined ? undefined : { value });

/** Aggregated discovery, which clients ask for again and again: 304 when they have the same one. */
function sendTagged(request: IncomingMessage, response: ServerResponse, body: string): void {
  const etag = `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`;
  response.setHeader('etag', etag);
  response.setHeader('vary', 'Accept');
  response.setHeader('cache-control', 'public');
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304);
    response.end();
  } else sendBytes(response, 200, AGGREGATED, Buffer.from(`${body}\n`));
}
