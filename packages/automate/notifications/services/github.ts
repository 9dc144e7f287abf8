import { createPrivateKey, createSign } from 'node:crypto';
import { failure } from '@tiphys/diagnosis';
import { refused } from '../model/diagnoses.ts';
import { type JsonMap, map, strings, text } from '../model/notification.ts';
import { fullName } from '../model/repository-url.ts';
import { type HttpAnswer, refusal } from './http.ts';
import { missing } from './requirements.ts';
import type { Delivery, ServiceFactory } from './service.ts';

/** A request to GitHub's API below the repository. */
type Call = (method: string, path: string, body?: JsonMap) => Promise<HttpAnswer>;

interface Target {
  readonly call: Call;
  readonly revision: string;
  readonly message: string;
}

/** `github`: statuses, deployments, comments on pull requests, check runs and repository dispatches, as a GitHub App. */
export const github: ServiceFactory = (options) => async (notification, _destination, delivery) => {
  const section = notification.sections.github;
  if (!section) throw missing('The template has no section github', 'Add the section github to the template');
  const name = fullName(text(section.repoURLPath));
  if (name.split('/').length < 2)
    throw missing(`The repository ${text(section.repoURLPath)} has no owner and name`, 'Set github.repoURLPath');
  const base = (text(options.enterpriseBaseURL) || 'https://api.github.com').replace(/(?<!\/)\/+$/, '');
  const token = await installationToken(base, options, delivery);
  const call: Call = async (method, path, body) => {
    const url = `${base}/repos/${name}${path}`;
    return delivery.http.ask({
      method,
      url,
      headers: { ...common, authorization: `Bearer ${token}` },
      ...(body ? { body } : {}),
      options,
      signal: delivery.signal,
    });
  };
  const target = { call: strict(call), revision: text(section.revisionPath), message: notification.message };
  if (section.status) await status(map(section.status), target, call);
  if (section.deployment) await deployment(map(section.deployment), target);
  if (section.pullRequestComment) await comment(map(section.pullRequestComment), target);
  if (section.checkRun) await checkRun(map(section.checkRun), target);
  if (section.repositoryDispatch) await dispatch(map(section.repositoryDispatch), target);
};

const common = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };

/** A call that takes every answer but 2xx for a refusal. */
function strict(call: Call): Call {
  return async (method, path, body) => {
    const answer = await call(method, path, body);
    if (answer.status < 200 || answer.status > 299) throw refusal('https://github', answer);
    return answer;
  };
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of the installation, for a token that the App signs; a minute back, for clocks that are ahead of GitHub's. */
async function installationToken(base: string, options: JsonMap, { http, now, signal }: Delivery): Promise<string> {
  const at = Math.floor(now() / 1000);
  const claims = `${base64url({ alg: 'RS256', typ: 'JWT' })}.${base64url({ iat: at - 60, exp: at + 540, iss: String(options.appID ?? '') })}`;
  let signature: string;
  try {
    signature = createSign('RSA-SHA256')
      .update(claims)
      .sign(createPrivateKey(text(options.privateKey)), 'base64url');
  } catch {
    throw missing('The privateKey of the service github is no private key', 'Put the PEM of the App into the Secret');
  }
  const answer = await http.send({
    url: `${base}/app/installations/${String(options.installationID ?? '')}/access_tokens`,
    headers: { ...common, authorization: `Bearer ${claims}.${signature}` },
    options,
    signal,
  });
  return String((answer.json() as { token?: string } | undefined)?.token ?? '');
}

/** At most so many characters, with dots for the rest. */
function shortened(text: string, length: number): string {
  const runes = Array.from(text);
  return runes.length > length ? `${runes.slice(0, length - 3).join('')}...` : text;
}

async function status(section: JsonMap, { revision, message }: Target, call: Call): Promise<void> {
  const answer = await call('POST', `/statuses/${revision}`, {
    state: text(section.state),
    description: shortened(message, 140),
    context: text(section.label),
    target_url: text(section.targetURL),
  });
  // a commit takes a thousand statuses a context: trying again does not help
  if (answer.status === 422) return;
  if (answer.status < 200 || answer.status > 299) throw refusal('https://github', answer);
}

async function deployment(section: JsonMap, { call, revision, message }: Target): Promise<void> {
  const environment = text(section.environment);
  const query = new URLSearchParams({ ref: revision, environment });
  const found = (await call('GET', `/deployments?${query}`)).json() as { id?: number }[] | undefined;
  const created =
    found?.[0] ??
    ((
      await call('POST', '/deployments', {
        ref: text(section.reference) || revision,
        environment,
        required_contexts: strings(section.requiredContexts),
        auto_merge: section.autoMerge !== false,
        transient_environment: section.transientEnvironment === true,
      })
    ).json() as { id?: number });
  await call('POST', `/deployments/${created.id}/statuses`, {
    state: text(section.state),
    log_url: text(section.logURL),
    description: shortened(message, 140),
    environment,
    environment_url: text(section.environmentURL),
  });
}

async function comment(section: JsonMap, { call, revision }: Target): Promise<void> {
  const tag = text(section.commentTag);
  const marker = tag ? `<!-- argocd-notifications ${tag} -->` : '';
  const body = shortened(text(section.content), 65_536 - marker.length - 1) + (marker ? `\n${marker}` : '');
  const pulls = (await call('GET', `/commits/${revision}/pulls`)).json() as { number: number }[];
  for (const { number } of pulls) {
    const comments = marker
      ? ((await call('GET', `/issues/${number}/comments?per_page=100`)).json() as { id: number; body?: string }[])
      : [];
    const existing = comments.find((item) => item.body?.includes(marker));
    if (existing) await call('PATCH', `/issues/comments/${existing.id}`, { body });
    else await call('POST', `/issues/${number}/comments`, { body });
  }
}

async function checkRun(section: JsonMap, { call, revision }: Target): Promise<void> {
  const conclusion = text(section.conclusion);
  const state = text(section.status) || (conclusion ? 'completed' : '');
  const completedAt = text(section.completed_at);
  if ((state === 'completed' || completedAt) && !conclusion)
    throw missing('The check run is completed and has no conclusion', 'Set github.checkRun.conclusion');
  const output = map(section.output);
  const optional = {
    status: state,
    conclusion,
    started_at: text(section.started_at),
    completed_at: completedAt,
    details_url: text(section.details_url),
  };
  await call('POST', '/check-runs', {
    name: text(section.name),
    head_sha: revision,
    external_id: 'argocd-notifications',
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== '')),
    ...(section.output
      ? { output: { title: text(output.title), summary: text(output.summary), text: text(output.text) } }
      : {}),
  });
}

async function dispatch(section: JsonMap, { call }: Target): Promise<void> {
  let payload: JsonMap;
  try {
    payload = JSON.parse(text(section.client_payload) || '{}') as JsonMap;
  } catch (error) {
    throw failure(refused, {
      message: `github.repositoryDispatch.client_payload is no JSON: ${(error as Error).message}`,
      remedies: ['Correct the template'],
    });
  }
  await call('POST', '/dispatches', { event_type: text(section.event_type), client_payload: payload });
}
