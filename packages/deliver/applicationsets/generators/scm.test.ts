import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import {
  applicationSet,
  type FixedData,
  fixedSources,
  type Reply,
  type StandIn,
  standIn,
} from '../testing/fixed-sources.ts';
import { evaluate } from './evaluate.ts';

const secrets = { creds: { token: 'tok', password: 'pw', githubAppPrivateKey: 'key' } };
const tokenRef = { secretName: 'creds', key: 'token' };

async function evaluated(generator: object, data: FixedData = {}) {
  const set = applicationSet({ goTemplate: true, generators: [generator] });
  const sources = fixedSources({ secrets, ...data });
  const context = { set, dialect: { goTemplate: true, options: [] }, sources, refresh: false };
  const [result] = await evaluate(generator, context, 'spec.generators[0]');
  assert.ok(result);
  return { params: result.elements.map(({ params }) => ({ ...params }) as Record<string, string>), gaps: result.gaps };
}

/** Runs with a stand-in for an API that answers the routes. */
async function against<T>(routes: Readonly<Record<string, Reply>>, run: (api: StandIn) => Promise<T>): Promise<T> {
  const api = await standIn(routes);
  try {
    return await run(api);
  } finally {
    await api.close();
  }
}

const facts = ({ organization, repository, url, branch, sha }: Record<string, string>) =>
  [organization, repository, url, branch, sha].join(' ');

async function refused(run: Promise<unknown>): Promise<DiagnosisError> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof DiagnosisError, `refused with ${String(error)}`);
  return error;
}

const githubRepo = (name: string, more: object = {}) => ({
  id: 1,
  name,
  owner: { login: 'org' },
  default_branch: 'main',
  ssh_url: `git@git.example.com:org/${name}.git`,
  clone_url: `https://git.example.com/org/${name}.git`,
  topics: ['team-a'],
  archived: false,
  ...more,
});

test('GitHub: all pages, the default branches, filters by name, label, branch and path', async () => {
  const routes = {
    'GET /api/v3/orgs/org/repos?per_page=100': {
      status: 200,
      body: [githubRepo('web'), githubRepo('old', { archived: true })],
      headers: { link: '<%URL%/api/v3/orgs/org/repos?per_page=100&page=2>; rel="next", <%URL%/x>; rel="last"' },
    },
    'GET /api/v3/orgs/org/repos?per_page=100&page=2': [githubRepo('api'), githubRepo('empty')],
    'GET /api/v3/repos/org/web/branches/main': { name: 'main', commit: { sha: '0123456789abcdef' } },
    'GET /api/v3/repos/org/api/branches/main': { name: 'main', commit: { sha: 'fedcba9876543210' } },
    'GET /api/v3/repos/org/web/contents/k8s?ref=main': {},
  };
  await against(routes, async ({ url, requests }) => {
    const github = { organization: 'org', api: url, tokenRef, excludeArchivedRepos: true };
    const all = await evaluated({ scmProvider: { github, cloneProtocol: 'https' } });
    assert.deepEqual(all.params.map(facts), [
      'org web https://git.example.com/org/web.git main 0123456789abcdef',
      'org api https://git.example.com/org/api.git main fedcba9876543210',
    ]);
    const { short_sha, short_sha_7, labels, repository_id } = all.params[0] ?? {};
    assert.deepEqual([short_sha, short_sha_7, labels, repository_id], ['01234567', '0123456', 'team-a', 1]);
    assert.ok(requests.every((request) => request.endsWith('Bearer tok')));
    const filters = [{ repositoryMatch: '^w', labelMatch: 'team' }, { pathsExist: ['k8s/'] }];
    const some = await evaluated({ scmProvider: { github, filters } });
    assert.deepEqual(some.params.map(facts), ['org web git@git.example.com:org/web.git main 0123456789abcdef']);
    const protocol = await refused(evaluated({ scmProvider: { github, cloneProtocol: 'ftp' } }));
    assert.match(protocol.diagnosis.message, /unknown clone protocol for GitHub ftp/);
  });
});

test('GitHub: pull requests with labels and filters; an App’s token; a repository that is not there', async () => {
  const pull = (number: number, ref: string, labels: string[]) => ({
    number,
    title: `PR ${number}`,
    head: { ref, sha: '0123456789' },
    base: { ref: 'main' },
    user: { login: 'me' },
    labels: labels.map((name) => ({ name })),
  });
  const routes = {
    'GET /api/v3/repos/o/r/pulls?per_page=100': [pull(1, 'feature/A_thing', ['preview', 'x']), pull(2, 'fix', ['x'])],
  };
  await against(routes, async ({ url, requests }) => {
    const github = { owner: 'o', repo: 'r', api: url, labels: ['preview'], appSecretName: 'creds' };
    const { params } = await evaluated({ pullRequest: { github } });
    assert.deepEqual(params, [
      {
        number: '1',
        title: 'PR 1',
        branch: 'feature/A_thing',
        branch_slug: 'feature-a-thing',
        target_branch: 'main',
        target_branch_slug: 'main',
        head_sha: '0123456789',
        head_short_sha: '01234567',
        head_short_sha_7: '0123456',
        author: 'me',
        labels: ['preview', 'x'],
      },
    ]);
    assert.match(requests[0] ?? '', /Bearer app-token$/);
    const filters = [{ branchMatch: '^fix$', targetBranchMatch: 'main' }, { titleMatch: '7' }];
    const filtered = await evaluated({ pullRequest: { github: { ...github, labels: [] }, filters } });
    assert.deepEqual(
      filtered.params.map(({ number }) => number),
      ['2'],
    );
    const absent = { ...github, repo: 'gone' };
    assert.equal(
      (await refused(evaluated({ pullRequest: { github: absent } }))).diagnosis.code,
      'ScmRepositoryNotFound',
    );
    const kept = await evaluated({ pullRequest: { github: absent, continueOnRepoNotFoundError: true } });
    assert.deepEqual([kept.params.length, kept.gaps[0]?.code], [0, 'GeneratorIncomplete']);
  });
});

test('GitLab: projects of a group with their subgroups, files and folders, merge requests', async () => {
  const project = {
    id: 7,
    path: 'web',
    namespace: { full_path: 'group/sub' },
    default_branch: 'main',
    ssh_url_to_repo: 'git@gitlab.example.com:group/sub/web.git',
    http_url_to_repo: 'https://gitlab.example.com/group/sub/web.git',
    topics: ['t'],
  };
  const routes = {
    'GET /api/v4/groups/group%2Fsub/projects?per_page=100&include_subgroups=true&with_shared=true&topic=': [project],
    'GET /api/v4/projects/7/repository/branches?per_page=100': [
      { name: 'main', commit: { id: 'a1' } },
      { name: 'dev', commit: { id: 'b2' } },
    ],
    'GET /api/v4/projects/7/repository/tree?per_page=1&path=k8s&ref=dev': [{ name: 'x' }],
    'GET /api/v4/projects/7/repository/tree?per_page=1&path=k8s&ref=main': [],
    'GET /api/v4/projects/group%2Fsub%2Fweb/merge_requests?per_page=100&labels=a%2Cb&state=opened': [
      {
        iid: 3,
        title: 'MR',
        source_branch: 'f',
        target_branch: 'main',
        sha: 'c3',
        labels: ['a', 'b'],
        author: { username: 'me' },
      },
    ],
  };
  await against(routes, async ({ url, requests }) => {
    const gitlab = { group: 'group/sub', api: url, tokenRef, allBranches: true, includeSubgroups: true };
    const filters = [{ pathsExist: ['k8s'] }];
    const { params } = await evaluated({ scmProvider: { gitlab, filters } });
    assert.deepEqual(params.map(facts), ['group/sub web git@gitlab.example.com:group/sub/web.git dev b2']);
    assert.ok(requests.every((request) => request.endsWith(' tok')));
    const merge = { project: 'group/sub/web', api: url, labels: ['a', 'b'], pullRequestState: 'opened' };
    const { params: pulls } = await evaluated({ pullRequest: { gitlab: merge } });
    assert.deepEqual(
      pulls.map(({ number, head_sha, author }) => [number, head_sha, author]),
      [['3', 'c3', 'me']],
    );
  });
});

test('Gitea: repositories of an organization with their labels, paths, pull requests', async () => {
  const routes = {
    'GET /api/v1/orgs/o/repos?limit=50': [
      { id: 4, name: 'web', default_branch: 'main', ssh_url: 'git@g:o/web.git', html_url: 'https://g/o/web' },
    ],
    'GET /api/v1/repos/o/web/labels?limit=50': [{ name: 'l' }],
    'GET /api/v1/repos/o/web/branches/main': { name: 'main', commit: { id: 'a1' } },
    'GET /api/v1/repos/o/web/contents/k8s?ref=main': [{}],
    'GET /api/v1/repos/o/web/pulls?state=open&limit=50': [
      { number: 5, title: 'P', head: { ref: 'f', sha: 's' }, base: { ref: 'main' }, user: { login: 'me' }, labels: [] },
    ],
  };
  await against(routes, async ({ url, requests }) => {
    const gitea = { owner: 'o', api: url, tokenRef };
    const { params } = await evaluated({ scmProvider: { gitea, filters: [{ pathsExist: ['k8s'] }] } });
    assert.deepEqual(params.map(facts), ['o web git@g:o/web.git main a1']);
    assert.match(requests[0] ?? '', / token tok$/);
    const pulls = await evaluated({ pullRequest: { gitea: { ...gitea, repo: 'web' } } });
    assert.deepEqual(
      pulls.params.map(({ number, branch }) => [number, branch]),
      [['5', 'f']],
    );
  });
});

test('Bitbucket Server: pages by start, default branches, an empty repository, pull requests', async () => {
  const repo = (name: string) => ({
    id: 1,
    name,
    slug: name,
    project: { key: 'P' },
    links: {
      clone: [
        { name: 'ssh', href: `ssh://b/${name}` },
        { name: 'http', href: `https://b/${name}` },
      ],
    },
  });
  const base = '/rest/api/1.0/projects/P/repos';
  const routes = {
    [`GET ${base}?limit=100`]: { values: [repo('web')], isLastPage: false, nextPageStart: 1 },
    [`GET ${base}?limit=100&start=1`]: { values: [repo('empty')], isLastPage: true },
    [`GET ${base}/web/branches/default`]: { displayId: 'main', latestCommit: 'a1' },
    [`GET ${base}/web/browse/k8s?at=main&type=true&limit=100`]: { type: 'DIRECTORY' },
    [`GET ${base}/web/pull-requests?limit=100`]: {
      values: [
        {
          id: 9,
          title: 'P',
          fromRef: { displayId: 'f', latestCommit: 'c' },
          toRef: { displayId: 'main' },
          author: { user: { name: 'me' } },
        },
      ],
      isLastPage: true,
    },
  };
  await against(routes, async ({ url, requests }) => {
    const bitbucketServer = {
      project: 'P',
      api: url,
      basicAuth: { username: 'u', passwordRef: { ...tokenRef, key: 'password' } },
    };
    const { params } = await evaluated({
      scmProvider: { bitbucketServer, cloneProtocol: 'https', filters: [{ pathsExist: ['k8s'] }] },
    });
    assert.deepEqual(params.map(facts), ['P web https://b/web main a1']);
    assert.match(requests[0] ?? '', new RegExp(`Basic ${Buffer.from('u:pw').toString('base64')}$`));
    const pulls = await evaluated({
      pullRequest: { bitbucketServer: { project: 'P', repo: 'web', api: url, bearerToken: { tokenRef } } },
    });
    assert.deepEqual(
      pulls.params.map(({ number, author }) => [number, author]),
      [['9', 'me']],
    );
    assert.match(requests.at(-1) ?? '', /Bearer tok$/);
  });
});

test('Bitbucket Cloud: pull requests over pages', async () => {
  const pull = (id: number) => ({
    id,
    title: 'P',
    source: { branch: { name: 'f' }, commit: { hash: 'c' } },
    destination: { branch: { name: 'main' } },
    author: { nickname: 'me' },
  });
  const routes = {
    'GET /repositories/o/r/pullrequests?pagelen=50': {
      values: [pull(1)],
      next: '%URL%/repositories/o/r/pullrequests?page=2',
    },
    'GET /repositories/o/r/pullrequests?page=2': { values: [pull(2)] },
  };
  await against(routes, async ({ url }) => {
    const { params } = await evaluated({ pullRequest: { bitbucket: { owner: 'o', repo: 'r', api: url } } });
    assert.deepEqual(
      params.map(({ number }) => number),
      ['1', '2'],
    );
  });
});

test('Azure DevOps: repositories that have a default branch, items that are not there, pull requests of one repository', async () => {
  const base = '/org/team/_apis/git';
  const routes = {
    [`GET ${base}/repositories?api-version=7.1`]: {
      value: [
        { id: 'i1', name: 'web', defaultBranch: 'refs/heads/main', remoteUrl: 'https://az/web' },
        { id: 'i2', name: 'empty', remoteUrl: 'https://az/empty' },
      ],
    },
    [`GET ${base}/repositories/web/stats/branches?name=main&api-version=7.1`]: {
      name: 'main',
      commit: { commitId: 'a1' },
    },
    [`GET ${base}/repositories/i1/items?path=k8s&versionDescriptor.version=main&api-version=7.1`]: {
      status: 404,
      body: { typeKey: 'GitItemNotFoundException' },
    },
    [`GET ${base}/pullrequests?$top=100&$skip=0&api-version=7.1`]: {
      value: ['web', 'other'].map((name, index) => ({
        pullRequestId: index + 1,
        title: 'P',
        repository: { name },
        sourceRefName: 'refs/heads/f',
        targetRefName: 'refs/heads/main',
        lastMergeSourceCommit: { commitId: 'c' },
        createdBy: { uniqueName: 'me@example.com' },
        labels: [{ name: 'l' }],
      })),
    },
  };
  await against(routes, async ({ url, requests }) => {
    const azureDevOps = { organization: 'org', teamProject: 'team', api: url, accessTokenRef: tokenRef };
    const { params } = await evaluated({ scmProvider: { azureDevOps } });
    assert.deepEqual(params.map(facts), ['org web https://az/web main a1']);
    assert.match(requests[0] ?? '', new RegExp(`Basic ${Buffer.from(':tok').toString('base64')}$`));
    const none = await evaluated({ scmProvider: { azureDevOps, filters: [{ pathsExist: ['k8s'] }] } });
    assert.equal(none.params.length, 0);
    const azuredevops = { organization: 'org', project: 'team', repo: 'web', api: url, labels: ['l'] };
    const pulls = await evaluated({ pullRequest: { azuredevops } });
    assert.deepEqual(
      pulls.params.map(({ number, branch, author }) => [number, branch, author]),
      [['1', 'f', 'me']],
    );
  });
});

test('AWS CodeCommit: repositories by name or tag, in the words of the service', async (t) => {
  const before = { ...process.env };
  t.after(() => {
    process.env = before;
  });
  const service = 'POST / CodeCommit_20150413';
  const metadata = {
    repositoryMetadata: {
      accountId: '1234',
      repositoryName: 'web',
      repositoryId: 'id',
      defaultBranch: 'main',
      cloneUrlHttp: 'https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/web',
      cloneUrlSsh: 'ssh://git-codecommit.eu-west-1.amazonaws.com/v1/repos/web',
    },
  };
  const routes = {
    [`${service}.ListRepositories`]: { repositories: [{ repositoryName: 'web' }] },
    'POST / ResourceGroupsTaggingAPI_20170126.GetResources': {
      ResourceTagMappingList: [{ ResourceARN: 'arn:aws:codecommit:eu-west-1:1234:web' }],
    },
    [`${service}.GetRepository`]: metadata,
    [`${service}.ListBranches`]: { branches: ['main', 'dev'] },
    [`${service}.GetFolder`]: { subFolders: [{ relativePath: 'k8s' }], files: [], subModules: [], symbolicLinks: [] },
  };
  await against(routes, async ({ url }) => {
    Object.assign(process.env, { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
    const awsCodeCommit = { region: 'eu-west-1', allBranches: true };
    const all = await evaluated({ scmProvider: { awsCodeCommit, cloneProtocol: 'https-fips' } });
    assert.deepEqual(all.params.map(facts), [
      '1234 web https://git-codecommit-fips.eu-west-1.amazonaws.com/v1/repos/web main ',
      '1234 web https://git-codecommit-fips.eu-west-1.amazonaws.com/v1/repos/web dev ',
    ]);
    const tagged = { region: 'eu-west-1', tagFilters: [{ key: 'team', value: 'a' }] };
    const found = await evaluated({ scmProvider: { awsCodeCommit: tagged, filters: [{ pathsExist: ['/k8s'] }] } });
    assert.equal(found.params.length, 1);
    const none = await evaluated({ scmProvider: { awsCodeCommit: tagged, filters: [{ pathsExist: ['x'] }] } });
    assert.equal(none.params.length, 0);
  });
});

test('hosts, Secrets and pages that the settings do not permit are refused, and no credentials leave the host', async () => {
  const github = { organization: 'org', api: 'https://git.example.com', tokenRef };
  const generator = { scmProvider: { github } };
  const disabled = await refused(evaluated(generator, { settings: { enableScmProviders: false } }));
  assert.match(disabled.diagnosis.message, /scm providers are disabled/);
  const other = await refused(evaluated(generator, { settings: { allowedScmProviders: ['https://a', 'https://b'] } }));
  assert.match(
    other.diagnosis.message,
    /scm provider "https:\/\/git.example.com" not allowed, must use one of the following: https:\/\/a, https:\/\/b/,
  );
  const strict = { tokenRefStrictMode: true };
  const unlabelled = await refused(evaluated(generator, { settings: strict }));
  assert.match(
    unlabelled.diagnosis.message,
    /^scm provider: error fetching Github token: secret argocd\/creds is not a valid SCM creds secret/,
  );
  const elsewhere = {
    'GET /api/v3/orgs/org/repos?per_page=100': {
      status: 200,
      body: [githubRepo('web')],
      headers: { link: '<https://evil.example.com/steal>; rel="next"' },
    },
  };
  await against(elsewhere, async ({ url }) => {
    const labels = { 'argocd.argoproj.io/secret-type': 'scm-creds' };
    const run = evaluated({ scmProvider: { github: { ...github, api: url } } }, { settings: strict, labels });
    assert.match((await refused(run)).diagnosis.message, /next page on another host/);
  });
});

test('what a host answers is told: limits, refusals, pages that are no JSON; never the token', async () => {
  const routes = {
    'GET /api/v3/orgs/limited/repos?per_page=100': {
      status: 403,
      body: { message: 'API rate limit exceeded' },
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1700000000' },
    },
    'GET /api/v3/orgs/moved/repos?per_page=100': {
      status: 302,
      headers: { location: 'https://elsewhere.example.com' },
    },
  };
  await against(routes, async ({ url }) => {
    const ask = (organization: string) =>
      refused(evaluated({ scmProvider: { github: { organization, api: url, tokenRef } } }));
    const limited = (await ask('limited')).diagnosis;
    assert.match(limited.message, /The host limits our requests/);
    assert.ok(limited.evidence.some(({ name, value }) => name === 'limit resets' && value === '1700000000'));
    assert.match((await ask('moved')).diagnosis.message, /redirects the request \(302\)/);
    assert.match((await ask('unknown')).diagnosis.message, /does not know this/);
    for (const organization of ['limited', 'moved', 'unknown'])
      assert.ok(!JSON.stringify((await ask(organization)).diagnosis).includes('tok"'));
  });
});
