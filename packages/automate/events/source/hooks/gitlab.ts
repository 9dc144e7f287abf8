import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import { eventData, type Metadata, RawJson } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import { allPages, HookApi, hookUrl } from './hook-api.ts';
import { jsonBody } from './webhook.ts';
import {
  type Hook,
  SenderRefused,
  sameSecret,
  serveWebhook,
  type WebhookSpec,
  webhookProblem,
} from './webhook-route.ts';

export interface GitlabSpec {
  readonly webhook?: WebhookSpec;
  readonly events?: readonly string[];
  readonly projectID?: string;
  readonly projects?: readonly string[];
  readonly groups?: readonly string[];
  readonly accessToken?: KeySelector;
  readonly secretToken?: KeySelector;
  readonly enableSSLVerification?: boolean;
  readonly gitlabBaseURL?: string;
  readonly deleteHookOnFinish?: boolean;
  readonly metadata?: Metadata;
}

export function gitlabProblem({ events, gitlabBaseURL, webhook, accessToken }: GitlabSpec): SpecProblem | undefined {
  if (accessToken && !events?.length) return missing('events', "events can't be empty", '["PushEvents"]');
  if (!gitlabBaseURL) return missing('gitlabBaseURL', "gitlab base url can't be empty", 'https://gitlab.com');
  return within('webhook', webhookProblem(webhook));
}

/** Hears of GitLab's hooks, which are registered where the spec has a token. */
export const listen: Listen<GitlabSpec> = (context, ready) => {
  const { spec, keys } = context;
  const receive = async ({ request, headers, body }: Hook) => {
    if (spec.secretToken) {
      const given = String(request.headers['x-gitlab-token'] ?? '');
      if (!sameSecret(given, (await keys.secret(spec.secretToken)).trim()))
        throw new SenderRefused('token mismatch', 'X-Gitlab-Token');
    }
    return { events: [eventData({ headers, body: new RawJson(jsonBody(body)) }, spec.metadata)] };
  };
  return serveWebhook(context, spec.webhook ?? {}, receive, ready, async () => {
    if (!spec.accessToken || !spec.webhook?.url) return undefined;
    const token = (await keys.secret(spec.accessToken)).trim();
    const api = new HookApi(`${(spec.gitlabBaseURL ?? '').replace(/\/$/, '')}/api/v4`, [['PRIVATE-TOKEN', token]]);
    const made: string[] = [];
    for (const path of paths(spec)) made.push(await register(context, api, path));
    return async () => {
      if (spec.deleteHookOnFinish) for (const path of made) await api.call('DELETE', path);
    };
  });
};

function paths({ projects, projectID, groups = [] }: GitlabSpec): string[] {
  const all = projects?.length ? projects : projectID ? [projectID] : [];
  return [
    ...all.map((project) => `/projects/${encodeURIComponent(project)}/hooks`),
    ...groups.map((group) => `/groups/${encodeURIComponent(group)}/hooks`),
  ];
}

async function register({ spec, keys }: SourceContext<GitlabSpec>, api: HookApi, path: string): Promise<string> {
  const url = hookUrl(spec.webhook ?? {});
  const wanted = (spec.events ?? []).map((event) => event.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase());
  const hook = {
    url,
    enable_ssl_verification: spec.enableSSLVerification ?? false,
    push_events: false,
    ...(spec.secretToken ? { token: (await keys.secret(spec.secretToken)).trim() } : {}),
    ...Object.fromEntries(wanted.map((event) => [event, true])),
  };
  const known = await allPages((page) =>
    api.call<{ id: number; url: string }[]>('GET', `${path}?per_page=100&page=${page}`),
  );
  const same = known.find((one) => one.url === url);
  const { id } = same
    ? await api.call<{ id: number }>('PUT', `${path}/${same.id}`, hook)
    : await api.call<{ id: number }>('POST', path, hook);
  return `${path}/${id}`;
}
