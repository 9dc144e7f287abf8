import type { PushEvent } from './event.ts';
import type { JsonView } from './json-view.ts';
import {
  azureProposalOf,
  bitbucketCloudEvents,
  bitbucketServerEvents,
  cloneLinks,
  cloudProposalOf,
  githubActions,
  gitlabActions,
  mergeRequestOf,
  proposalOf,
  pullRequest,
  serverProposalOf,
} from './proposals.ts';
import type { Sender } from './sender.ts';
import { hmacProblem, sameSecret } from './signature.ts';

/** `refs/heads/release/1` is `release/1`; a name with fewer than two slashes is what follows the last. */
export function shortRevision(ref: string): string {
  const parts = ref.split('/');
  return parts.length < 3 ? (parts.at(-1) ?? '') : parts.slice(2).join('/');
}

function push(parts: Omit<PushEvent, 'kind'>): PushEvent[] {
  const urls = parts.urls.filter(Boolean);
  return urls.length === 0 ? [] : [{ kind: 'push', ...parts, urls }];
}

function changedFiles(commits: JsonView): string[] {
  return commits.items.flatMap((commit) => ['added', 'modified', 'removed'].flatMap((how) => commit.at(how).texts));
}

/** GitHub, Gogs and Gitea tell of a push in the same words, GitLab in similar ones. */
function pushOf(body: JsonView, repository: JsonView, page: string): PushEvent[] {
  const revision = shortRevision(body.at('ref').text);
  return push({
    urls: [repository.at(page).text],
    revision,
    touchedHead: repository.at('default_branch').text === revision,
    changedFiles: changedFiles(body.at('commits')),
  });
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

export const azureDevOps: Sender = {
  name: 'azuredevops',
  claims: ({ header }) => header('x-vss-activityid') !== '',
  isSecured: ({ azureUsername, azurePassword }) => Boolean(azureUsername || azurePassword),
  refuseHeaders({ header }, { azureUsername = '', azurePassword = '' }) {
    if (!azureUsername && !azurePassword) return undefined;
    const expected = `Basic ${Buffer.from(`${azureUsername}:${azurePassword}`).toString('base64')}`;
    return sameSecret(header('authorization'), expected) ? undefined : 'user or password is not ours';
  },
  read(_request, body) {
    const type = body.at('eventType').text;
    const repository = body.at('resource', 'repository');
    if (/^git\.pullrequest\.(created|merged|updated)$/.test(type))
      return pullRequest({
        sender: 'azuredevops',
        hostname: '',
        owner: repository.at('project', 'name').text,
        repositories: [repository.at('name').text],
        ...azureProposalOf(body.at('resource')),
      });
    if (type !== 'git.push') return type === 'build.complete' ? [] : undefined;
    return body.at('resource', 'refUpdates').items.flatMap((update) => {
      const ref = update.at('name').text;
      return push({
        urls: [repository.at('remoteUrl').text],
        revision: shortRevision(ref),
        touchedHead: ref !== '' && ref === repository.at('defaultBranch').text,
        changedFiles: [],
      });
    });
  },
};

export const gogs: Sender = {
  name: 'gogs',
  claims: ({ header }) => header('x-gogs-event') !== '',
  isSecured: (secrets) => Boolean(secrets.gogs),
  refuseBody: ({ header }, body, secrets) =>
    hmacProblem(secrets.gogs, body, { header: 'X-Gogs-Signature', value: header('x-gogs-signature') }),
  read({ header }, body) {
    if (header('x-gogs-event') === 'push') return pushOf(body, body.at('repository'), 'html_url');
    // Gitea says pull_request_sync for new commits, and the action is synchronized
    if (!['pull_request', 'pull_request_sync'].includes(header('x-gogs-event'))) return undefined;
    const repository = body.at('repository');
    return pullRequest({
      sender: 'gitea',
      hostname: hostnameOf(repository.at('html_url').text),
      owner: repository.at('owner', 'login').text,
      repositories: [repository.at('name').text],
      ...proposalOf(body),
    });
  },
};

export const github: Sender = {
  name: 'github',
  claims: ({ header }) => !['', 'package'].includes(header('x-github-event')),
  isSecured: (secrets) => Boolean(secrets.github),
  refuseBody: ({ header }, body, secrets) =>
    hmacProblem(secrets.github, body, { header: 'X-Hub-Signature-256', value: header('x-hub-signature-256') }),
  read({ header }, body) {
    const event = header('x-github-event');
    if (event === 'ping') return [];
    if (event === 'pull_request') {
      if (!githubActions.has(body.at('action').text)) return [];
      const repository = body.at('repository');
      return pullRequest({
        sender: 'github',
        hostname: hostnameOf(repository.at('url').text),
        owner: repository.at('owner', 'login').text,
        repositories: [repository.at('name').text],
        ...proposalOf(body),
      });
    }
    return event === 'push' ? pushOf(body, body.at('repository'), 'html_url') : undefined;
  },
};

export const gitlab: Sender = {
  name: 'gitlab',
  claims: ({ header }) => header('x-gitlab-event') !== '',
  isSecured: (secrets) => Boolean(secrets.gitlab),
  refuseHeaders: ({ header }, secrets) =>
    !secrets.gitlab || sameSecret(header('x-gitlab-token'), secrets.gitlab)
      ? undefined
      : 'the token in X-Gitlab-Token is not ours',
  read({ header }, body) {
    const known = ['Push Hook', 'Tag Push Hook', 'Merge Request Hook', 'System Hook'].includes(
      header('x-gitlab-event'),
    );
    if (!known) return undefined;
    const event = body.at('object_kind').text || body.at('event_name').text;
    if (event === 'merge_request') {
      if (!gitlabActions.has(body.at('object_attributes', 'action').text)) return [];
      const project = body.at('project');
      const id = body.at('object_attributes', 'target_project_id').number;
      return pullRequest({
        sender: 'gitlab',
        hostname: hostnameOf(project.at('web_url').text),
        owner: '',
        repositories: [id === undefined ? '' : String(id), project.at('path_with_namespace').text],
        ...mergeRequestOf(body),
      });
    }
    if (header('x-gitlab-event') === 'System Hook' && event !== 'push' && event !== 'tag_push') return [];
    return pushOf(body, body.at('project'), 'web_url');
  },
};

export const bitbucketCloud: Sender = {
  name: 'bitbucket',
  claims: ({ header }) => header('x-hook-uuid') !== '',
  isSecured: ({ bitbucketUuid }) => Boolean(bitbucketUuid),
  refuseHeaders: ({ header }, { bitbucketUuid }) =>
    !bitbucketUuid || sameSecret(header('x-hook-uuid'), bitbucketUuid) ? undefined : 'X-Hook-UUID is not ours',
  read({ header }, body) {
    const event = header('x-event-key');
    if (event.startsWith('pullrequest:')) {
      if (!bitbucketCloudEvents.has(event)) return [];
      const [owner = '', name = ''] = body.at('repository', 'full_name').text.split('/');
      return pullRequest({
        sender: 'bitbucket',
        hostname: '',
        owner,
        repositories: [name],
        ...cloudProposalOf(event, body),
      });
    }
    if (event !== 'repo:push') return undefined;
    const changes = body.at('push', 'changes').items;
    return changes.flatMap((change) =>
      push({
        urls: [body.at('repository', 'links', 'html', 'href').text],
        revision: change.at('new', 'name').text || change.at('old', 'name').text,
        touchedHead: true,
        changedFiles: [],
      }),
    );
  },
};

export const bitbucketServer: Sender = {
  name: 'bitbucketserver',
  claims: ({ header }) => header('x-event-key') !== '',
  isSecured: (secrets) => Boolean(secrets.bitbucketServer),
  refuseBody: ({ header }, body, secrets) =>
    header('x-event-key') === 'diagnostics:ping'
      ? undefined
      : hmacProblem(secrets.bitbucketServer, body, { header: 'X-Hub-Signature', value: header('x-hub-signature') }),
  read({ header }, body) {
    const event = header('x-event-key');
    if (event === 'diagnostics:ping') return [];
    if (event.startsWith('pr:')) {
      if (!bitbucketServerEvents.has(event)) return [];
      const repository = body.at('pullRequest', 'toRef', 'repository');
      return pullRequest({
        sender: 'bitbucketserver',
        hostname: '',
        owner: repository.at('project', 'key').text,
        repositories: [repository.at('slug').text],
        ...serverProposalOf(event, body.at('pullRequest')),
      });
    }
    if (event !== 'repo:refs_changed') return undefined;
    const urls = cloneLinks(body.at('repository'));
    return body
      .at('changes')
      .items.flatMap((change) =>
        push({ urls, revision: shortRevision(change.at('ref', 'id').text), touchedHead: true, changedFiles: [] }),
      );
  },
};
