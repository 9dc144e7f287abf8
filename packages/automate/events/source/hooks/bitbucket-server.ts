import { createHmac } from 'node:crypto';
import { pause } from '@tiphys/kubernetes';
import type { KeySelector, TlsConfig } from '../../spec/common.ts';
import { durationProblem, parseDuration } from '../../spec/duration.ts';
import { missing, type SpecProblem, within, wrong } from '../../spec/spec-problem.ts';
import { tlsOptions, tlsProblem } from '../../wire/tls.ts';
import { eventData, type Metadata, RawJson } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import { HookApi, hookUrl } from './hook-api.ts';
import { fieldsOf, jsonBody } from './webhook.ts';
import {
  BadRequest,
  type Hook,
  SenderRefused,
  sameSecret,
  serveWebhook,
  type WebhookSpec,
  webhookProblem,
} from './webhook-route.ts';

export interface BitbucketServerSpec {
  readonly webhook?: WebhookSpec;
  readonly events?: readonly string[];
  readonly projectKey?: string;
  readonly repositorySlug?: string;
  readonly projects?: readonly string[];
  readonly repositories?: readonly { readonly projectKey?: string; readonly repositorySlug?: string }[];
  readonly accessToken?: KeySelector;
  readonly webhookSecret?: KeySelector;
  readonly bitbucketserverBaseURL?: string;
  readonly oneEventPerChange?: boolean;
  readonly skipBranchRefsChangedOnOpenPR?: boolean;
  readonly checkInterval?: string;
  readonly deleteHookOnFinish?: boolean;
  readonly tls?: TlsConfig;
  readonly metadata?: Metadata;
}

export function bitbucketServerProblem(spec: BitbucketServerSpec): SpecProblem | undefined {
  if (spec.accessToken && spec.webhook?.url && !spec.events?.length)
    return missing('events', 'events must be defined to create a bitbucket server webhook', '["repo:refs_changed"]');
  if (!spec.bitbucketserverBaseURL)
    return missing('bitbucketserverBaseURL', "bitbucket server base url can't be empty");
  const odd = spec.checkInterval && durationProblem(spec.checkInterval);
  if (odd)
    return wrong(
      'checkInterval',
      `failed to parse webhook check interval duration: ${odd}`,
      'Write a duration such as 60s',
    );
  return within('tls', tlsProblem(spec.tls)) ?? within('webhook', webhookProblem(spec.webhook));
}

/** Hears of the hooks of Bitbucket Server; they are registered, and looked after, where the spec has a token. */
export const listen: Listen<BitbucketServerSpec> = (context, ready) => {
  const { spec, keys, clock, signal } = context;
  let api: HookApi | undefined;
  const receive = async (hook: Hook) => {
    if (spec.webhookSecret) verify(hook, (await keys.secret(spec.webhookSecret)).trim());
    if (hook.request.headers['x-event-key'] === 'diagnostics:ping') return { status: 200, text: 'success' };
    const bodies = await changesOf(spec, api, jsonBody(hook.body), String(hook.request.headers['x-event-key'] ?? ''));
    return {
      events: bodies.map((body) => eventData({ headers: hook.headers, body: new RawJson(body) }, spec.metadata)),
    };
  };
  return serveWebhook(context, spec.webhook ?? {}, receive, ready, async () => {
    if (!spec.accessToken) return undefined;
    // asked for open pull requests too where no hook is registered
    const host = await apiOf(context);
    api = host;
    if (!spec.webhook?.url) return undefined;
    let made = await registerAll(context, host);
    void (async () => {
      while (!signal.aborted) {
        await pause(clock, parseDuration(spec.checkInterval || '60s'), signal);
        if (signal.aborted) return;
        await registerAll(context, host).then(
          (again) => (made = again),
          (error: unknown) => context.log('error', 'the hooks could not be looked after', { error: String(error) }),
        );
      }
    })();
    return async () => {
      if (spec.deleteHookOnFinish) for (const path of made) await host.call('DELETE', path);
    };
  });
};

function verify({ request, body }: Hook, secret: string): void {
  if (request.headers['x-event-key'] === 'diagnostics:ping') return;
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (!sameSecret(String(request.headers['x-hub-signature'] ?? ''), expected))
    throw new SenderRefused('failed to validate the signature of the request', 'X-Hub-Signature');
}

interface RefsChanged {
  readonly repository?: { readonly slug: string; readonly project?: { readonly key: string } };
  changes?: { readonly toHash: string; readonly type?: string; readonly ref?: { readonly type?: string } }[];
}

/** The bodies of the events that one hook makes: all of it, or one for each change that is not of an open pull request. */
async function changesOf(
  spec: BitbucketServerSpec,
  api: HookApi | undefined,
  body: string,
  eventKey: string,
): Promise<string[]> {
  if (eventKey !== 'repo:refs_changed' || (!spec.oneEventPerChange && !spec.skipBranchRefsChangedOnOpenPR))
    return [body];
  const payload = fieldsOf(body) as RefsChanged;
  const { changes = [] } = payload;
  if (!Array.isArray(changes) || !changes.every((change) => typeof change === 'object' && change !== null))
    throw new BadRequest('changes is no list of changes');
  const kept: NonNullable<RefsChanged['changes']> = [];
  for (const change of changes) {
    const isSkipped =
      spec.skipBranchRefsChangedOnOpenPR && api && change.ref?.type === 'BRANCH' && change.type === 'UPDATE';
    if (isSkipped && (await hasOpenPullRequest(api, payload, change.toHash))) continue;
    kept.push(change);
  }
  if (spec.oneEventPerChange) return kept.map((change) => JSON.stringify({ ...payload, changes: [change] }));
  return kept.length > 0 ? [JSON.stringify({ ...payload, changes: kept })] : [];
}

async function hasOpenPullRequest(api: HookApi, { repository }: RefsChanged, commit: string): Promise<boolean> {
  const [project, slug, id] = [repository?.project?.key, repository?.slug, commit].map(pathPart);
  const path = `/api/1.0/projects/${project}/repos/${slug}/commits/${id}/pull-requests`;
  const { values = [] } = await api.call<{ values?: { state?: string }[] }>('GET', path);
  return values.some(({ state }) => state === 'OPEN');
}

/** A name of a hook as a part of a path, which our account asks for: it must lead nowhere else. Throws `BadRequest`. */
function pathPart(name: unknown): string {
  if (typeof name === 'string' && /^[\w.~-]{1,128}$/.test(name) && !/^\.+$/.test(name)) return name;
  throw new BadRequest('the hook names no project, repository and commit');
}

async function apiOf({ spec, keys }: SourceContext<BitbucketServerSpec>): Promise<HookApi> {
  const token = spec.accessToken ? (await keys.secret(spec.accessToken)).trim() : '';
  const tls = spec.tls ? await tlsOptions(spec.tls, keys) : {};
  return new HookApi(spec.bitbucketserverBaseURL ?? '', [['Authorization', `Bearer ${token}`]], tls);
}

async function registerAll(context: SourceContext<BitbucketServerSpec>, api: HookApi): Promise<string[]> {
  const { spec } = context;
  const repositories = spec.repositories?.length
    ? [...spec.repositories]
    : spec.projectKey && spec.repositorySlug
      ? [{ projectKey: spec.projectKey, repositorySlug: spec.repositorySlug }]
      : [];
  for (const projectKey of spec.projects ?? []) {
    const { values } = await api.call<{ values: { slug: string }[] }>(
      'GET',
      `/api/1.0/projects/${projectKey}/repos?limit=1000`,
    );
    repositories.push(...values.map(({ slug }) => ({ projectKey, repositorySlug: slug })));
  }
  const made: string[] = [];
  for (const { projectKey, repositorySlug } of repositories) {
    const path = `/api/1.0/projects/${projectKey}/repos/${repositorySlug}/webhooks`;
    made.push(`${path}/${await register(context, api, path)}`);
  }
  return made;
}

async function register(
  { spec, keys }: SourceContext<BitbucketServerSpec>,
  api: HookApi,
  path: string,
): Promise<number> {
  const url = hookUrl(spec.webhook ?? {});
  const secret = spec.webhookSecret ? (await keys.secret(spec.webhookSecret)).trim() : undefined;
  const hook = { name: 'Argo Events', url, active: true, events: spec.events, configuration: secret ? { secret } : {} };
  const { values = [] } = await api.call<{ values?: { id: number; url: string; events?: string[] }[] }>(
    'GET',
    `${path}?limit=1000`,
  );
  const same = values.find((one) => one.url === url);
  if (same && JSON.stringify([...(same.events ?? [])].sort()) === JSON.stringify([...(spec.events ?? [])].sort()))
    return same.id;
  const { id } = same
    ? await api.call<{ id: number }>('PUT', `${path}/${same.id}`, hook)
    : await api.call<{ id: number }>('POST', path, hook);
  return id;
}
