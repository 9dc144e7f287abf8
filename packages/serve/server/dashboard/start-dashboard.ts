import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, type Clock, systemClock } from '@tiphys/kubernetes';
import type { FamilyAccess } from '../context/family-access.ts';
import { serveRolloutService } from '../endpoints/families/rollout-service.ts';
import { serveRollouts } from '../endpoints/families/rollouts.ts';
import type { OwnRequest } from '../endpoints/own-api.ts';
import { serveWebFile } from '../http/web-files.ts';
import type { Log } from '../ports/log.ts';
import { isForeignOrigin } from '../transport/foreign-origin.ts';
import { type HttpRequest, type HttpResponse, sendJson } from '../transport/http-message.ts';
import { openPort } from '../transport/port.ts';
import { isLoopback, isOwnHost } from './own-host.ts';

export interface DashboardOptions {
  /** With the rights of who looks: nobody logs in. */
  readonly client: Client;
  readonly clock?: Clock;
  readonly version: string;
  readonly log?: Log;
  /** 0 picks a free port. */
  readonly port: number;
  /** A loopback address. */
  readonly host: string;
  /** Path of page and API, without slashes at its ends; empty for none. */
  readonly rootPath: string;
  /** Folder of the built web page; asked for when somebody looks. */
  readonly webDir: () => Promise<string>;
}

export interface Dashboard {
  /** Of the page. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const notLoopback = defineDiagnosis(
  'DashboardNotOnLoopback',
  'The dashboard of Rollouts was to listen on an address that others reach',
);

const page = { frameOptions: 'sameorigin', contentSecurityPolicy: '', only: 'rollouts' } as const;

/**
 * Serves Rollouts to anyone who reaches the port: the API of Argo Rollouts' dashboard and the page, as far as they are about Rollouts.
 * That is this machine alone: any other address is refused, as nobody logs in. Only requests by a loopback name are answered, as
 * names of others may lead here, and no other site's page may change anything. Resolves when it listens.
 */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { client, clock = systemClock, version, log = () => undefined, host, rootPath } = options;
  if (!isLoopback(host))
    throw failure(notLoopback, {
      message: `The dashboard has no login, and ${host} is reached from other machines`,
      place: { field: '--address' },
      remedies: [
        'Listen on 127.0.0.1, and lead others there by ssh -L or kubectl port-forward',
        'Or give them the page of `tiphys up --role server`, which knows who asks',
      ],
    });
  const everybody = { allows: () => true };
  const access: FamilyAccess = { client, clock, version, log, enforcer: async () => everybody };
  const baseHref = rootPath ? `/${rootPath}/` : '/';
  const serve = async (request: HttpRequest, response: HttpResponse): Promise<void> => {
    const refusal = refusalOf(request);
    if (refusal) return sendJson(response, 403, { error: refusal, code: 7, message: refusal });
    const target = below(request.url ?? '/', rootPath);
    if (target === undefined) return redirect(response, baseHref);
    request.url = target;
    const path = target.split('?', 1)[0] as string;
    const fixed = fixedAnswers(version).get(path);
    if (fixed) return sendJson(response, 200, fixed);
    const asked: OwnRequest = {
      ...{ path, request, response },
      admit: async ({ path: method, header, signal }) => ({
        ...{ method, header, signal },
        identity: undefined,
        token: undefined,
      }),
    };
    const answer = serveRolloutService(asked, access) ?? serveRollouts(asked, access);
    if (answer) return await answer;
    if (path.startsWith('/api/')) return sendJson(response, 404, { error: 'Not Found', code: 5, message: 'Not Found' });
    return await serveWebFile(await options.webDir(), { ...page, baseHref }, request, response);
  };
  const port = await openPort({
    port: options.port,
    host,
    handler: (request, response) => {
      response.on('error', () => undefined);
      serve(request, response).catch((error: unknown) => {
        log('error', 'a request could not be answered', { error: String(error) });
        if (response.headersSent) response.end();
        else sendJson(response, 500, { error: 'internal', code: 13, message: 'the request could not be answered' });
      });
    },
  });
  const shown = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${shown}:${port.port}${baseHref}`, port: port.port, close: () => port.close() };
}

function refusalOf(request: HttpRequest): string | undefined {
  const named = request.headers.host ?? String(request.headers[':authority'] ?? '');
  if (!isOwnHost(named)) return 'the dashboard is served under the name of this machine alone, such as localhost';
  const isChange = request.method !== 'GET' && request.method !== 'HEAD';
  if (isChange && isForeignOrigin(request, {})) return 'a page of another site sent the request';
  return undefined;
}

/** The target without the root path; undefined for one that is not below it. */
function below(target: string, rootPath: string): string | undefined {
  if (!rootPath) return target;
  const prefix = `/${rootPath}`;
  if (target.startsWith(`${prefix}/`)) return target.slice(prefix.length);
  return undefined;
}

function redirect(response: HttpResponse, to: string): void {
  response.statusCode = 302;
  response.setHeader('Location', to);
  response.end();
}

/** What the page asks beyond Rollouts: who looks, and how it is to look. */
function fixedAnswers(version: string): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ['/api/v1/session/userinfo', { loggedIn: true, username: 'kubeconfig', iss: 'kubeconfig' }],
    ['/api/v1/settings', {}],
    ['/api/version', { Version: `v${version}` }],
  ]);
}
