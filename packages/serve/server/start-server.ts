import type { IncomingMessage, RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { names } from '@tiphys/api';
import { type ApplicationInformer, enabledEvents, eventLabels, namespaceLists } from '@tiphys/applications';
import type { ApplicationSetBackend } from '@tiphys/applicationsets';
import { type Diagnosis, formatDiagnosis } from '@tiphys/diagnosis';
import type { EventsAccess } from '@tiphys/events';
import type { History } from '@tiphys/history';
import type { InboundLimits } from '@tiphys/inbound';
import { type Client, type Clock, systemClock } from '@tiphys/kubernetes';
import type { ServerMetrics } from '@tiphys/metrics';
import { ApplicationSets } from './applications/application-sets.ts';
import { Applications, rbacName } from './applications/applications.ts';
import { serveBadge } from './badge/serve-badge.ts';
import { Clusters } from './clusters/clusters.ts';
import type { ServerContext } from './context/server-context.ts';
import type { WorkflowsAccess } from './context/workflows-access.ts';
import { ownEndpoints } from './endpoints/own-endpoints.ts';
import { secureCookies, signOnRoutes } from './endpoints/sign-on/sign-on-routes.ts';
import { WebhookEndpoint } from './endpoints/webhook.ts';
import { actRecord } from './events/act-record.ts';
import { EventRecorder } from './events/event-recorder.ts';
import { ExtensionScripts } from './extensions/extension-scripts.ts';
import { ProxyEndpoint } from './extensions/proxy-endpoint.ts';
import { serveScripts } from './extensions/serve-scripts.ts';
import { admission } from './http/admission.ts';
import { serveApiDescription } from './http/api-description.ts';
import { CallRates } from './http/call-rates.ts';
import { serveCustomStyles } from './http/custom-styles.ts';
import { Gateway } from './http/gateway.ts';
import { serveHealth } from './http/health.ts';
import { measured } from './http/measured.ts';
import { serveWebFile } from './http/web-files.ts';
import { ApplicationIndex, keyOf } from './overview/application-index.ts';
import type { Backend } from './ports/backend.ts';
import type { Log } from './ports/log.ts';
import { Projects } from './projects/projects.ts';
import { Enforcer } from './rbac/enforcer.ts';
import { PolicyBook } from './rbac/policy-book.ts';
import { Repositories } from './repositories/repositories.ts';
import { RepositoryChecks } from './repositories/repository-checks.ts';
import { endpoints } from './rpc/dispatcher.ts';
import { grpcHandler, type Observe } from './rpc/grpc.ts';
import { allServices } from './services/all-services.ts';
import { Accounts } from './session/accounts.ts';
import { LoginThrottle, type ThrottleOptions } from './session/login-throttle.ts';
import { Revocations } from './session/revocations.ts';
import { Sessions } from './session/sessions.ts';
import { ControlPlane } from './settings/control-plane.ts';
import { initializeControlPlane } from './settings/initialize.ts';
import { PasswordHashes } from './settings/password-hashes.ts';
import { type ServedAsKey, servedAs, servedToOne } from './settings/served-as.ts';
import { tellSettings } from './settings/tell-settings.ts';
import { dexAddress } from './sso/dex-address.ts';
import { SingleSignOn } from './sso/single-sign-on.ts';
import { signOnProblems } from './sso/sso-settings.ts';
import { TerminalEndpoint } from './terminal/terminal-endpoint.ts';
import { repeatRefusalInHeaders } from './transport/grpc-web-refusals.ts';
import { type HttpRequest, type HttpResponse, sendJson } from './transport/http-message.ts';
import { openPort, type TlsFiles, type Upgrades } from './transport/port.ts';
import { renewCertificate, serverCertificate } from './transport/server-certificate.ts';

export interface ServerOptions {
  /** Of the cluster in which the control plane keeps its state. */
  readonly client: Client;
  /** Namespace of the control plane; it must exist. `argocd` if absent. */
  readonly namespace?: string;
  /** Which Events are written about what users do, as ARGOCD_ENABLE_K8S_EVENT; all if absent. */
  readonly enabledEvents?: string | undefined;
  /** Other namespaces that may hold Applications, as ARGOCD_APPLICATION_NAMESPACES; `application.namespaces` of argocd-cmd-params-cm if absent. */
  readonly applicationNamespaces?: string | undefined;
  readonly backend: Backend;
  /** The Applications as this process follows them anyway; followed anew if absent. */
  readonly applications?: ApplicationInformer | undefined;
  /** Evaluates the generators of ApplicationSets; what needs that is refused without it. */
  readonly applicationSets?: ApplicationSetBackend;
  /** The events of this process; undefined where another one runs them. */
  readonly eventWays?: EventsAccess | undefined;
  /** Argo Workflows' API for the page; what needs it is refused without it. */
  readonly workflows?: WorkflowsAccess | undefined;
  /** Read by the API, and told of what users do; who may not be asked for it has none. */
  readonly history?: History | undefined;
  /** 0 picks a free port. */
  readonly port: number;
  /** `127.0.0.1` if absent. */
  readonly host?: string;
  readonly tls?: TlsFiles;
  /** Serves TLS with the certificate of the control plane where it has one, unless `server.insecure` says not to. */
  readonly ownCertificate?: boolean;
  /** Folder of the built web page; without it only the API is served. */
  readonly webDir?: string;
  /** Folder with scripts of UI extensions, which run on the page; none if absent. */
  readonly extensionsDir?: string | undefined;
  /** Folder with style sheets for `ui.cssurl`, served below `/custom`; none if absent. */
  readonly stylesDir?: string | undefined;
  /** Keys of argocd-cmd-params-cm that the process was told by other ways, which come first. */
  readonly fixed?: Partial<Record<ServedAsKey, string>>;
  /**
   * Whoever sends this token may do everything, and nobody else anything: for a server of one caller. Accounts and policies do not
   * count, and neither do the paths and the TLS of the installation's own server.
   */
  readonly soleToken?: string;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Version of Tiphys. */
  readonly version: string;
  readonly throttle?: ThrottleOptions;
  /** New passwords are hashed with two to the power of this rounds; 10 if absent, as Argo CD. */
  readonly passwordCost?: number;
  /** Base URL of Dex; absent: `server.dex.server` of argocd-cmd-params-cm, else `https://argocd-dex-server:5556`. */
  readonly dexServer?: string;
  readonly metrics?: ServerMetrics;
  /** Who this process is among its like, for the results of its checks; the host's name if absent. */
  readonly replica?: { readonly replica: string; readonly node: string };
  /** Milliseconds between two checks of all repositories; without it they are checked when somebody looks. */
  readonly repositoryCheckInterval?: number;
  /** Calls of one user that are let through at once, and in a second from then on; 2,000 and 200 where absent. */
  readonly callRates?: { readonly burst?: number; readonly perSecond?: number };
  /** What a connection may cost; the usual where absent. */
  readonly limits?: Partial<InboundLimits>;
}

export interface Server {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** What was started before it is found that the certificate cannot be used must not go on. */
function certificateOrStop(plane: ControlPlane, stop: AbortController): TlsFiles | undefined {
  try {
    return serverCertificate(plane);
  } catch (error) {
    stop.abort(error);
    throw error;
  }
}

/** Serves gRPC, gRPC-web, REST and the web page on one port; resolves when it listens. Creates what the control plane lacks. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { backend, clock = systemClock, version } = options;
  const client = options.client.as({ component: 'server', purpose: 'api' });
  const namespace = options.namespace ?? 'argocd';
  const log: Log = options.log ?? (() => undefined);
  const stop = new AbortController();
  const plane = new ControlPlane(client, namespace, clock);
  await plane.start(stop.signal);
  const passwords = new PasswordHashes(options.passwordCost);
  await initializeControlPlane(plane, passwords, clock);

  const { soleToken } = options;
  const fixed = soleToken === undefined ? options.fixed : servedToOne;
  const served = () => servedAs(fixed ?? {}, plane.configMap(names.configMaps.parameters));
  const own = options.ownCertificate && !served().insecure ? certificateOrStop(plane, stop) : undefined;
  const tls = options.tls ?? own;

  const projects = new Projects(plane, clock);
  const namespaceList = namespaceLists();
  const watched = {
    client,
    namespace,
    clock,
    permitted: () =>
      namespaceList(
        options.applicationNamespaces ?? plane.configMap(names.configMaps.parameters)['application.namespaces'],
      ),
    onError: (problem: Diagnosis) =>
      log('error', 'the applications of other namespaces cannot be read', { error: formatDiagnosis(problem) }),
  };
  const applications = new Applications({ ...watched, view: options.applications });
  const applicationSets = new ApplicationSets({ ...watched, backend: options.applicationSets });
  plane.subscribe(() => {
    for (const part of [applications, applicationSets])
      part.update().catch((error: unknown) => log('error', String(error)));
  });
  await Promise.all([projects.start(stop.signal), applications.start(stop.signal), applicationSets.start(stop.signal)]);
  const index = new ApplicationIndex((application) => rbacName(application, namespace));
  applications.subscribe(({ type, object }) => (type === 'deleted' ? index.delete(keyOf(object)) : index.set(object)));
  for (const application of applications.list()) index.set(application);
  const accounts = new Accounts(plane);
  const parameters = plane.configMap(names.configMaps.parameters);
  const dexServer =
    options.dexServer ??
    dexAddress(
      parameters['server.dex.server'] || 'argocd-dex-server:5556',
      parameters['server.dex.server.plaintext'] === 'true',
    );
  const sso = new SingleSignOn({ plane, clock, dexServer });
  const sessions = new Sessions({
    plane,
    accounts,
    passwords,
    clock,
    sso,
    throttle: new LoginThrottle(plane, clock, options.throttle),
    revocations: new Revocations(plane, clock),
    projectToken: (token) => projects.hasToken(token),
  });
  const events = new EventRecorder({
    client,
    clock,
    log,
    namespace,
    labels: ({ metadata, spec }) => {
      const project = (spec as { project?: string } | undefined)?.project || 'default';
      return eventLabels({ metadata }, projects.known(project), plane.configMap('argocd-cm'));
    },
    enabled: enabledEvents(options.enabledEvents),
    acted: (act) => options.history?.append(actRecord(act)),
  });
  const policies = new PolicyBook({
    config: () => plane.configMap('argocd-rbac-cm'),
    onRefused: (problem) => {
      log('error', formatDiagnosis(problem));
      void events.warn({ apiVersion: 'v1', kind: 'ConfigMap', name: 'argocd-rbac-cm' }, problem);
    },
  });
  const repositories = new Repositories(plane);
  const repositoryChecks = new RepositoryChecks({
    plane,
    repositories,
    backend,
    clock,
    log,
    ...(options.replica ?? { replica: hostname(), node: hostname() }),
    interval: options.repositoryCheckInterval ?? 0,
  });
  const context: ServerContext = {
    client,
    plane,
    namespace,
    backend,
    clock,
    log,
    version,
    accounts,
    passwords,
    sessions,
    sso,
    applications,
    index,
    applicationSets,
    eventWays: options.eventWays,
    workflows: options.workflows,
    history: options.history,
    projects,
    clusters: new Clusters(plane),
    repositories,
    repositoryChecks,
    events,
    enforcer: async () =>
      new Enforcer({
        policies: policies.current(),
        project: (name) => projects.roles(name),
        disabled: soleToken !== undefined || served().authDisabled,
      }),
    policies: () => policies.current(),
  };

  const report: Observe = ({ path, code, milliseconds, error }) =>
    log(code === 'OK' ? 'debug' : 'info', path, {
      code,
      milliseconds: Math.round(milliseconds),
      ...(error === undefined ? {} : { error: String(error) }),
    });
  const {
    served: methods,
    admit,
    observe,
  } = measured(options.metrics, {
    served: endpoints(allServices(context)),
    admit: admission(sessions, plane, {
      rates: new CallRates(clock, options.callRates),
      disabled: () => served().authDisabled,
      ...(soleToken === undefined ? {} : { soleToken }),
    }),
    observe: report,
  });
  const forTlsAlone = (request: HttpRequest) => secureCookies(plane.configMap('argocd-cm'), request, tls !== undefined);
  const gateway = new Gateway({
    endpoints: methods,
    admit,
    observe,
    config: () => plane.configMap('argocd-cm'),
    contentTypes: () => served().contentTypes,
    secureCookies: forTlsAlone,
  });
  const serveSignOn = signOnRoutes({
    context,
    log,
    admit,
    tls: tls !== undefined,
    page: () => (options.webDir ? served().baseHref : undefined),
    dexServer,
  });
  const webhooks = new WebhookEndpoint(context, options.metrics, stop.signal);
  const serveOwnApi = ownEndpoints(context);
  const terminals = new TerminalEndpoint(context, forTlsAlone);
  const scripts = options.extensionsDir ? new ExtensionScripts(options.extensionsDir, log) : undefined;
  const proxies = new ProxyEndpoint(context, {
    admit,
    enabled: () => served().proxyExtensions,
    metrics: options.metrics,
  });
  proxies.read();
  const settled = plane.subscribe(() => void proxies.read());
  stop.signal.addEventListener('abort', settled, { once: true });
  const tellAll = tellSettings({
    plane,
    log,
    more: () => signOnProblems(plane),
    warn: (name, problem) => void events.warn({ apiVersion: 'v1', kind: 'ConfigMap', name }, problem),
  });
  tellAll();
  stop.signal.addEventListener('abort', plane.subscribe(tellAll), { once: true });
  const failed = (error: unknown, response: HttpResponse) => {
    log('error', 'a request could not be answered', { error: String(error) });
    if (response.headersSent) response.end();
    else sendJson(response, 400, { error: 'bad request', code: 3, message: 'bad request' });
  };
  const rpc = grpcHandler(methods, admit, observe, (request, response) =>
    serveHttp(request as HttpRequest, response as HttpResponse).catch((error: unknown) =>
      failed(error, response as HttpResponse),
    ),
  );

  const serveHttp = async (request: HttpRequest, response: HttpResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0] as string;
    if (path === '/healthz') return await serveHealth(client, namespace, request, response);
    if (path === '/api/webhook') return await webhooks.serve(request, response);
    if (path === '/terminal') return await terminals.serve(request, response);
    if (path === '/api/badge') return serveBadge(context, request, response);
    const description = serveApiDescription(path, { request, response, version });
    if (description) return await description;
    const own = serveOwnApi({ path, request, response, admit });
    if (own) return await own;
    const signOn = serveSignOn(path, request, response);
    if (signOn) return await signOn;
    if (path.startsWith('/api/')) return await gateway.serve(request, response);
    if (path === '/extensions.js') return await serveScripts(scripts, request, response);
    const extension = proxies.serve(path, request, response);
    if (extension) return await extension;
    const styles = serveCustomStyles(options.stylesDir, path, request, response);
    if (styles) return await styles;
    const extended = ((await scripts?.text()) ?? '') !== '';
    return await serveWebFile(
      options.webDir,
      { ...served(), extended, styles: plane.configMap('argocd-cm')['ui.cssurl'] ?? '' },
      request,
      response,
    );
  };

  const withoutRoot = (url = '/') => {
    const { rootPath: root } = served();
    return root && url.startsWith(`/${root}/`) ? url.slice(root.length + 1) : url;
  };
  const isTerminal = ({ url, headers }: IncomingMessage) =>
    withoutRoot(url).split('?')[0] === '/terminal' && headers.upgrade?.toLowerCase() === 'websocket';
  const upgrades: Upgrades = {
    wants: (request) => isTerminal(request) || proxies.wantsSocket(withoutRoot(request.url), request.headers),
    serve: (request, socket, head) => {
      const owner = isTerminal(request) ? terminals : proxies;
      request.url = withoutRoot(request.url);
      owner.upgrade(request, socket, head).catch((error: unknown) => {
        log('error', 'a WebSocket could not be opened', { error: String(error) });
        socket.destroy();
      });
    },
  };

  const handler: RequestListener = (request, response) => {
    response.on('error', () => undefined);
    request.url = withoutRoot(request.url);
    if (request.headers['content-type']?.startsWith('application/grpc-web')) repeatRefusalInHeaders(response);
    try {
      rpc(request, response);
    } catch (error) {
      // a request that is not even one, such as HTTP/1.0 without a host
      failed(error, response);
    }
  };
  const port = await openPort({
    port: options.port,
    host: options.host ?? '127.0.0.1',
    tls,
    handler,
    upgrades,
    ...(options.limits ? { limits: options.limits } : {}),
  }).catch((error: unknown) => {
    stop.abort(error);
    throw error;
  });
  if (own) stop.signal.addEventListener('abort', renewCertificate(plane, own, port, log), { once: true });
  void repositoryChecks.run(stop.signal);
  const host = options.host ?? '127.0.0.1';
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port.port}`,
    port: port.port,
    async close() {
      stop.abort(new Error('the server is closing'));
      proxies.close();
      await port.close();
    },
  };
}
