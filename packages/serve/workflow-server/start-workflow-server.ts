import type { RequestListener } from 'node:http';
import { loadWorkflowServices } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { InboundLimits } from '@tiphys/inbound';
import type { Client, ClusterConfig } from '@tiphys/kubernetes';
import {
  BodyBudget,
  Code,
  Gateway,
  grpcHandler,
  type HttpRequest,
  type HttpResponse,
  openPort,
  RpcError,
  sendJson,
  type TlsFiles,
} from '@tiphys/server';
import { flowEndpoints } from './all-services.ts';
import { ArtifactServer } from './artifacts/serve-artifacts.ts';
import { UploadServer } from './artifacts/serve-uploads.ts';
import { Admission, type AuthMode } from './common/admission.ts';
import { callIn, type FlowCall } from './common/caller.ts';
import { RateLimit } from './common/rate-limit.ts';
import { FlowMetrics } from './metrics.ts';
import { openParts, type PartsOptions } from './open-parts.ts';
import { SingleSignOn } from './sso/single-sign-on.ts';
import { largestWebhook, webhookToken } from './webhooks.ts';
import { welcomePage } from './welcome-page.ts';

const authModeUnknown = defineDiagnosis(
  'WorkflowAuthModeUnknown',
  'The mode of authentication of the workflow server is none that it has',
);

export interface WorkflowServerOptions extends PartsOptions {
  /** How the server reaches the cluster, for clients with the rights of callers. */
  readonly config: ClusterConfig;
  readonly connect: (config: ClusterConfig) => Client;
  /** `client`, `server`, `hybrid`, `sso`, separated by commas; `client` if absent. */
  readonly authModes?: string | undefined;
  readonly port: number;
  readonly host?: string;
  readonly tls?: TlsFiles | undefined;
  readonly limits?: Partial<InboundLimits>;
}

export interface WorkflowServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves Argo Workflows' API; resolves when it listens. Throws a diagnosis for settings that it cannot serve. */
export async function startWorkflowServer(options: WorkflowServerOptions): Promise<WorkflowServer> {
  const { client, clock, log, env } = options;
  const modes = authModesOf(options.authModes);
  const stop = new AbortController();
  // closed again where anything that follows fails
  await using opened = new AsyncDisposableStack();
  const parts = await openParts(options);
  opened.defer(() => parts.close());
  const sso = modes.has('sso')
    ? await SingleSignOn.open({ ...options, sso: parts.settings.sso, isSecure: options.tls !== undefined })
    : undefined;
  if (sso) opened.defer(() => sso.close());
  const endpoints = flowEndpoints(await loadWorkflowServices(), parts, stop.signal);
  const admission = new Admission({
    modes,
    own: client,
    config: options.config,
    connect: options.connect,
    sso,
    now: () => clock.now(),
  });
  opened.defer(() => admission.close());
  opened.defer(() => stop.abort(new Error('the server is closing')));
  const metrics = new FlowMetrics(endpoints);
  const observe: typeof metrics.observe = (call) => {
    metrics.observe(call);
    log(call.code === 'OK' ? 'debug' : 'info', call.path, {
      code: call.code,
      milliseconds: Math.round(call.milliseconds),
      ...(call.error === undefined ? {} : { error: reasonOf(call.error) }),
    });
  };
  const gateway = new Gateway({
    endpoints,
    admit: admission.admit,
    observe,
    config: () => ({}),
    contentTypes: () => ['application/json'],
    secureCookies: () => options.tls !== undefined,
    chosenByServices: true,
    mayForge: ({ headers, url = '' }) => !headers.authorization && !url.startsWith('/api/v1/events/'),
  });
  const artifacts = new ArtifactServer(parts, admission);
  const uploads = new UploadServer(parts, admission);
  const webhooks = new BodyBudget(8 * largestWebhook);
  const rateLimit = new RateLimit(env.ARGO_API_RATE_LIMIT, clock, env.IP_KEY_FUNC_HEADERS);

  const serve = async (request: HttpRequest, response: HttpResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0] as string;
    if (path === '/healthz') return sendJson(response, 200, {});
    if (path === '/metrics') return await serveMetrics(request, response);
    if (await sso?.serve(path, request, response)) return;
    if (path.startsWith('/oauth2/'))
      return sendJson(response, 501, { code: 12, message: 'single sign-on is not configured' });
    if (path.startsWith('/api/')) return await serveApi(path, request, response);
    if (env.ARGO_ARTIFACT_SERVER !== 'false') {
      if (await artifacts.serve(path, request, response)) return;
      if (await uploads.serve(path, request, response)) return;
    }
    return welcomePage(request, response, { frames: env.ARGO_X_FRAME_OPTIONS, user: await sso?.userOf(request) });
  };

  const serveMetrics = async (request: HttpRequest, response: HttpResponse): Promise<void> => {
    const header = (name: string) => request.headers[name] as string | undefined;
    if (env.ARGO_SERVER_METRICS_AUTH !== 'false') {
      try {
        await callIn((await admission.admit({ path, header, signal: stop.signal })) as FlowCall, '');
      } catch (error) {
        log('info', 'the metrics were refused', { error: String(error) });
        return sendJson(response, 403, { code: 7, message: 'permission denied' });
      }
    }
    const page = await metrics.page();
    response.setHeader('Content-Type', page.type);
    response.end(page.text);
  };
  const path = '/metrics';

  /** Events that Git hosts sign come with no token: that of the ServiceAccount whose secret it is is put in its place. */
  const serveApi = async (target: string, request: HttpRequest, response: HttpResponse): Promise<void> => {
    const [, events] = /^\/api\/v1\/events\/([^/]+)\//.exec(target) ?? [];
    if (!events || request.method !== 'POST' || request.headers.authorization)
      return await gateway.serve(request, response);
    const body = await webhooks.read(request, largestWebhook);
    if (!body) return sendJson(response, 413, { message: 'the event is too large' });
    try {
      const token = await webhookToken(client, { namespace: events, headers: request.headers, body });
      if (token) request.headers.authorization = `Bearer ${token}`;
    } catch (error) {
      log('error', 'an event of a Git host could not be looked at', { error: String(error) });
      return sendJson(response, 403, { message: 'failed to process webhook request' });
    }
    return await gateway.serve(request, response, body);
  };

  const rpc = grpcHandler(endpoints, admission.admit, observe, (request, response) =>
    serve(request as HttpRequest, response as HttpResponse).catch((error: unknown) => {
      log('error', 'a request could not be answered', { error: String(error) });
      if ((response as HttpResponse).headersSent) (response as HttpResponse).end();
      else
        sendJson(response as HttpResponse, 500, {
          code: 13,
          message: 'internal error: the log of the server says more',
        });
    }),
  );
  const handler: RequestListener = (request, response) => {
    response.on('error', () => undefined);
    if (rateLimit.admits(request, response)) rpc(request, response);
  };
  const { host = '127.0.0.1', tls } = options;
  const port = await openPort({
    port: options.port,
    host,
    tls,
    handler,
    ...(options.limits ? { limits: options.limits } : {}),
  });
  const closing = opened.move();
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port.port}`,
    port: port.port,
    async close() {
      stop.abort(new Error('the server is closing'));
      await port.close();
      await closing.disposeAsync();
    },
  };
}

/** What the log says of a failure: of one that callers are told nothing of, what it was. */
function reasonOf(error: unknown): string {
  const isUntold = error instanceof RpcError && error.code === Code.Internal && error.cause instanceof Error;
  return isUntold ? `${error.message}: ${String(error.cause)}` : String(error);
}

/** Modes of upstream's `--auth-mode`. */
function authModesOf(text: string | undefined): ReadonlySet<AuthMode> {
  const modes = new Set<AuthMode>();
  for (const word of (text || 'client').split(',').map((each) => each.trim())) {
    if (word === 'client' || word === 'hybrid') modes.add('client');
    if (word === 'server' || word === 'hybrid') modes.add('server');
    if (word === 'sso') modes.add('sso');
    if (!['client', 'server', 'hybrid', 'sso'].includes(word))
      throw failure(authModeUnknown, {
        message: `"${word}" is no mode of authentication`,
        place: { field: 'ARGO_AUTH_MODE' },
        evidence: { found: word, wanted: 'client, server, hybrid or sso' },
        remedies: [
          'Use client: callers send tokens of Kubernetes',
          'Use sso: users log in at the identity provider that workflow-controller-configmap names',
          'Or server, where anyone who reaches the port may do what the server may',
        ],
      });
  }
  return modes;
}
