import { failure } from '@tiphys/diagnosis';
import { generatorInvalid, scmRefused } from '../diagnoses/diagnoses.ts';
import { cloneUrl } from './clone-url.ts';
import type { HostedRepository, RepositoryHost } from './host.ts';

export interface CodeCommitOptions {
  readonly region?: string | undefined;
  /** ARN of a role that is assumed; the identity of the process without one. */
  readonly role?: string | undefined;
  readonly tagFilters: readonly { readonly key: string; readonly value?: string }[];
  readonly allBranches: boolean;
  readonly cloneProtocol?: string | undefined;
}

/** Errors that mean that there is no such path. */
const absent = new Set([
  'RepositoryDoesNotExistException',
  'CommitDoesNotExistException',
  'FolderDoesNotExistException',
]);

/** Repositories of AWS CodeCommit, all of an account or those with tags. The organization is the account. */
export async function codeCommitRepositories(options: CodeCommitOptions): Promise<RepositoryHost> {
  const [{ CodeCommit }, { ResourceGroupsTaggingAPI }, { fromTemporaryCredentials }] = await Promise.all([
    import('@aws-sdk/client-codecommit'),
    import('@aws-sdk/client-resource-groups-tagging-api'),
    import('@aws-sdk/credential-providers'),
  ]);
  const settings = {
    ...(options.region ? { region: options.region } : {}),
    ...(options.role ? { credentials: fromTemporaryCredentials({ params: { RoleArn: options.role } }) } : {}),
  };
  const commits = new CodeCommit(settings);
  const tags = new ResourceGroupsTaggingAPI(settings);

  async function names(): Promise<string[]> {
    const found: string[] = [];
    let token: string | undefined;
    do {
      if (options.tagFilters.length === 0) {
        const page = await commits.listRepositories(token ? { nextToken: token } : {});
        found.push(...(page.repositories ?? []).map(({ repositoryName }) => repositoryName ?? ''));
        token = page.nextToken;
      } else {
        const page = await tags.getResources({
          ResourceTypeFilters: ['codecommit:repository'],
          TagFilters: tagFilters(options.tagFilters),
          ...(token ? { PaginationToken: token } : {}),
        });
        const arns = (page.ResourceTagMappingList ?? []).map(({ ResourceARN }) => ResourceARN ?? '');
        found.push(...arns.map((arn) => arn.split(':').slice(5).join(':')));
        token = page.PaginationToken || undefined;
      }
    } while (token);
    return found.filter(Boolean);
  }

  return {
    repositories: () =>
      asked(async () => {
        const repositories: HostedRepository[] = [];
        for (const repositoryName of await names()) {
          const { repositoryMetadata: found } = await commits.getRepository({ repositoryName });
          // without a default branch nothing was ever pushed
          if (!found?.defaultBranch) continue;
          const https = found.cloneUrlHttp;
          repositories.push({
            organization: found.accountId ?? '',
            repository: found.repositoryName ?? repositoryName,
            id: found.repositoryId ?? '',
            url: cloneUrl(options.cloneProtocol, 'codecommit', {
              ssh: found.cloneUrlSsh,
              https,
              ...(options.cloneProtocol === 'https-fips' ? { 'https-fips': fipsUrl(https ?? '') } : {}),
            }),
            branch: found.defaultBranch,
            sha: '',
            labels: [],
          });
        }
        return repositories;
      }),

    branches: (repository) =>
      asked(async () => {
        if (!options.allBranches) return [repository];
        const branches: HostedRepository[] = [];
        let token: string | undefined;
        do {
          const page = await commits.listBranches({
            repositoryName: repository.repository,
            ...(token ? { nextToken: token } : {}),
          });
          branches.push(...(page.branches ?? []).map((branch) => ({ ...repository, branch })));
          token = page.nextToken;
        } while (token);
        return branches;
      }),

    hasPath: (repository, path) =>
      asked(async () => {
        const parts = path.split('/').filter(Boolean);
        const name = parts.pop();
        if (name === undefined) return true;
        try {
          const folder = await commits.getFolder({
            repositoryName: repository.repository,
            commitSpecifier: repository.branch,
            folderPath: `/${parts.join('/')}`,
          });
          const entries = [
            ...(folder.files ?? []),
            ...(folder.subFolders ?? []),
            ...(folder.subModules ?? []),
            ...(folder.symbolicLinks ?? []),
          ];
          return entries.some(({ relativePath }) => relativePath === name);
        } catch (error) {
          if (absent.has((error as Error).name)) return false;
          throw error;
        }
      }),
  };
}

function tagFilters(filters: CodeCommitOptions['tagFilters']) {
  const values = new Map<string, string[]>();
  for (const { key, value } of filters) values.set(key, [...(values.get(key) ?? []), ...(value ? [value] : [])]);
  return [...values].map(([Key, Values]) => ({ Key, ...(Values.length > 0 ? { Values } : {}) }));
}

function fipsUrl(url: string): string {
  if (url.startsWith('https://git-codecommit-fips.')) return url;
  if (url.startsWith('https://git-codecommit.'))
    return url.replace('https://git-codecommit.', 'https://git-codecommit-fips.');
  throw failure(generatorInvalid, {
    message: `the provided https endpoint isn't recognized, cannot be transformed to FIPS endpoint: ${url}`,
    place: { field: 'scmProvider.cloneProtocol' },
    remedies: ['Use https or ssh'],
  });
}

/** What the SDK throws, as a diagnosis; its name and words say what was wrong, and hold no secret. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'DiagnosisError') throw error;
    throw failure(
      scmRefused,
      {
        message: `AWS CodeCommit did not answer as expected: ${name}: ${message}`,
        place: { remote: 'codecommit' },
        remedies: [
          'Look at region and role of the generator, and at the permissions of the role',
          'Nothing was changed; the set is evaluated again by itself',
        ],
      },
      { handling: 'retryable', cause: error },
    );
  }
}
