import type { SCMProviderGenerator } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';
import { azureBase, azureHeaders, azureRepositories } from '../scm/azure-devops.ts';
import { bitbucketCloudBase, bitbucketCloudRepositories } from '../scm/bitbucket-cloud.ts';
import { bitbucketServerBase, bitbucketServerRepositories } from '../scm/bitbucket-server.ts';
import { codeCommitRepositories } from '../scm/codecommit.ts';
import { giteaBase, giteaRepositories } from '../scm/gitea.ts';
import { githubBase, githubRepositories } from '../scm/github.ts';
import { gitlabBase, gitlabRepositories } from '../scm/gitlab.ts';
import type { RepositoryHost } from '../scm/host.ts';
import { bitbucketServerAuth } from './bitbucket-auth.ts';
import type { GeneratorContext } from './generator.ts';
import { githubAuth } from './github-auth.ts';
import { accessTo, authorization } from './host-access.ts';
import { readConfigMapRef, readSecretRef } from './secret-ref.ts';

/** The Git host of an SCM-provider generator; undefined if it names none. */
export async function repositoryHost(
  spec: SCMProviderGenerator,
  context: GeneratorContext,
  field: string,
): Promise<RepositoryHost | undefined> {
  const { github, gitlab, gitea, bitbucket, bitbucketServer, azureDevOps, awsCodeCommit, cloneProtocol } = spec;
  if (github) {
    const { organization, allBranches = false, excludeArchivedRepos: excludeArchived = false } = github;
    const headers = await githubAuth({ ...github, owner: organization }, context, `${field}.github`);
    const access = accessTo({ base: githubBase(github.api), headers }, context);
    return githubRepositories({ access, organization, allBranches, excludeArchived, cloneProtocol });
  }
  if (gitlab) {
    const token = await readSecretRef(gitlab.tokenRef, context, `${field}.gitlab.tokenRef`);
    const ca = await readConfigMapRef(gitlab.caRef, context, `${field}.gitlab.caRef`);
    const headers: Record<string, string> = token ? { 'private-token': token } : {};
    return gitlabRepositories({
      access: accessTo({ base: gitlabBase(gitlab.api), headers, insecure: gitlab.insecure, ca }, context),
      group: gitlab.group,
      allBranches: gitlab.allBranches ?? false,
      includeSubgroups: gitlab.includeSubgroups ?? false,
      includeSharedProjects: gitlab.includeSharedProjects ?? true,
      includeArchived: gitlab.includeArchivedRepos ?? false,
      topic: gitlab.topic ?? '',
      cloneProtocol,
    });
  }
  if (gitea) {
    const { owner, allBranches = false, excludeArchivedRepos: excludeArchived = false, insecure } = gitea;
    const token = await readSecretRef(gitea.tokenRef, context, `${field}.gitea.tokenRef`);
    const headers: Record<string, string> = token ? { authorization: `token ${token}` } : {};
    const access = accessTo({ base: giteaBase(gitea.api), headers, insecure }, context);
    return giteaRepositories({ access, owner, allBranches, excludeArchived, cloneProtocol });
  }
  if (bitbucketServer) {
    const { project, allBranches = false, insecure } = bitbucketServer;
    const ca = await readConfigMapRef(bitbucketServer.caRef, context, `${field}.bitbucketServer.caRef`);
    const headers = await bitbucketServerAuth(bitbucketServer, context, `${field}.bitbucketServer`);
    const access = accessTo({ base: bitbucketServerBase(bitbucketServer.api), headers, insecure, ca }, context);
    return bitbucketServerRepositories({ access, project, allBranches, cloneProtocol });
  }
  if (azureDevOps) {
    const { organization, teamProject, allBranches = false, api } = azureDevOps;
    const token = await readSecretRef(azureDevOps.accessTokenRef, context, `${field}.azureDevOps.accessTokenRef`);
    if (token === '')
      throw failure(generatorInvalid, {
        message: 'error initializing Azure Devops service: no access token provided',
        place: { field: `${field}.azureDevOps.accessTokenRef` },
        remedies: ['Name a Secret with a personal access token'],
      });
    const access = accessTo({ base: azureBase(api, organization), headers: azureHeaders(token) }, context);
    return azureRepositories({ access, organization, teamProject, allBranches });
  }
  if (bitbucket) {
    const { owner, user, allBranches = false } = bitbucket;
    const password = await readSecretRef(bitbucket.appPasswordRef, context, `${field}.bitbucket.appPasswordRef`);
    const access = accessTo({ base: bitbucketCloudBase, headers: authorization({ user, password }) }, context);
    return bitbucketCloudRepositories({ access, owner, allBranches, cloneProtocol });
  }
  if (awsCodeCommit) {
    const { region, role, tagFilters = [], allBranches = false } = awsCodeCommit;
    return codeCommitRepositories({ region, role, tagFilters, allBranches, cloneProtocol });
  }
  return undefined;
}
