import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { formatDiagnosis } from '@tiphys/diagnosis';
import type { ServerMetrics } from '@tiphys/metrics';
import type { ServerContext } from '../context/server-context.ts';
import type { Admit } from '../rpc/grpc.ts';
import { Code, httpStatusOf, permissionDenied, RpcError, rpcErrorOf } from '../rpc/rpc-error.ts';
import { isForeignOrigin } from '../transport/foreign-origin.ts';
import type { HttpRequest, HttpResponse } from '../transport/http-message.ts';
import { sendPlain } from '../transport/plain-text.ts';
import { Backends, forwardedHeaders } from './forward.ts';
import { type ProxyExtension, type ProxyService, readProxyExtensions } from './proxy-settings.ts';
import { proxyTarget, serviceFor } from './proxy-target.ts';
import { joinWebSocket, refuseUpgrade, withNames } from './websocket.ts';

interface ProxyOptions {
  readonly admit: Admit;
  /** `server.enable.proxy.extension` */
  readonly enabled: () => boolean;
  readonly metrics: ServerMetrics | undefined;
}

interface Asked {
  readonly url: string;
  /** Headers that a browser cannot send with a WebSocket. */
  readonly names?: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
}

interface Known {
  /** Of the settings that it was read from. */
  readonly text: string;
  readonly extensions: ReadonlyMap<string, { extension: ProxyExtension; backends: Backends }>;
}

/** `/extensions/NAME/…`: hands requests of UI extensions on to the backends that argocd-cm names, for who may see the application and invoke the extension. */
export class ProxyEndpoint {
  readonly #context: ServerContext;
  readonly #options: ProxyOptions;
  #known: Known = { text: '', extensions: new Map() };

  constructor(context: ServerContext, options: ProxyOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Undefined for paths of others. */
  serve(path: string, request: HttpRequest, response: HttpResponse): Promise<void> | undefined {
    if (!path.startsWith('/extensions/')) return undefined;
    return this.#serve(path.split('/')[2] ?? '', request, response).catch((error: unknown) => {
      const { code, message } = rpcErrorOf(error);
      sendPlain(response, httpStatusOf(code), message);
    });
  }

  /** Reads the settings where they have changed; what cannot be used is told to the log once. */
  read(): Known['extensions'] {
    const config = this.#context.plane.configMap('argocd-cm');
    const own = Object.entries(config).filter(([key]) => key.startsWith('extension.config'));
    const text = JSON.stringify(own);
    if (text === this.#known.text) return this.#known.extensions;
    const { extensions, problems } = readProxyExtensions(Object.fromEntries(own));
    for (const problem of problems) this.#context.log('error', formatDiagnosis(problem));
    const opened = [...extensions].map(
      ([name, extension]) => [name, { extension, backends: new Backends(extension) }] as const,
    );
    this.#known = { text, extensions: new Map(opened) };
    return this.#known.extensions;
  }

  close(): void {
    for (const { backends } of this.#known.extensions.values()) backends.close();
  }

  /** Whether a request asks for a WebSocket to a backend. */
  wantsSocket(path: string, { upgrade }: IncomingHttpHeaders): boolean {
    return path.startsWith('/extensions/') && upgrade?.toLowerCase() === 'websocket';
  }

  /** Takes over the connection of a request for a WebSocket. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const abort = new AbortController();
    const gone = () => abort.abort();
    socket.once('close', gone);
    const name = (request.url ?? '').split('?')[0]?.split('/')[2] ?? '';
    try {
      // a browser sends the cookies of its user with a WebSocket of any page
      if (isForeignOrigin(request, this.#context.plane.configMap('argocd-cm')))
        throw permissionDenied(`a page of ${request.headers.origin} may open no WebSocket here`);
      const { names, url } = withNames(request.url ?? '');
      const { backends, service, headers, path } = await this.#admitted(name, request, {
        url,
        names,
        signal: abort.signal,
      });
      if (socket.destroyed) return;
      joinWebSocket({ request, socket, head, path, service, headers, timeout: backends.connectionTimeout });
    } catch (error) {
      const { code, message } = rpcErrorOf(error);
      refuseUpgrade(request, socket, httpStatusOf(code), message);
    } finally {
      socket.off('close', gone);
    }
  }

  async #serve(name: string, request: HttpRequest, response: HttpResponse): Promise<void> {
    const { clock } = this.#context;
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    const asked = { url: request.url ?? '', signal: abort.signal };
    const { backends, service, headers, path, begun } = await this.#admitted(name, request, asked);
    await backends.forward({ request, response, path }, service, headers);
    this.#options.metrics?.extensionRequest(name, response.statusCode, (clock.now() - begun) / 1000);
  }

  /** Where a request goes, and with which headers; throws unless its caller may. */
  async #admitted(name: string, request: HttpRequest, { url, names, signal }: Asked) {
    const { admit, enabled } = this.#options;
    const header = (key: string) => {
      const value = request.headers[key] ?? names?.get(key);
      return Array.isArray(value) ? value[0] : value;
    };
    const call = await admit({ path: '/extensions', header, signal });
    if (!enabled())
      throw new RpcError(
        Code.NotFound,
        'Proxy extensions are off: set server.enable.proxy.extension to "true" in argocd-cmd-params-cm',
      );
    const target = await proxyTarget(this.#context, call, name);
    const known = this.read().get(name);
    if (!known) throw new RpcError(Code.NotFound, `argocd-cm has no extension ${name} that can be used`);
    const service = serviceFor(known.extension, target.destination);
    if (!service)
      throw new RpcError(Code.InvalidArgument, `the extension ${name} has no service for the application's cluster`);
    const headers = forwardedHeaders(request, target, this.#headers(service));
    const { log, clock } = this.#context;
    const begun = clock.now();
    const inside = url.slice(`/extensions/${name}`.length);
    const path = inside.startsWith('/') ? inside : `/${inside}`;
    log('info', 'a proxy extension is called', { extension: name, user: call.identity?.subject, path });
    return { backends: known.backends, service, headers, path, begun };
  }

  /** The headers of a service, with the values of Secrets. */
  #headers({ headers }: ProxyService): Record<string, string> {
    return Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), this.#value(name, value)]));
  }

  #value(header: string, text: string): string {
    if (!text.startsWith('$')) return text;
    const [secret, key] = text.includes(':') ? text.slice(1).split(':', 2) : ['argocd-secret', text.slice(1)];
    const value = this.#context.plane.referencedSecret(secret ?? '')?.[key ?? ''];
    if (value !== undefined) return value.trim();
    throw new RpcError(
      Code.FailedPrecondition,
      `The header ${header} of the extension is key ${key} of Secret ${secret}, which is not there; another Secret than argocd-secret needs the label app.kubernetes.io/part-of: argocd`,
    );
  }
}
