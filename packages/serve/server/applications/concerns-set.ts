import type { ApplicationSet, GitGenerator, PullRequestGenerator } from '@tiphys/api';
import { everyGenerator } from '@tiphys/applicationsets';
import { concerns, type PullRequestEvent, type WebhookEvent } from '@tiphys/webhooks';

/**
 * Whether a set has to be evaluated anew after the event: a Git generator reads what was pushed, a pull-request generator lists what
 * changed. Upstream rule: plugins are asked at each event. Names that another generator fills may mean anything.
 */
export function concernsSet(event: WebhookEvent, { spec }: ApplicationSet): boolean {
  if (event.kind === 'registry') return false;
  for (const { git, pullRequest, plugin } of everyGenerator(spec.generators ?? [])) {
    if (plugin) return true;
    if (git && event.kind === 'push' && readsPush(event, git)) return true;
    if (pullRequest && event.kind === 'pull-request' && lists(event, pullRequest)) return true;
  }
  return false;
}

function readsPush(event: WebhookEvent, { repoURL, revision }: GitGenerator): boolean {
  if (repoURL.includes('{{') || revision?.includes('{{')) return true;
  return concerns(event, { repoURL, targetRevision: revision, paths: [] });
}

function lists({ sender, hostname, owner, repositories }: PullRequestEvent, spec: PullRequestGenerator): boolean {
  const is = (wanted: string, names: readonly string[]) => wanted.includes('{{') || names.includes(wanted);
  const at = (api: string) => api.includes('{{') || (URL.canParse(api) && new URL(api).hostname === hostname);
  const { github, gitlab, azuredevops, bitbucket, bitbucketServer } = spec;
  if (sender === 'github' && github) {
    const lower = (texts: readonly string[]) => texts.map((text) => text.toLowerCase());
    return (
      is(github.owner.toLowerCase(), lower([owner])) &&
      is(github.repo.toLowerCase(), lower(repositories)) &&
      at(github.api || 'https://api.github.com/')
    );
  }
  if (sender === 'gitlab' && gitlab) return is(gitlab.project, repositories) && at(gitlab.api || 'https://gitlab.com/');
  if (sender === 'bitbucket' && bitbucket) return is(bitbucket.owner, [owner]) && is(bitbucket.repo, repositories);
  if (sender === 'bitbucketserver' && bitbucketServer)
    return is(bitbucketServer.project, [owner]) && is(bitbucketServer.repo, repositories);
  return (
    sender === 'azuredevops' &&
    azuredevops !== undefined &&
    is(azuredevops.project, [owner]) &&
    is(azuredevops.repo, repositories)
  );
}
