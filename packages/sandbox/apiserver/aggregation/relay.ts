import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { ServerContext, User } from '@tiphys/apimachinery';
import { type ApiService, isAvailable } from '@tiphys/kinds';
import { headOf, join } from '../http/upgrade.ts';
import { askRemote, type FrontProxy, RemoteFailure, UnresolvedService } from './remote-server.ts';

/** Headers that end at each server. */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade authorization host'.split(
    ' ',
  ),
);

/** Answers a request by the server behind an APIService, as that user. */
export async function relay(
  server: ServerContext,
  apiService: ApiService,
  asked: { request: IncomingMessage; response: ServerResponse; user: User; frontProxy: FrontProxy },
): Promise<void> {
  const { request, response, user, frontProxy } = asked;
  if (!isAvailable(apiService)) return refuse(response, 'service unavailable');
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const upgrade = headOf(request) !== undefined;
  const { connection, upgrade: protocol } = request.headers;
  let answer: IncomingMessage | undefined;
  try {
    const joined = new Promise<undefined>((resolve) => response.once('close', () => resolve(undefined)));
    const asking = askRemote(server, apiService, frontProxy, {
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: {
        ...forwarded(request),
        'x-forwarded-for': request.socket.remoteAddress ?? '',
        ...(upgrade ? { connection, upgrade: protocol } : {}),
      },
      user,
      ...(upgrade ? { upgraded: (to) => join(request, response, to) } : { body: request, signal: gone.signal }),
    });
    answer = await (upgrade ? Promise.race([asking, joined]) : asking);
  } catch (error) {
    if (error instanceof UnresolvedService) return refuse(response, 'service unavailable');
    if (!(error instanceof RemoteFailure)) throw error;
    return refuse(response, error.message);
  }
  if (!answer) return;
  response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
  response.flushHeaders();
  answer.on('error', () => response.destroy());
  answer.pipe(response);
  await new Promise((resolve) => response.once('close', resolve));
}

/** Headers that are for who is behind a server that relays them. */
export function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[] | undefined> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

function forwarded({ headers }: IncomingMessage): Record<string, string | string[] | undefined> {
  return Object.fromEntries(
    Object.entries(endToEnd(headers)).filter(
      ([name]) => !name.startsWith('x-remote-') && !name.startsWith('impersonate-'),
    ),
  );
}

function refuse(response: ServerResponse, why: string): void {
  const body = `${why}\n`;
  response.writeHead(503, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
