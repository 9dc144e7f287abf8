import type { Proposal, PullRequestEvent } from './event.ts';
import type { JsonView } from './json-view.ts';

/** What of a pull request makes a generator look again. Upstream's lists. */
export const githubActions = new Set(['opened', 'closed', 'synchronize', 'labeled', 'reopened', 'unlabeled']);
/** After which the commits of a pull request are others. */
const proposing = new Set(['opened', 'synchronize', 'synchronized', 'reopened']);
export const gitlabActions = new Set(['open', 'close', 'reopen', 'update', 'merge']);
/** Of a pull request: what is not about comments and votes. */
export const bitbucketCloudEvents = new Set(
  ['created', 'updated', 'fulfilled', 'rejected'].map((event) => `pullrequest:${event}`),
);
export const bitbucketServerEvents = new Set(
  ['opened', 'from_ref_updated', 'modified', 'reopened', 'merged', 'declined', 'deleted'].map((event) => `pr:${event}`),
);

export function pullRequest(parts: Omit<PullRequestEvent, 'kind'>): PullRequestEvent[] {
  const repositories = parts.repositories.filter(Boolean);
  return repositories.length === 0 ? [] : [{ kind: 'pull-request', ...parts, repositories }];
}

/** Of GitHub and Gitea, which tell of pull requests in the same words. */
export function proposalOf(body: JsonView): Pick<PullRequestEvent, 'proposal'> {
  if (!proposing.has(body.at('action').text)) return {};
  const [pull, repository] = [body.at('pull_request'), body.at('repository')];
  const [from, to] = ['head', 'base'].map((side) => pull.at(side, 'repo', 'full_name').text);
  return proposal({
    number: pull.at('number').number,
    repository: repository.at('full_name').text,
    urls: [repository.at('html_url').text, repository.at('clone_url').text],
    base: pull.at('base', 'ref').text,
    head: pull.at('head', 'sha').text,
    foreign: from === '' || from !== to,
  });
}

/** An update without `oldrev` changed words, and no commit. */
export function mergeRequestOf(body: JsonView): Pick<PullRequestEvent, 'proposal'> {
  const [request, project] = [body.at('object_attributes'), body.at('project')];
  const action = request.at('action').text;
  if (!['open', 'reopen'].includes(action) && !(action === 'update' && request.at('oldrev').text)) return {};
  const [from, to] = ['source_project_id', 'target_project_id'].map((key) => request.at(key).number);
  return proposal({
    number: request.at('iid').number,
    repository: project.at('path_with_namespace').text,
    urls: [project.at('web_url').text, project.at('git_http_url').text],
    base: request.at('target_branch').text,
    head: request.at('last_commit', 'id').text,
    foreign: from === undefined || from !== to,
  });
}

function proposal(
  parts: Omit<Proposal, 'number'> & { number: number | undefined },
): Pick<PullRequestEvent, 'proposal'> {
  const { number, repository, base, head } = parts;
  const known = Number.isSafeInteger(number) && /^[0-9a-f]{12,40}$/.test(head) && repository !== '' && base !== '';
  return known ? { proposal: { ...parts, number: number as number, urls: parts.urls.filter(Boolean) } } : {};
}

/** Azure DevOps tells of each update in the same words, votes among them. */
export function azureProposalOf(resource: JsonView): Pick<PullRequestEvent, 'proposal'> {
  if (!['', 'active'].includes(resource.at('status').text)) return {};
  const repository = resource.at('repository');
  const [project, name] = [repository.at('project', 'name').text, repository.at('name').text];
  return proposal({
    number: resource.at('pullRequestId').number,
    repository: project && name ? `${project}/${name}` : '',
    urls: [repository.at('remoteUrl').text],
    base: resource.at('targetRefName').text.replace(/^refs\/heads\//, ''),
    head: resource.at('lastMergeSourceCommit', 'commitId').text,
    foreign: resource.at('forkSource').value !== undefined && resource.at('forkSource').value !== null,
  });
}

/** Bitbucket Cloud tells of new commits and of new words as the same update. */
export function cloudProposalOf(event: string, body: JsonView): Pick<PullRequestEvent, 'proposal'> {
  if (!['pullrequest:created', 'pullrequest:updated'].includes(event)) return {};
  const [pull, repository] = [body.at('pullrequest'), body.at('repository')];
  const [from, to] = ['source', 'destination'].map((side) => pull.at(side, 'repository', 'full_name').text);
  return proposal({
    number: pull.at('id').number,
    repository: repository.at('full_name').text,
    urls: [repository.at('links', 'html', 'href').text],
    base: pull.at('destination', 'branch', 'name').text,
    head: pull.at('source', 'commit', 'hash').text,
    foreign: from === '' || from !== to,
  });
}

export function serverProposalOf(event: string, pull: JsonView): Pick<PullRequestEvent, 'proposal'> {
  if (!['pr:opened', 'pr:from_ref_updated', 'pr:reopened'].includes(event)) return {};
  const [from, to] = ['fromRef', 'toRef'].map((side) => pull.at(side, 'repository'));
  const [key, slug] = [to?.at('project', 'key').text, to?.at('slug').text];
  const page = pull.at('links', 'self', 0, 'href').text;
  // older servers give no addresses to clone with here
  const ownPage = `/projects/${key}/repos/${slug}/pull-requests/`;
  const clone = page.includes(ownPage) ? `${page.slice(0, page.indexOf(ownPage))}/scm/${key}/${slug}.git` : '';
  return proposal({
    number: pull.at('id').number,
    repository: key && slug ? `${key}/${slug}` : '',
    urls: [...(to ? cloneLinks(to) : []), clone],
    base: pull.at('toRef', 'displayId').text,
    head: pull.at('fromRef', 'latestCommit').text,
    foreign: from?.at('id').number === undefined || from.at('id').number !== to?.at('id').number,
  });
}

/** Addresses of a repository of a Bitbucket server. */
export function cloneLinks(repository: JsonView): string[] {
  return repository
    .at('links', 'clone')
    .items.filter((link) => ['http', 'ssh'].includes(link.at('name').text))
    .map((link) => link.at('href').text);
}
