import type { BasicAuth } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import { eventData, type Metadata, RawJson } from '../event-data.ts';
import type { Listen } from '../source.ts';
import { basicHeader, HookApi, hookUrl } from './hook-api.ts';
import { jsonBody } from './webhook.ts';
import { type Hook, serveWebhook, type WebhookSpec, webhookProblem } from './webhook-route.ts';

export interface GerritSpec {
  readonly webhook?: WebhookSpec;
  readonly hookName?: string;
  readonly events?: readonly string[];
  readonly auth?: BasicAuth;
  readonly gerritBaseURL?: string;
  readonly projects?: readonly string[];
  readonly sslVerify?: boolean;
  readonly maxTries?: number;
  readonly deleteHookOnFinish?: boolean;
  readonly metadata?: Metadata;
}

export function gerritProblem({ projects, events, gerritBaseURL, auth, webhook }: GerritSpec): SpecProblem | undefined {
  if (!projects?.length) return missing('projects', 'projects cannot be empty');
  if (!events?.length) return missing('events', "events can't be empty", '["ref-updated"]');
  if (!gerritBaseURL) return missing('gerritBaseURL', "gerrit base url can't be empty");
  if (auth && !(auth.username && auth.password))
    return missing(auth.username ? 'auth.password' : 'auth.username', "username and password can't be empty");
  return within('webhook', webhookProblem(webhook));
}

/** Hears of Gerrit's hooks, which are registered where the spec has credentials. */
export const listen: Listen<GerritSpec> = (context, ready) => {
  const { spec, keys } = context;
  const receive = async ({ headers, body }: Hook) => ({
    events: [eventData({ headers, body: new RawJson(jsonBody(body)) }, spec.metadata)],
  });
  return serveWebhook(context, spec.webhook ?? {}, receive, ready, async () => {
    if (!spec.auth?.username || !spec.auth.password || !spec.webhook?.url) return undefined;
    const [user, password] = [
      (await keys.secret(spec.auth.username)).trim(),
      (await keys.secret(spec.auth.password)).trim(),
    ];
    const api = new HookApi(`${(spec.gerritBaseURL ?? '').replace(/\/$/, '')}/a`, [basicHeader(user, password)]);
    const pathOf = (project: string) =>
      `/config/server/webhooks~projects/${encodeURIComponent(project)}/remotes/${encodeURIComponent(spec.hookName ?? '')}`;
    const hook = {
      url: hookUrl(spec.webhook),
      events: spec.events,
      sslVerify: spec.sslVerify ?? false,
      ...(spec.maxTries ? { maxTries: spec.maxTries } : {}),
    };
    for (const project of spec.projects ?? []) await put(api, pathOf(project), hook);
    return async () => {
      if (spec.deleteHookOnFinish) for (const project of spec.projects ?? []) await api.call('DELETE', pathOf(project));
    };
  });
};

/** Gerrit begins its JSON with `)]}'`, which is none: what it answers is not needed. */
async function put(api: HookApi, path: string, hook: object): Promise<void> {
  await api.call('PUT', path, hook).catch((error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error;
  });
}
