import type { SCMProviderGenerator, SCMProviderGeneratorFilter } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';
import { prefixed } from '../diagnoses/prefixed.ts';
import { normalizeName } from '../params/names.ts';
import { newParams, type Params } from '../params/params.ts';
import type { HostedRepository, RepositoryHost } from '../scm/host.ts';
import { compilePattern } from './filters.ts';
import type { Generator } from './generator.ts';
import { permitHost } from './host-access.ts';
import { repositoryHost } from './repository-host.ts';
import { addValues } from './values.ts';

const defaultRequeue = 30 * 60_000;

/** The repositories of an organization of a Git host, with the branches that are wanted. */
export const scmProviderGenerator: Generator<SCMProviderGenerator> = {
  async generate(spec, context, field) {
    const place = `${field}.scmProvider`;
    permitHost(customApi(spec), context, place);
    const host = await prefixed('scm provider', () => repositoryHost(spec, context, place));
    if (!host)
      throw failure(generatorInvalid, {
        message: 'no SCM provider implementation configured',
        place: { field: place },
        remedies: ['Set one of github, gitlab, gitea, bitbucket, bitbucketServer, azureDevOps, awsCodeCommit'],
      });
    const repositories = await prefixed('error listing repos', () =>
      chosen(host, spec.filters ?? [], `${place}.filters`),
    );
    const elements = repositories.map((repository) => ({
      params: addValues(paramsOf(repository), spec.values, context.dialect),
      origin: {
        field: place,
        generator: 'scmProvider',
        element: `${repository.organization}/${repository.repository} at ${repository.branch}`,
      },
    }));
    return { elements, gaps: [] };
  },
  requeueAfter: ({ requeueAfterSeconds }) =>
    requeueAfterSeconds === undefined ? defaultRequeue : requeueAfterSeconds * 1000 || undefined,
};

function customApi({ github, gitlab, gitea, bitbucketServer, azureDevOps }: SCMProviderGenerator): string | undefined {
  return github?.api || gitlab?.api || gitea?.api || bitbucketServer?.api || azureDevOps?.api;
}

interface Filter {
  readonly kind: 'repository' | 'branch' | 'none';
  matches(host: RepositoryHost, repository: HostedRepository): Promise<boolean>;
}

/**
 * Upstream rule: filters that look at branches or paths choose among branches, the others among repositories; of each sort one must
 * hold, if there are any.
 */
async function chosen(
  host: RepositoryHost,
  filters: readonly SCMProviderGeneratorFilter[],
  field: string,
): Promise<HostedRepository[]> {
  const compiled = filters.map((filter, index) => compileFilter(filter, `${field}[${index}]`));
  const keep = async (repositories: readonly HostedRepository[], kind: Filter['kind']) => {
    const wanted = compiled.filter((filter) => filter.kind === kind);
    if (wanted.length === 0) return [...repositories];
    const kept: HostedRepository[] = [];
    for (const repository of repositories)
      for (const filter of wanted)
        if (await filter.matches(host, repository)) {
          kept.push(repository);
          break;
        }
    return kept;
  };
  const repositories = await keep(await host.repositories(), 'repository');
  const branches: HostedRepository[] = [];
  for (const repository of repositories) branches.push(...(await host.branches(repository)));
  return keep(branches, 'branch');
}

function compileFilter(filter: SCMProviderGeneratorFilter, field: string): Filter {
  const repository = compilePattern(filter.repositoryMatch, 'RepositoryMatch', `${field}.repositoryMatch`);
  const label = compilePattern(filter.labelMatch, 'LabelMatch', `${field}.labelMatch`);
  const branch = compilePattern(filter.branchMatch, 'BranchMatch', `${field}.branchMatch`);
  const { pathsExist, pathsDoNotExist } = filter;
  const kind = branch || pathsExist || pathsDoNotExist ? 'branch' : repository || label ? 'repository' : 'none';
  return {
    kind,
    async matches(host, found) {
      if (repository && !repository(found.repository)) return false;
      if (branch && !branch(found.branch)) return false;
      if (label && !found.labels.some(label)) return false;
      for (const path of pathsExist ?? []) if (!(await host.hasPath(found, trimSlash(path)))) return false;
      for (const path of pathsDoNotExist ?? []) if (await host.hasPath(found, trimSlash(path))) return false;
      return true;
    },
  };
}

function trimSlash(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function paramsOf({ organization, repository, id, url, branch, sha, labels }: HostedRepository): Params {
  return newParams({
    organization,
    repository,
    repository_id: id,
    url,
    branch,
    sha,
    short_sha: sha.slice(0, 8),
    short_sha_7: sha.slice(0, 7),
    labels: labels.join(','),
    branchNormalized: normalizeName(branch),
  });
}
