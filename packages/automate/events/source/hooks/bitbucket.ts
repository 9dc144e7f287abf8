import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import { eventData, type Metadata, RawJson } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import { basicHeader, HookApi, hookUrl } from './hook-api.ts';
import { jsonBody } from './webhook.ts';
import { serveWebhook, type WebhookSpec, webhookProblem } from './webhook-route.ts';

export interface BitbucketSpec {
  readonly webhook?: WebhookSpec;
  readonly auth?: {
    readonly basic?: { readonly username?: KeySelector; readonly password?: KeySelector };
    readonly oauthToken?: KeySelector;
  };
  readonly events?: readonly string[];
  readonly owner?: string;
  readonly repositorySlug?: string;
  readonly projectKey?: string;
  readonly repositories?: readonly { readonly owner?: string; readonly repositorySlug?: string }[];
  readonly deleteHookOnFinish?: boolean;
  readonly metadata?: Metadata;
}

const api = 'https://api.bitbucket.org/2.0';

export function bitbucketProblem(spec: BitbucketSpec): SpecProblem | undefined {
  if (repositoriesOf(spec).length === 0) return missing('repositories', 'at least one repository is required');
  if (createsHooks(spec) && !spec.events?.length)
    return missing('events', 'events must be defined to create a bitbucket webhooks', '["repo:push"]');
  return within('webhook', webhookProblem(spec.webhook));
}

function createsHooks({ auth, webhook }: BitbucketSpec): boolean {
  return Boolean(webhook?.url && (auth?.oauthToken || (auth?.basic?.username && auth.basic.password)));
}

function repositoriesOf({ repositories, owner, repositorySlug }: BitbucketSpec) {
  if (repositories?.length) return repositories;
  return owner && repositorySlug ? [{ owner, repositorySlug }] : [];
}

/** Hears of the hooks of Bitbucket Cloud, which are registered where the spec has credentials. */
export const listen: Listen<BitbucketSpec> = (context, ready) => {
  const { spec } = context;
  const receive = async ({ headers, body }: { headers: object; body: Buffer }) => ({
    events: [eventData({ headers, body: new RawJson(jsonBody(body)) }, spec.metadata)],
  });
  return serveWebhook(context, spec.webhook ?? {}, receive, ready, async () => {
    if (!createsHooks(spec)) return undefined;
    const host = await apiOf(context);
    const made: string[] = [];
    for (const { owner, repositorySlug } of repositoriesOf(spec)) {
      const path = `/repositories/${owner}/${repositorySlug}/hooks`;
      made.push(`${path}/${await register(context, host, path)}`);
    }
    return async () => {
      if (spec.deleteHookOnFinish) for (const path of made) await host.call('DELETE', path);
    };
  });
};

async function apiOf({ spec, keys }: SourceContext<BitbucketSpec>): Promise<HookApi> {
  const { oauthToken, basic } = spec.auth ?? {};
  const base = process.env.BITBUCKET_API_BASE_URL || api;
  if (oauthToken) return new HookApi(base, [['Authorization', `Bearer ${(await keys.secret(oauthToken)).trim()}`]]);
  const user = basic?.username ? (await keys.secret(basic.username)).trim() : '';
  const password = basic?.password ? (await keys.secret(basic.password)).trim() : '';
  return new HookApi(base, [basicHeader(user, password)]);
}

async function register({ spec }: SourceContext<BitbucketSpec>, host: HookApi, path: string): Promise<string> {
  const url = hookUrl(spec.webhook ?? {});
  const hook = { description: 'webhook managed by Argo-Events', url, active: true, events: spec.events };
  const { values = [] } = await host.call<{ values?: { uuid: string; url: string }[] }>('GET', `${path}?pagelen=100`);
  const same = values.find((one) => one.url === url);
  const made = same
    ? await host.call<{ uuid: string }>('PUT', `${path}/${same.uuid}`, hook)
    : await host.call<{ uuid: string }>('POST', path, hook);
  return made.uuid;
}
