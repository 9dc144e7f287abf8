import type { PullRequestGenerator } from '@tiphys/api';
import { diagnose, failure } from '@tiphys/diagnosis';
import { generatorIncomplete, generatorInvalid } from '../diagnoses/diagnoses.ts';
import { prefixed } from '../diagnoses/prefixed.ts';
import { slug } from '../params/names.ts';
import { newParams, type Params } from '../params/params.ts';
import type { PullRequest } from '../scm/host.ts';
import { isRepositoryNotFound } from '../scm/not-found.ts';
import { compilePattern } from './filters.ts';
import type { Generated, Generator } from './generator.ts';
import { permitHost } from './host-access.ts';
import { pullRequestHost } from './pull-request-host.ts';
import { addValues } from './values.ts';

const defaultRequeue = 30 * 60_000;

/** The pull requests of a repository that are open. */
export const pullRequestGenerator: Generator<PullRequestGenerator> = {
  async generate(spec, context, field) {
    const place = `${field}.pullRequest`;
    permitHost(customApi(spec), context, place);
    const list = await prefixed('failed to select pull request service provider', () =>
      pullRequestHost(spec, context, place),
    );
    if (!list)
      throw failure(generatorInvalid, {
        message: 'no Pull Request provider implementation configured',
        place: { field: place },
        remedies: ['Set one of github, gitlab, gitea, bitbucket, bitbucketServer, azuredevops'],
      });
    const matches = compileFilters(spec.filters ?? [], `${place}.filters`);
    try {
      const pulls = (await list()).filter(matches);
      const elements = pulls.map((pull) => ({
        params: addValues(paramsOf(pull, context.dialect.goTemplate), spec.values, context.dialect),
        origin: { field: place, generator: 'pullRequest', element: `pull request ${pull.number}` },
      }));
      return { elements, gaps: [] };
    } catch (error) {
      if (!spec.continueOnRepoNotFoundError || !isRepositoryNotFound(error)) throw error;
      return { elements: [], gaps: [gapOf(error.diagnosis.message, place)] } satisfies Generated;
    }
  },
  requeueAfter: ({ requeueAfterSeconds }) =>
    requeueAfterSeconds === undefined ? defaultRequeue : requeueAfterSeconds * 1000 || undefined,
};

/** A token that lost its access looks the same as a repository that was deleted. */
function gapOf(message: string, field: string) {
  return diagnose(generatorIncomplete, {
    message: `${message}, so its pull requests are not known (continueOnRepoNotFoundError)`,
    place: { field },
    remedies: ['Remove the repository from the generator once it is gone; then its Applications are deleted'],
  });
}

function customApi(spec: PullRequestGenerator): string | undefined {
  const { github, gitlab, gitea, bitbucket, bitbucketServer, azuredevops } = spec;
  return github?.api || gitlab?.api || gitea?.api || bitbucketServer?.api || bitbucket?.api || azuredevops?.api;
}

/** One of the filters must hold, if there are any; in one filter everything must. */
function compileFilters(filters: NonNullable<PullRequestGenerator['filters']>, field: string) {
  const compiled = filters.map((filter, index) => ({
    branch: compilePattern(filter.branchMatch, 'BranchMatch', `${field}[${index}].branchMatch`),
    target: compilePattern(filter.targetBranchMatch, 'TargetBranchMatch', `${field}[${index}].targetBranchMatch`),
    title: compilePattern(filter.titleMatch, 'TitleMatch', `${field}[${index}].titleMatch`),
  }));
  return (pull: PullRequest): boolean =>
    compiled.length === 0 ||
    compiled.some(
      ({ branch, target, title }) =>
        (!branch || branch(pull.branch)) && (!target || target(pull.targetBranch)) && (!title || title(pull.title)),
    );
}

/** Upstream rule: labels are for Go templates alone. */
function paramsOf(pull: PullRequest, goTemplate: boolean): Params {
  return newParams({
    number: String(pull.number),
    title: pull.title,
    branch: pull.branch,
    branch_slug: slug(pull.branch),
    target_branch: pull.targetBranch,
    target_branch_slug: slug(pull.targetBranch),
    head_sha: pull.headSha,
    head_short_sha: pull.headSha.slice(0, 8),
    head_short_sha_7: pull.headSha.slice(0, 7),
    author: pull.author,
    ...(goTemplate ? { labels: [...pull.labels] } : {}),
  });
}
