import type { ServerContext } from '../../context/server-context.ts';
import { BodyBudget } from '../../http/body-budget.ts';
import { httpStatusOf, invalidArgument, permissionDenied, rpcErrorOf } from '../../rpc/rpc-error.ts';
import { type AttemptRequest, attemptNotification } from '../../services/notifications/attempt.ts';
import { notificationOverview } from '../../services/notifications/overview.ts';
import { isForeignOrigin } from '../../transport/foreign-origin.ts';
import { sendJson } from '../../transport/http-message.ts';
import { type OwnRequest, serveOwn } from '../own-api.ts';

const bodies = new BodyBudget(1 << 20);
/** Bytes of one request. */
const largest = 16 << 10;

/**
 * `GET /api/tiphys/v1/notifications`: who is told what, what was told, and what waits. `POST …/notifications/try`: evaluates a trigger,
 * renders a template or sends it, for one object of a kind. Undefined for other paths.
 */
export function serveNotifications(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (asked.path === '/api/tiphys/v1/notifications')
    return serveOwn(asked, '/notification.NotificationService/ListTriggers', (call) =>
      notificationOverview(context, call),
    );
  return asked.path === '/api/tiphys/v1/notifications/try' ? serveAttempt(asked, context) : undefined;
}

async function serveAttempt({ request, response, admit }: OwnRequest, context: ServerContext): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  try {
    if (request.method !== 'POST') return sendJson(response, 405, { error: 'Method Not Allowed', code: 12 });
    if (isForeignOrigin(request, context.plane.configMap('argocd-cm'))) throw permissionDenied();
    const header = (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    if (!header('content-type')?.startsWith('application/json')) throw invalidArgument('the body has to be JSON');
    const call = await admit({ path: '/application.ApplicationService/Get', header, signal: abort.signal });
    const body = await bodies.read(request, largest);
    sendJson(response, 200, await attemptNotification(context, call, parsed(body)));
  } catch (error) {
    const { code, message } = rpcErrorOf(error);
    sendJson(response, httpStatusOf(code), { error: message, code, message });
  }
}

function parsed(body: Buffer | undefined): AttemptRequest {
  try {
    const found: unknown = JSON.parse(body?.toString('utf8') ?? '');
    if (found !== null && typeof found === 'object') return found;
  } catch {
    // told below
  }
  throw invalidArgument('the body is no JSON object');
}
