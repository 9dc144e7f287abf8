import { denied, type Fixture, type MethodCases, server } from './api-method-cases.ts';

/** By method, in an order in which they can be called. */
export function repositoryCases(fixture: Fixture): Record<string, MethodCases> {
  const { target, repository, charts, registry } = fixture;
  const source = { repoURL: repository, path: 'app', targetRevision: 'main' };
  const _destination = { server, namespace: target };
  return {
    'repository.getAppDetails': {
      right: {
        request: { source: { ...source, path: 'helm' }, appProject: 'default', appName: 'api-other' },
        holds: ({ type, helm }: { type: string; helm: { values: string } }) =>
          type === 'Helm' && helm.values.includes('replicas'),
      },
      missing: [{ source, appProject: 'absent', appName: 'api-other' }, 'NotFound'],
      denied: denied({ source, appProject: 'default', appName: 'api-other' }),
      bad: [{ source: { ...source, path: 'absent' }, appProject: 'default', appName: 'api-other' }, 'Unknown'],
    },
    'repository.getHelmCharts': {
      right: {
        request: { repo: charts },
        holds: ({ items }: { items: { name: string; versions: string[] }[] }) =>
          items[0]?.name === 'web' && items[0].versions.includes('1.0.0'),
      },
      denied: denied({ repo: charts }),
      bad: [{ repo: 'http://127.0.0.1:1' }, 'Unknown'],
    },
    'repository.listOCITags': {
      right: { request: { repo: registry }, holds: ({ tags }: { tags: string[] }) => tags.includes('1.0.0') },
      denied: denied({ repo: registry }),
      bad: [{ repo: repository }, 'Unknown'],
    },
  };
}

/** How repositories and templates of credentials are written, listed and forgotten. */
export function recordCases({ repository, charts }: Fixture): Record<string, MethodCases> {
  const url = 'https://git.example.test/';
  const credentials = { url, username: 'robot', password: 'secret' };
  const absent = 'https://git.example.test/absent';
  const listed = (read: boolean): MethodCases => ({
    right: {
      request: {},
      holds: ({ items }: { items: { repo: string }[] | null }) => !read || items?.some(({ repo }) => repo === charts),
    },
  });
  const records = (create: string, update: string, remove: string): Record<string, MethodCases> => ({
    [`repository.${create}`]: {
      right: {
        request: { repo: { repo: repository, username: 'u', password: 'p' } },
        holds: (value: { repo: string; password?: string }) => value.repo === repository && !value.password,
        changes: true,
      },
      denied: denied({ repo: { repo: repository } }),
      bad: [{ repo: { repo: `${repository}-absent`, username: 'u', password: 'p' } }, 'Unknown'],
    },
    [`repository.${update}`]: {
      right: { request: { repo: { repo: repository, username: 'other', password: 'p' } }, changes: true },
      missing: [{ repo: { repo: absent } }, 'NotFound'],
      denied: denied({ repo: { repo: charts } }),
    },
    [`repository.${remove}`]: {
      right: { request: { repo: repository }, changes: true },
      missing: [{ repo: absent }, 'PermissionDenied'],
      denied: denied({ repo: charts }),
    },
  });
  const templates = (write: '' | 'Write'): Record<string, MethodCases> => ({
    [`repocreds.create${write}RepositoryCredentials`]: {
      right: {
        request: { creds: credentials },
        holds: (value: { url: string; password?: string }) => value.url === url && !value.password,
        changes: true,
      },
      denied: denied({ creds: credentials }),
      bad: [{ creds: { url: '' } }, 'InvalidArgument'],
    },
    [`repocreds.list${write}RepositoryCredentials`]: {
      right: {
        request: {},
        holds: ({ items }: { items: { url: string }[] }) => items.some((item) => item.url === url),
      },
    },
    [`repocreds.update${write}RepositoryCredentials`]: {
      right: { request: { creds: { ...credentials, username: 'other' } }, changes: true },
      missing: [{ creds: { url: 'https://absent.example.test/' } }, 'NotFound'],
      denied: denied({ creds: credentials }),
    },
    [`repocreds.delete${write}RepositoryCredentials`]: {
      right: { request: { url }, changes: true },
      missing: [{ url: 'https://absent.example.test/' }, 'NotFound'],
      denied: denied({ url }),
    },
  });
  return {
    'repository.list': listed(true),
    'repository.listRepositories': listed(true),
    'repository.listWriteRepositories': listed(false),
    'repository.get': {
      right: { request: { repo: charts }, holds: ({ type }: { type: string }) => type === 'helm' },
      missing: [{ repo: absent }, 'PermissionDenied'],
      denied: denied({ repo: charts }),
    },
    'repository.getWrite': { missing: [{ repo: absent }, 'PermissionDenied'], denied: denied({ repo: charts }) },
    'repository.listRefs': {
      right: {
        request: { repo: repository },
        holds: ({ branches }: { branches: string[] }) => branches.includes('main'),
      },
      denied: denied({ repo: repository }),
      bad: [{ repo: `${repository}-absent` }, 'Unknown'],
    },
    'repository.listApps': {
      right: {
        request: { repo: repository, revision: 'main', appProject: 'default' },
        holds: ({ items }: { items: { path: string; type: string }[] }) =>
          items.some(({ path, type }) => path === 'helm' && type === 'Helm'),
      },
      missing: [{ repo: repository, revision: 'main', appProject: 'absent' }, 'NotFound'],
      denied: denied({ repo: repository, revision: 'main', appProject: 'default' }),
      bad: [{ repo: repository, revision: 'no-such-branch', appProject: 'default' }, 'Unknown'],
    },
    'repository.validateAccess': {
      right: { request: { repo: repository } },
      denied: denied({ repo: repository }),
      bad: [{ repo: `${repository}-absent` }, 'Unknown'],
    },
    'repository.validateWriteAccess': {
      right: { request: { repo: repository } },
      denied: denied({ repo: repository }),
      bad: [{ repo: `${repository}-absent` }, 'Unknown'],
    },
    ...records('createRepository', 'updateRepository', 'deleteRepository'),
    ...records('create', 'update', 'delete'),
    ...records('createWriteRepository', 'updateWriteRepository', 'deleteWriteRepository'),
    ...templates(''),
    ...templates('Write'),
  };
}
