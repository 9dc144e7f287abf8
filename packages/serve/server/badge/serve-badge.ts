import type { Application } from '@tiphys/api';
import { requestUrl } from '@tiphys/inbound';
import type { ServerContext } from '../context/server-context.ts';
import { type HttpRequest, type HttpResponse, isGone } from '../transport/http-message.ts';
import { badgeSvg } from './badge-svg.ts';

const labelPattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const namePattern = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * Answers `/api/badge`: health and sync status of an application (`name`, `namespace`) or of projects (`project`), for pages that
 * are open to all. While `statusbadge.enabled` is not true it says Unknown to every question.
 */
export function serveBadge(context: ServerContext, request: HttpRequest, response: HttpResponse): void {
  const query = requestUrl(request).searchParams;
  const svg = badgeOf(context, query);
  if (isGone(response)) return;
  if (svg === undefined) {
    response.statusCode = 400;
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'image/svg+xml');
  response.setHeader('Cache-Control', 'private, no-store');
  response.setHeader('Access-Control-Allow-Origin', '*');
  // a picture runs nothing, also for somebody who opens it by its address
  response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(svg);
}

/** Undefined for names that cannot be. */
function badgeOf({ applications, plane, namespace: own }: ServerContext, query: URLSearchParams): string | undefined {
  const enabled = plane.configMap('argocd-cm')['statusbadge.enabled'] === 'true';
  const unknown = { health: 'Unknown', sync: 'Unknown' };
  if (!enabled) return badgeSvg(unknown);
  const namespace = query.get('namespace') ?? own;
  const name = query.get('name');
  const projects = query.getAll('project');
  const invalid =
    !labelPattern.test(namespace) ||
    (name !== null && !namePattern.test(name)) ||
    projects.some((project) => project !== '' && !labelPattern.test(project.toLowerCase()));
  if (invalid) return undefined;

  const application = name === null ? undefined : applications.known({ namespace, name });
  const isPermitted = namespace === own || applications.permits(namespace);
  if (!isPermitted || (name !== null && !application)) return badgeSvg({ health: 'Not Found', sync: '' }, unknown);
  let status = application ? statusOf(application) : unknown;
  if (projects.length > 0) {
    const inNamespace = applications.list().filter(({ metadata }) => metadata.namespace === namespace);
    status = statusOfProjects(inNamespace, projects, status);
  }
  const isOn = (flag: string) => query.get(flag)?.toLowerCase() === 'true';
  const full = application ? revisionOf(application) : '';
  const revision = isOn('revision') && full ? (isOn('keepFullRevision') ? full : full.slice(0, 7)) : undefined;
  const width = /^[+-]?\d{1,6}$/.test(query.get('width') ?? '') ? Number(query.get('width')) : undefined;
  return badgeSvg({
    ...status,
    ...(revision === undefined ? {} : { revision }),
    ...(application && isOn('showAppName') ? { title: name ?? '' } : {}),
    ...(width === undefined ? {} : { width }),
  });
}

function statusOf({ status }: Application): { health: string; sync: string } {
  return { health: status?.health?.status ?? '', sync: status?.sync?.status ?? '' };
}

/** Upstream's rule: one that is not well makes all unwell. */
function statusOfProjects(
  all: readonly Application[],
  projects: readonly string[],
  before: { health: string; sync: string },
): { health: string; sync: string } {
  const members = all.filter(({ spec }) => projects.includes(spec.project || 'default'));
  if (members.length === 0) return before;
  const statuses = members.map(statusOf);
  return {
    health:
      statuses.every(({ health }) => health === 'Healthy') && before.health !== 'Degraded' ? 'Healthy' : 'Degraded',
    sync: statuses.every(({ sync }) => sync === 'Synced') && before.sync !== 'OutOfSync' ? 'Synced' : 'OutOfSync',
  };
}

function revisionOf({ status }: Application): string {
  const result = status?.operationState?.syncResult;
  return result?.revisions?.[0] ?? result?.revision ?? '';
}
