import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { ServerContext, User } from '@tiphys/apimachinery';
import type { ApiService } from '@tiphys/kinds';
import { serviceAddress } from '../admission/service-address.ts';
import { connectionFailure } from '../admission/webhook-failure.ts';
import type { Joined } from '../http/upgrade.ts';

/** The key and certificate by which this server is known to those behind it. */
export interface FrontProxy {
  readonly key: string;
  readonly cert: string;
}

export interface RemoteRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly user: User;
  /** Its bytes; none when absent. */
  readonly body?: NodeJS.ReadableStream;
  readonly signal?: AbortSignal;
  /** Called in place of an answer when the connection becomes something else than HTTP. */
  readonly upgraded?: (joined: Joined) => void;
}

/** The address could not be found out: there is no service, port or endpoint. */
export class UnresolvedService extends Error {}

/** No answer; the message is in Go's words. */
export class RemoteFailure extends Error {}

/** Headers by which a server behind this one is told who asks. */
export function identityHeaders({ name, uid, groups, extra = {} }: User): Record<string, string | string[]> {
  const more = Object.entries(extra).map(([key, values]) => [`x-remote-extra-${encodeURIComponent(key)}`, values]);
  return {
    'x-remote-user': name,
    ...(uid ? { 'x-remote-uid': uid } : {}),
    'x-remote-group': [...groups],
    ...(Object.fromEntries(more) as Record<string, string[]>),
  };
}

/** Where the service of an APIService is reached. */
export function addressOf(server: ServerContext, { spec }: ApiService): { host: string; port: number } {
  const target = serviceAddress(server, spec.service ?? {});
  if ('problem' in target) throw new UnresolvedService(target.problem);
  return target;
}

/** Asks the server behind an APIService on behalf of a user; resolves with the head of its answer. */
export function askRemote(
  server: ServerContext,
  apiService: ApiService,
  frontProxy: FrontProxy,
  asked: RemoteRequest,
): Promise<IncomingMessage> {
  const { spec } = apiService;
  const { host, port } = addressOf(server, apiService);
  const serverName = `${spec.service?.name}.${spec.service?.namespace}.svc`;
  const ca = spec.caBundle ? Buffer.from(spec.caBundle, 'base64').toString() : undefined;
  return new Promise((resolve, reject) => {
    let certificate: PeerCertificate | undefined;
    const request = httpsRequest({
      method: asked.method,
      host,
      port,
      path: asked.path,
      servername: serverName,
      rejectUnauthorized: spec.insecureSkipTLSVerify !== true,
      key: frontProxy.key,
      cert: frontProxy.cert,
      ...(ca === undefined ? {} : { ca }),
      agent: false,
      headers: { ...asked.headers, host: `${host}:${port}`, ...identityHeaders(asked.user) },
      ...(asked.signal ? { signal: asked.signal } : {}),
    });
    request.on('socket', (socket) => {
      const tls = socket as TLSSocket;
      tls.on('secureConnect', () => {
        certificate = tls.getPeerCertificate();
      });
    });
    request.once('response', resolve);
    const { upgraded } = asked;
    if (upgraded) request.once('upgrade', (head, socket, first) => upgraded({ head, socket, first }));
    request.on('error', (error: NodeJS.ErrnoException) => {
      const failed = {
        address: `${host}:${port}`,
        serverName,
        certificate: certificate ?? (error as { cert?: PeerCertificate }).cert,
        authorities: [],
        now: server.clock.now(),
      };
      reject(new RemoteFailure(connectionFailure(error, failed), { cause: error }));
    });
    if (asked.body) asked.body.pipe(request);
    else request.end();
  });
}
