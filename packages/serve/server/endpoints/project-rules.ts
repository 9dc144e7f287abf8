import { windowOpenings, windowProblem } from '@tiphys/applications';
import type { ServerContext } from '../context/server-context.ts';
import { type RulingQuestions, rulingsOf } from '../projects/rulings.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const path = /^\/api\/tiphys\/v1\/projects\/([a-z0-9][a-z0-9.-]{0,252})\/(rulings|windows)$/;
const day = 86_400_000;
/** Days that are looked ahead, and openings of one window that are told. */
const most = { days: 35, openings: 200 };

/**
 * What the rules of a project come to; undefined for other paths. Both need `projects, get` of it.
 * - `GET /api/tiphys/v1/projects/NAME/rulings?repository=…&server=…&cluster=…&namespace=…&group=…&kind=…&scope=cluster&application=…&role=…&action=…`:
 *   for each question that the parameters make, whether it is allowed, and the rule that decides. Rules of global projects count.
 * - `GET …/windows?days=7`: when each sync window is open from now on (`from` and `to` in milliseconds), or what is wrong with it.
 */
export function serveProjectRules(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const [, name, what] = path.exec(asked.path) ?? [];
  if (name === undefined) return undefined;
  return serveOwn(asked, '/project.ProjectService/Get', async (call) => {
    const project = await readable(context, call, name);
    const query = parseUrlQuery(asked.request.url);
    const now = context.clock.now();
    if (what === 'windows') {
      const to = now + daysOf(query) * day;
      return {
        items: (project.spec.syncWindows ?? []).map((window) => {
          const problem = windowProblem(window);
          if (problem !== undefined) return { window, problem, openings: [] };
          return { window, openings: windowOpenings(window, { from: now, to, most: most.openings }) };
        }),
      };
    }
    return { items: rulingsOf(project, questionsOf(query), { policies: context.policies(), now }) };
  });
}

async function readable(context: ServerContext, call: Call, name: string) {
  (await context.enforcer()).enforce(call.identity, 'projects', 'get', name);
  return context.projects.effective(await context.projects.get(name));
}

function daysOf(query: URLSearchParams): number {
  const text = query.get('days') ?? '7';
  const days = Number(text);
  if (!/^\d{1,3}$/.test(text) || days < 1 || days > most.days)
    throw invalidArgument(`days is "${text}"; it can be a whole number from 1 to ${most.days}`);
  return days;
}

function questionsOf(query: URLSearchParams): RulingQuestions {
  const of = (name: string) => (query.get(name) ?? '').slice(0, 2048);
  return {
    repository: of('repository'),
    server: of('server'),
    cluster: of('cluster'),
    namespace: of('namespace'),
    group: of('group'),
    kind: of('kind'),
    namespaced: of('scope') !== 'cluster',
    application: of('application'),
    role: of('role'),
    action: of('action'),
  };
}
