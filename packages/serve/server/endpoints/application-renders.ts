import { refOf } from '../applications/applications.ts';
import { accessApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const path = /^\/api\/tiphys\/v1\/applications\/([a-z0-9.-]+)\/renders$/;

/**
 * `GET /api/tiphys/v1/applications/NAME/renders?appNamespace=…&project=…`: how the manifests were made lately, newest first: whether
 * they were found again and where, by which digest of what they read, or what made a render necessary. Needs `applications, get`.
 * Undefined for other paths.
 */
export function serveApplicationRenders(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const name = path.exec(asked.path)?.[1];
  if (name === undefined) return undefined;
  return serveOwn(asked, '/application.ApplicationService/Get', async (call) => {
    const query = parseUrlQuery(asked.request.url);
    const appNamespace = query.get('appNamespace') ?? undefined;
    const project = query.get('project') ?? undefined;
    const { app } = await accessApplication(context, call, 'get', { name, appNamespace, project });
    return { items: await context.backend.renders(refOf(app), call.signal) };
  });
}
