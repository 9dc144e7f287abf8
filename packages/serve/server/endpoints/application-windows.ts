import { isActive, syncBlock, windowOpenings, windowProblem, windowsOf } from '@tiphys/applications';
import { accessApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const path = /^\/api\/tiphys\/v1\/applications\/([a-z0-9.-]+)\/windows$/;
const week = 7 * 86_400_000;
/** Openings of one window that are told. */
const most = 200;

/**
 * `GET /api/tiphys/v1/applications/NAME/windows?appNamespace=…&project=…`: the sync windows that speak of an application, each with
 * its openings in the week ahead (`from` and `to` in milliseconds), and whether syncs may happen now, those that a person asks for and
 * those that happen by themselves: `until` when they may, if that can be told. Needs `applications, get`. Undefined for other paths.
 */
export function serveApplicationWindows(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const name = path.exec(asked.path)?.[1];
  if (name === undefined) return undefined;
  return serveOwn(asked, '/application.ApplicationService/GetApplicationSyncWindows', async (call) => {
    const query = parseUrlQuery(asked.request.url);
    const { app, project } = await accessApplication(context, call, 'get', {
      name,
      appNamespace: query.get('appNamespace') ?? undefined,
      project: query.get('project') ?? undefined,
    });
    const now = context.clock.now();
    const mayHappen = (manual: boolean) => {
      const block = syncBlock(project, app, now, { manual });
      return { allowed: !block, ...(block?.until === undefined ? {} : { until: block.until }) };
    };
    return {
      items: windowsOf(project, app).map((window) => {
        const problem = windowProblem(window);
        if (problem !== undefined) return { window, problem, active: false, openings: [] };
        const openings = windowOpenings(window, { from: now, to: now + week, most });
        return { window, active: isActive(window, now), openings };
      }),
      manual: mayHappen(true),
      automated: mayHappen(false),
    };
  });
}
