import { createHmac, createPrivateKey } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem, within, wrong } from '../../spec/spec-problem.ts';
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

export interface GithubSpec {
  readonly webhook?: WebhookSpec;
  readonly events?: readonly string[];
  readonly owner?: string;
  readonly repository?: string;
  readonly repositories?: readonly { readonly owner?: string; readonly names?: readonly string[] }[];
  readonly organizations?: readonly string[];
  readonly apiToken?: KeySelector;
  readonly githubApp?: {
    readonly privateKey?: KeySelector;
    readonly appID?: number | string;
    readonly installationID?: number | string;
  };
  readonly webhookSecret?: KeySelector;
  readonly insecure?: boolean;
  readonly active?: boolean;
  readonly contentType?: string;
  readonly githubBaseURL?: string;
  readonly githubUploadURL?: string;
  readonly deleteHookOnFinish?: boolean;
  readonly metadata?: Metadata;
}

export function githubProblem(spec: GithubSpec): SpecProblem | undefined {
  const {
    repositories,
    organizations,
    owner,
    repository,
    events,
    contentType,
    githubBaseURL,
    githubUploadURL,
    webhook,
  } = spec;
  const hasRepositories = Boolean(repositories?.length) || Boolean(owner && repository);
  if (!hasRepositories && !organizations?.length)
    return missing('repositories', 'either repositories or organizations is required');
  if (hasRepositories && organizations?.length)
    return wrong('organizations', 'only one of repositories and organizations is allowed', 'Remove one of them');
  if (createsHooks(spec) && !events?.length)
    return missing('events', 'events must be defined to create a github webhook', '["push"]');
  if (contentType && !['json', 'form'].includes(contentType))
    return wrong('contentType', 'content type must be "json" or "form"', 'Write json or form');
  if (githubUploadURL && !githubBaseURL)
    return missing('githubBaseURL', 'githubBaseURL is required when githubUploadURL is set');
  if (githubBaseURL && !githubUploadURL)
    return missing('githubUploadURL', 'githubUploadURL is required when githubBaseURL is set');
  return within('webhook', webhookProblem(webhook));
}

function createsHooks({ apiToken, githubApp, webhook }: GithubSpec): boolean {
  return Boolean((apiToken || githubApp?.privateKey) && webhook?.url);
}

/** Hears of GitHub's hooks, which are registered where the spec has credentials. */
export const listen: Listen<GithubSpec> = (context, ready) => {
  const { spec } = context;
  const receive = async (hook: Hook) => {
    if (spec.webhookSecret) await verify(hook, await context.keys.secret(spec.webhookSecret));
    return { events: [eventData({ headers: hook.headers, body: new RawJson(payloadOf(hook)) }, spec.metadata)] };
  };
  return serveWebhook(context, spec.webhook ?? {}, receive, ready, async () => {
    if (!createsHooks(spec)) return undefined;
    const api = await apiOf(context);
    const made: string[] = [];
    for (const path of hookPaths(spec)) made.push(await register(context, api, path));
    return async () => {
      if (spec.deleteHookOnFinish) for (const path of made) await api.call('DELETE', path);
    };
  });
};

/** The body, or the `payload` of a form, as JSON. */
function payloadOf({ request, body }: Hook): string {
  if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return jsonBody(body);
  return jsonBody(Buffer.from(new URLSearchParams(body.toString('utf8')).get('payload') ?? ''));
}

async function verify({ request, body }: Hook, secret: string): Promise<void> {
  const given = String(request.headers['x-hub-signature-256'] ?? '');
  const expected = `sha256=${createHmac('sha256', secret.trim()).update(body).digest('hex')}`;
  if (!sameSecret(given, expected))
    throw new SenderRefused('request is not valid event notification, discarding it', 'X-Hub-Signature-256');
}

async function apiOf({ spec, keys, clock }: SourceContext<GithubSpec>): Promise<HookApi> {
  const base = (spec.githubBaseURL || 'https://api.github.com').replace(/\/$/, '');
  if (spec.apiToken)
    return new HookApi(base, [['Authorization', `Bearer ${(await keys.secret(spec.apiToken)).trim()}`]]);
  const { privateKey, appID, installationID } = spec.githubApp ?? {};
  const pem = createPrivateKey(privateKey ? await keys.secret(privateKey) : '').export({
    type: 'pkcs8',
    format: 'pem',
  });
  const now = Math.floor(clock.now() / 1000);
  const jwt = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(String(appID))
    .setIssuedAt(now - 60)
    .setExpirationTime(now + 540)
    .sign(await importPKCS8(String(pem), 'RS256'));
  const app = new HookApi(base, [['Authorization', `Bearer ${jwt}`]]);
  const { token } = await app.call<{ token: string }>('POST', `/app/installations/${installationID}/access_tokens`);
  return new HookApi(base, [['Authorization', `Bearer ${token}`]]);
}

function hookPaths({ organizations, repositories, owner, repository }: GithubSpec): string[] {
  if (organizations?.length) return organizations.map((name) => `/orgs/${name}/hooks`);
  const all = repositories?.length ? repositories : [{ owner: owner ?? '', names: [repository ?? ''] }];
  return all.flatMap((one) => (one.names ?? []).map((name) => `/repos/${one.owner}/${name}/hooks`));
}

interface RegisteredHook {
  readonly id: number;
  readonly config?: { readonly url?: string };
}

/** Makes the hook, or brings the one to our address up to date; gives its path. */
async function register({ spec, keys }: SourceContext<GithubSpec>, api: HookApi, path: string): Promise<string> {
  const url = hookUrl(spec.webhook ?? {});
  const hook = {
    name: 'web',
    active: spec.active ?? false,
    events: spec.events,
    config: {
      url,
      content_type: spec.contentType || 'form',
      insecure_ssl: spec.insecure ? '1' : '0',
      ...(spec.webhookSecret ? { secret: (await keys.secret(spec.webhookSecret)).trim() } : {}),
    },
  };
  const known = await allPages((page) => api.call<RegisteredHook[]>('GET', `${path}?per_page=100&page=${page}`));
  const same = known.find(({ config }) => config?.url === url);
  const { id } = same
    ? await api.call<RegisteredHook>('PATCH', `${path}/${same.id}`, hook)
    : await api.call<RegisteredHook>('POST', path, hook);
  return `${path}/${id}`;
}
