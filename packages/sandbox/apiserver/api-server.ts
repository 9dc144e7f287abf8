import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AccessAttributes,
  type Authorizer,
  builtinEntries,
  converting,
  methodNotAllowed,
  noSuchResource,
  Registry,
  type Resource,
  type ServerContext,
  StatusError,
  TokenSigner,
  type User,
} from '@tiphys/apimachinery';
import type { InboundLimits } from '@tiphys/inbound';
import { requestUrl } from '@tiphys/inbound';
import { type ApiService, builtinResource } from '@tiphys/kinds';
import { type Clock, systemClock } from '@tiphys/kubernetes';
import { Store } from '@tiphys/store';
import { authenticate, ImpersonationError, impersonated, wantedGroups } from './access/authentication.ts';
import { allowedBy, attributesOf, authorize, storeAuthorizer } from './access/authorization.ts';
import type { Credentials } from './access/credentials.ts';
import { Aggregator } from './aggregation/aggregator.ts';
import { LocalServices } from './aggregation/local-services.ts';
import { relay } from './aggregation/relay.ts';
import { CustomResources } from './custom-resources/custom-resources.ts';
import { general } from './documents/general-requests.ts';
import { OpenApi } from './documents/openapi.ts';
import { type AnswerForm, formOfAnswer, send, sendBytes, sendText, statusOf } from './http/answer.ts';
import { readBody } from './http/body.ts';
import { Listener } from './http/listener.ts';
import { checkStream, checkTableOptions, negotiate, type Wanted } from './http/negotiate.ts';
import { rememberHead } from './http/upgrade.ts';
import { AuditLog, type AuditOptions, type AuditRecord } from './observe/audit.ts';
import { METRICS, RequestMetrics } from './observe/metrics.ts';
import { watch } from './read/watch.ts';
import { openSink } from './read/watch-sink.ts';
import { Faults } from './request/faults.ts';
import { Operation } from './request/operation.ts';
import { type RequestInfo, requestInfo } from './request/request-info.ts';
import { answerResource } from './resources/resource-requests.ts';
import { proxy } from './subresources/proxy.ts';
import { subresourceHandler } from './subresources/subresources.ts';
import { aggregateRoles } from './upkeep/aggregate-roles.ts';
import { bootstrap } from './upkeep/bootstrap.ts';
import { tellDanglingSchemas } from './upkeep/flow-schema-conditions.ts';
import { announce } from './upkeep/own-endpoints.ts';
import { keepServiceAddresses } from './upkeep/service-addresses.ts';

export interface ApiServerOptions {
  /** No audit log when absent. */
  readonly audit?: AuditOptions;
  /** In memory only when absent. */
  readonly dataDir?: string;
  /** 0, a free port, when absent. */
  readonly port?: number;
  /** 127.0.0.1 when absent. */
  readonly host?: string;
  readonly clock?: Clock;
  readonly credentials: Credentials;
  /** Whether controllers, and any nodes, run beside it. Both if absent; ComponentStatuses tell. */
  readonly controllers?: boolean;
  readonly nodes?: number;
  readonly limits?: Partial<InboundLimits>;
}

/** A Kubernetes API server over a `Store`. */
export class ApiServer implements ServerContext {
  readonly store: Store;
  readonly registry = new Registry(builtinEntries().map(builtinResource));
  readonly clock: Clock;
  readonly tokens: TokenSigner;
  readonly authorizer: Authorizer;
  readonly kubeletClient: Credentials['kubeletClient'];
  readonly components: ReadonlySet<string>;
  readonly #openapi = new OpenApi(this.registry);
  readonly #aggregator: Aggregator;
  readonly #listener: Listener;
  readonly #host: string;
  readonly #adminToken: string;
  readonly #closing = new AbortController();
  readonly #audit: AuditLog | undefined;
  #metrics = new RequestMetrics();
  readonly faults: Faults;

  constructor(options: ApiServerOptions) {
    const { credentials, dataDir, audit, host = '127.0.0.1', port = 0, clock = systemClock } = options;
    const { controllers = true, nodes = 1 } = options;
    this.components = new Set([...(controllers ? ['controller-manager'] : []), ...(nodes ? ['scheduler'] : [])]);
    this.clock = clock;
    this.#host = host;
    this.faults = new Faults(clock, this.#closing.signal);
    this.kubeletClient = credentials.kubeletClient;
    this.#adminToken = credentials.adminToken;
    this.#audit = audit && new AuditLog(audit, clock);
    this.tokens = new TokenSigner(credentials.tokenKey);
    this.store = new Store(dataDir === undefined ? {} : { dataDir });
    this.authorizer = storeAuthorizer(this.store);
    bootstrap(this, credentials);
    new CustomResources(this).load();
    new LocalServices(this).load();
    this.#aggregator = new Aggregator(this, credentials.frontProxy, this.#closing.signal, (name, documents) =>
      this.#openapi.aggregate(name, documents),
    );
    this.#aggregator.load();
    aggregateRoles(this);
    tellDanglingSchemas(this);
    keepServiceAddresses(this);
    this.#listener = new Listener({
      host,
      port,
      tls: credentials.tls,
      onRequest: (request, response) => {
        this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
      },
      mayUpgrade: ({ url = '' }) => {
        const [, group = '', version = ''] = /^\/apis\/([^/?]+)\/([^/?]+)/.exec(url) ?? [];
        return UPGRADABLE.test(url) || this.#aggregator.find(group, version) !== undefined;
      },
      onUpgrade: rememberHead,
      ...(options.limits ? { limits: options.limits } : {}),
    });
  }

  /** Starts listening; the result is the port. */
  async listen(): Promise<number> {
    await this.tokens.ready;
    const port = await this.#listener.listen();
    announce(this, this.#host, port);
    return port;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#listener.close();
    this.store.close();
    this.#audit?.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.faults.any && (await this.faults.meets(request, response))) return;
    const call: Call = { request, response, warnings: [] };
    try {
      const url = requestUrl(request);
      const info = requestInfo(request.method ?? 'GET', url.pathname, url.searchParams);
      this.#metrics.observe(request, response, this.#known(info));
      const user = this.#userOf(call, info);
      this.#authorize(call, user, attributesOf(info, url.searchParams));
      const remote = this.#aggregator.find(info.group, info.version) ?? this.#remoteDocument(url.pathname);
      if (remote) {
        const { frontProxy } = this.#aggregator;
        return await relay(this, remote, { request, response, user, frontProxy });
      }
      const served = this.registry.hasVersion(info.group, info.version);
      if (!served && info.version && this.registry.hasGroup(info.group)) throw noSuchResource();
      if (url.pathname === '/metrics') return this.#answerMetrics(request, response);
      if (!info.resourceRequest || !served) return await general(this, this.#openapi, request, response, info);
      const resource = this.#resource(info);
      if (info.verb === 'watch' && (request.method !== 'GET' || !resource.verbs.includes('watch')))
        throw noWatch(resource, call);
      if (info.subresource === 'proxy') return await proxy(this, info, request, response);
      if (!METHODS.has(request.method ?? '')) throw methodNotAllowed();
      const custom = resource.custom !== undefined;
      call.wanted = negotiate(request.headers.accept, {
        custom,
        list: !info.name,
        tables: resource.verbs.includes('list') && !ASKED.has(info.subresource),
      });
      if (info.verb === 'watch') checkStream(call.wanted, custom);
      checkTableOptions(call.wanted, url.searchParams);
      if (info.verb === 'watch' && !info.subresource)
        return await watch(
          this,
          resource,
          info,
          url.searchParams,
          call.wanted,
          () => openSink(request, response),
          this.#closing.signal,
          () => call.audit?.started(),
        );
      await this.#answer({ ...call, call, resource, info, query: url.searchParams, user, wanted: call.wanted });
    } catch (error) {
      if (error instanceof ImpersonationError)
        return sendText(response, 500, `Internal Server Error: ${JSON.stringify(request.url)}: ${error.message}\n`);
      const status = statusOf(error);
      call.audit?.failed(status);
      const answer = { code: status.code, body: JSON.stringify(status), warnings: call.warnings };
      if (response.headersSent) response.end();
      else send(response, answer, this.#errorForm(call, status.code));
    }
  }

  /** Whose server has the OpenAPI document of a path. */
  #remoteDocument(path: string): ApiService | undefined {
    const [, document] = /^\/openapi\/v3\/(.+)$/.exec(path) ?? [];
    const name = document === undefined ? undefined : this.#openapi.remoteOf(document);
    return name === undefined ? undefined : this.#aggregator.named(name);
  }

  async #answer(asked: {
    request: IncomingMessage;
    response: ServerResponse;
    call: Call;
    resource: Resource;
    info: RequestInfo;
    query: URLSearchParams;
    user: User;
    wanted: Wanted;
  }): Promise<void> {
    const { request, response, call, resource, info, query, user, wanted } = asked;
    const verbs = info.subresource ? resource.subresources.get(info.subresource)?.verbs : resource.verbs;
    const needsName = info.verb === 'update' || info.verb === 'patch';
    const refusesName = info.verb === 'create' && !info.subresource;
    if (!verbs?.includes(info.verb) || (info.name ? refusesName : needsName)) throw methodNotAllowed();
    const body = info.verb === 'get' || info.verb === 'list' ? undefined : await readBody(request);
    call.audit?.requested(body?.value);
    const contentType = request.headers['content-type'];
    const handle = subresourceHandler(resource, info) ?? answerResource;
    if (resource.deprecation) this.#metrics.deprecated(resource, info.subresource);
    const told = [...call.warnings, ...(resource.deprecation ? [resource.deprecation] : [])];
    const attempt = async () => {
      const operation = new Operation(this, resource, info, query, user, request.headers['user-agent'] ?? '');
      for (const text of told) operation.warn(text);
      call.warnings = operation.warnings;
      try {
        const answer = await handle({ operation, query, body, contentType, wanted, request, response });
        return answer && { ...answer, warnings: operation.warnings };
      } finally {
        for (const [key, value] of operation.annotations) call.audit?.annotate(key, value);
      }
    };
    const answer = await converting(attempt);
    if (!answer) return;
    // Nothing is shown that a kill could still take back.
    await this.store.durable();
    send(response, answer, { ...formOfAnswer(request, query), yaml: wanted.yaml });
  }

  /** A client that names no form that there is gets errors as people read them. */
  #errorForm({ request, response, wanted }: Call, code: number): AnswerForm {
    const { url, headers } = request;
    const form = formOfAnswer(request, new URL(url ?? '/', 'http://server').searchParams);
    // What was not read of a request cannot be told from the next one.
    if (code === 413) response.shouldKeepAlive = false;
    if (wanted) return { ...form, yaml: wanted.yaml };
    try {
      return { ...form, yaml: negotiate(headers.accept, { custom: false, list: true }).yaml };
    } catch {
      // what it would accept is not to be had, which is not what it is told
      return { ...form, pretty: true };
    }
  }

  /** What is counted of a request: one for what there is none of is as good as any other. */
  #known(info: RequestInfo): RequestInfo {
    const known = info.resourceRequest && this.registry.find(info.group, info.version, info.plural);
    const { subresource } = info;
    return { ...info, resourceRequest: !!known && (subresource === '' || known.subresources.has(subresource)) };
  }

  #answerMetrics(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'DELETE') {
      sendBytes(response, 200, METRICS, Buffer.from(this.#metricsText()));
      return;
    }
    this.#metrics = new RequestMetrics();
    sendBytes(response, 200, 'text/plain; charset=utf-8', Buffer.from('metrics reset\n'));
  }

  #metricsText(): string {
    const names = new Set([...this.registry.all()].map(({ collection }) => collection));
    return this.#metrics.text(
      [...names].map((name) => {
        const [group, plural] = name.includes('/') ? name.split('/') : ['', name];
        return [group ? `${plural}.${group}` : (plural ?? ''), this.store.collection(name).size];
      }),
    );
  }

  #authorize(call: Call, user: User, attributes: AccessAttributes): void {
    if (call.audit) {
      const reason = allowedBy(this.store, user, attributes);
      call.audit.annotate('authorization.k8s.io/decision', reason === undefined ? 'forbid' : 'allow');
      call.audit.annotate('authorization.k8s.io/reason', reason ?? '');
    }
    authorize(this.store, user, attributes);
  }

  /** Who asks; begins the record of the request, which names who that really is. */
  #userOf(call: Call, info: RequestInfo): User {
    const { request, response } = call;
    let user: User | undefined;
    try {
      const warn = (text: string) => void call.warnings.push(text);
      user = authenticate(request, { server: this, adminToken: this.#adminToken, warn });
    } finally {
      const record = this.#audit?.begin(request, response, info, user);
      if (record) call.audit = record;
    }
    const wanted = impersonated(request);
    if (!wanted) return user;
    const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(wanted.name);
    const base = { verb: 'impersonate', group: '', version: 'v1', subresource: '', namespace: '' };
    if (account)
      authorize(this.store, user, {
        ...base,
        resource: 'serviceaccounts',
        namespace: account[1] as string,
        name: account[2] as string,
      });
    else authorize(this.store, user, { ...base, resource: 'users', name: wanted.name });
    for (const name of wantedGroups(request)) authorize(this.store, user, { ...base, resource: 'groups', name });
    const identity = { ...base, group: 'authentication.k8s.io', version: 'v1' };
    if (wanted.uid !== undefined) authorize(this.store, user, { ...identity, resource: 'uids', name: wanted.uid });
    for (const [subresource, values] of Object.entries(wanted.extra ?? {}))
      for (const name of values)
        authorize(this.store, user, { ...identity, resource: 'userextras', subresource, name });
    call.audit?.impersonate(wanted);
    return wanted;
  }

  #resource(info: RequestInfo): Resource {
    const resource = this.registry.find(info.group, info.version, info.plural);
    if (!resource) throw noSuchResource();
    if (info.subresource && !resource.subresources.has(info.subresource)) throw noSuchResource();
    if (!resource.namespaced && info.namespace && info.plural !== 'namespaces') throw noSuchResource();
    if (resource.namespaced && !info.namespace && info.name) throw noSuchResource();
    return resource;
  }
}

/** What can be listed and not watched says so. */
function noWatch({ verbs, plural, deprecation }: Resource, call: Call): StatusError {
  if (call.request.method !== 'GET' || !verbs.includes('list')) return methodNotAllowed();
  if (deprecation) call.warnings.push(deprecation);
  const message = `watch is not supported on resources of kind ${JSON.stringify(plural)}`;
  return new StatusError(405, 'MethodNotAllowed', message, { kind: plural });
}

/** Streams of pods, proxies, and watches, which may be WebSockets; servers behind this one decide for themselves. */
const UPGRADABLE =
  /\/pods\/[^/]+\/(exec|attach|portforward)(\?|$)|\/(pods|services|nodes)\/[^/]+\/proxy(\/|\?|$)|[?&]watch=(1|true)(&|$)|\/watch\//;

/** Subresources of which nothing is kept, so that no table shows it. */
const ASKED = new Set(['binding', 'eviction', 'token']);

/** Methods of resources. */
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** A request on its way through the server. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  audit?: AuditRecord;
  wanted?: Wanted;
  /** What its answer warns of, even if it fails. */
  warnings: string[];
}
