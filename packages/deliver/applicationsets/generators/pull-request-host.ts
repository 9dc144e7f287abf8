import type { PullRequestGenerator } from '@tiphys/api';
import { azureBase, azureHeaders, azurePullRequests } from '../scm/azure-devops.ts';
import { bitbucketCloudBase, bitbucketCloudPullRequests } from '../scm/bitbucket-cloud.ts';
import { bitbucketServerBase, bitbucketServerPullRequests } from '../scm/bitbucket-server.ts';
import { giteaBase, giteaPullRequests } from '../scm/gitea.ts';
import { githubBase, githubPullRequests } from '../scm/github.ts';
import { gitlabBase, gitlabPullRequests } from '../scm/gitlab.ts';
import type { PullRequestHost } from '../scm/host.ts';
import { bitbucketAuth, bitbucketServerAuth } from './bitbucket-auth.ts';
import type { GeneratorContext } from './generator.ts';
import { githubAuth } from './github-auth.ts';
import { accessTo } from './host-access.ts';
import { readConfigMapRef, readSecretRef } from './secret-ref.ts';

/** The Git host of a pull-request generator; undefined if it names none. */
export async function pullRequestHost(
  spec: PullRequestGenerator,
  context: GeneratorContext,
  field: string,
): Promise<PullRequestHost | undefined> {
  const { github, gitlab, gitea, bitbucket, bitbucketServer, azuredevops } = spec;
  if (github) {
    const { owner, repo, labels = [] } = github;
    const headers = await githubAuth({ ...github, repository: repo }, context, `${field}.github`);
    return githubPullRequests({
      access: accessTo({ base: githubBase(github.api), headers }, context),
      owner,
      repo,
      labels,
    });
  }
  if (gitlab) {
    const { project, labels = [], pullRequestState: state, insecure } = gitlab;
    const token = await readSecretRef(gitlab.tokenRef, context, `${field}.gitlab.tokenRef`);
    const ca = await readConfigMapRef(gitlab.caRef, context, `${field}.gitlab.caRef`);
    const headers: Record<string, string> = token ? { 'private-token': token } : {};
    const access = accessTo({ base: gitlabBase(gitlab.api), headers, insecure, ca }, context);
    return gitlabPullRequests({ access, project, labels, state });
  }
  if (gitea) {
    const { owner, repo, labels = [], insecure } = gitea;
    const token = await readSecretRef(gitea.tokenRef, context, `${field}.gitea.tokenRef`);
    const headers: Record<string, string> = token ? { authorization: `token ${token}` } : {};
    return giteaPullRequests({
      access: accessTo({ base: giteaBase(gitea.api), headers, insecure }, context),
      owner,
      repo,
      labels,
    });
  }
  if (bitbucketServer) {
    const { project, repo, insecure } = bitbucketServer;
    const ca = await readConfigMapRef(bitbucketServer.caRef, context, `${field}.bitbucketServer.caRef`);
    const headers = await bitbucketServerAuth(bitbucketServer, context, `${field}.bitbucketServer`);
    const access = accessTo({ base: bitbucketServerBase(bitbucketServer.api), headers, insecure, ca }, context);
    return bitbucketServerPullRequests({ access, project, repo });
  }
  if (bitbucket) {
    const { owner, repo } = bitbucket;
    const headers = await bitbucketAuth(bitbucket, context, `${field}.bitbucket`);
    const base = bitbucket.api?.replace(/(?<!\/)\/+$/, '') || bitbucketCloudBase;
    return bitbucketCloudPullRequests({ access: accessTo({ base, headers }, context), owner, repo });
  }
  if (azuredevops) {
    const { organization, project, repo, labels = [], api } = azuredevops;
    const token = await readSecretRef(azuredevops.tokenRef, context, `${field}.azuredevops.tokenRef`);
    const access = accessTo({ base: azureBase(api, organization), headers: azureHeaders(token) }, context);
    return azurePullRequests({ access, project, repo, labels });
  }
  return undefined;
}
