import type { Answer } from './api-client.ts';

type Code = Answer['code'];
type Request = Record<string, unknown>;
type Check = (value: never) => unknown;

/** What one method answers to a right request, and what to others; the codes are those of Argo CD 3.5.1. */
export interface MethodCases {
  /**
   * A request of the administrator, with what must be true of its answer; `changes` if it can be made once alone, `before` what
   * makes it right.
   */
  readonly right?: {
    readonly request: Request;
    readonly holds?: Check;
    readonly changes?: boolean;
    readonly before?: () => Promise<unknown>;
  };
  /** Something that is not there, asked for by the administrator. */
  readonly missing?: readonly [Request, Code];
  /** Of somebody without any permission. */
  readonly denied?: readonly [Request, Code];
  /** A request that is wrong in itself. */
  readonly bad?: readonly [Request, Code];
}

export interface Fixture {
  readonly namespace: string;
  /** Destination of the application `api-shop`. */
  readonly target: string;
  readonly repository: string;
  readonly commit: string;
  readonly charts: string;
  readonly registry: string;
  /** A cluster that is not registered, with credentials of a service account. */
  readonly cluster: { readonly server: string; readonly config: Readonly<Record<string, unknown>> };
  /** In the history of `api-shop`. */
  readonly deployment: number;
  /** Resolves when no operation of `api-shop` runs. */
  readonly settled: () => Promise<unknown>;
  /** Resolves when an operation of `api-stuck` waits for its next attempt. */
  readonly stuck: () => Promise<unknown>;
}

const server = 'https://kubernetes.default.svc';
const hostKey = Buffer.from('AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl').toString('base64');
const certificate = { serverName: 'git.example.test', certType: 'ssh', certSubType: 'ssh-ed25519', certData: hostKey };
const denied = (request: Request): readonly [Request, Code] => [request, 'PermissionDenied'];

/** By method, in an order in which they can be called. */
export function apiCases(fixture: Fixture): Record<string, MethodCases> {
  const { target, repository, commit, charts, registry, cluster } = fixture;
  const app = { name: 'api-shop' };
  const web = { namespace: target, resourceName: 'api-web', version: 'v1', group: 'apps', kind: 'Deployment' };
  const settings = { namespace: target, resourceName: 'api-settings', version: 'v1', group: '', kind: 'ConfigMap' };
  const source = { repoURL: repository, path: 'app', targetRevision: 'main' };
  const destination = { server, namespace: target };
  const draft = { metadata: { name: 'api-new' }, spec: { project: 'default', source, destination } };
  /** What all methods on one application have in common. */
  const ofApplication = (more: Request, name = 'name'): Pick<MethodCases, 'missing' | 'denied'> => ({
    missing: [{ [name]: 'api-absent', project: 'default', ...more }, 'NotFound'],
    denied: [{ [name]: 'api-shop', ...more }, 'PermissionDenied'],
  });
  const ofProject = (more: Request = {}): Pick<MethodCases, 'missing' | 'denied'> => ({
    missing: [{ name: 'api-absent', ...more }, 'NotFound'],
    denied: [{ name: 'api-team', ...more }, 'PermissionDenied'],
  });
  return {
    'version.version': {
      right: { request: {}, holds: ({ Version }: { Version: string }) => /^v3\.5\.1/.test(Version) },
    },
    'session.getUserInfo': {
      right: {
        request: {},
        holds: (value: { username: string; iss: string }) => value.username === 'admin' && value.iss === 'argocd',
      },
    },
    'session.create': {
      bad: [{ token: 'old' }, 'Unauthenticated'],
      missing: [{ username: 'absent', password: 'wrong' }, 'Unauthenticated'],
    },
    'settings.get': {
      right: {
        request: {},
        holds: (value: { passwordPattern: string; syncWithReplaceAllowed: boolean }) =>
          value.passwordPattern === '^.{8,32}$' && value.syncWithReplaceAllowed,
      },
    },
    'settings.getPlugins': { right: { request: {} } },
    'account.canI': {
      right: {
        request: { resource: 'applications', action: 'sync', subresource: 'default/api-shop' },
        holds: ({ value }: { value: string }) => value === 'yes',
      },
      bad: [{ resource: 'applications', action: 'fly', subresource: '*' }, 'InvalidArgument'],
    },
    'account.listAccounts': {
      right: {
        request: {},
        holds: ({ items }: { items: { name: string }[] }) => items.some(({ name }) => name === 'admin'),
      },
    },
    'account.getAccount': {
      right: {
        request: { name: 'api-robot' },
        holds: ({ capabilities }: { capabilities: string[] }) => capabilities.includes('apiKey'),
      },
      missing: [{ name: 'absent' }, 'NotFound'],
      denied: denied({ name: 'admin' }),
    },
    'account.createToken': {
      right: {
        request: { name: 'api-robot', id: 'once', expiresIn: 60 },
        holds: ({ token }: { token: string }) => token.length > 20,
        changes: true,
      },
      missing: [{ name: 'absent' }, 'NotFound'],
      denied: denied({ name: 'admin' }),
      bad: [{ name: 'admin' }, 'Unknown'],
    },
    'account.deleteToken': {
      right: { request: { name: 'api-robot', id: 'once' }, changes: true },
      missing: [{ name: 'absent', id: 'once' }, 'NotFound'],
      denied: denied({ name: 'admin', id: 'x' }),
      bad: [{ name: 'api-robot', id: 'never' }, 'NotFound'],
    },
    'account.updatePassword': {
      denied: denied({ name: 'admin', currentPassword: 'x', newPassword: 'password-2' }),
      bad: [{ name: 'admin', currentPassword: 'wrong', newPassword: 'password-2' }, 'InvalidArgument'],
    },
    'certificate.createCertificate': {
      right: {
        request: { certificates: { items: [certificate] } },
        holds: ({ items }: { items: { certInfo: string }[] }) => /^[^:]{40,}$/.test(items[0]?.certInfo ?? ''),
        changes: true,
      },
      denied: denied({ certificates: { items: [certificate] } }),
      bad: [{ certificates: { items: [{ ...certificate, certType: 'paper' }] } }, 'Unknown'],
    },
    'certificate.listCertificates': {
      right: {
        request: { hostNamePattern: 'git.*', certType: 'ssh' },
        holds: ({ items }: { items: { certInfo: string }[] }) => items[0]?.certInfo.startsWith('SHA256:'),
      },
      denied: denied({}),
    },
    'certificate.deleteCertificate': {
      right: {
        request: { hostNamePattern: 'git.example.test' },
        holds: ({ items }: { items: unknown[] }) => items.length === 1,
        changes: true,
      },
      denied: denied({ hostNamePattern: '*' }),
    },
    'cluster.list': {
      right: {
        request: {},
        holds: ({ items }: { items: { name: string }[] }) => items.some(({ name }) => name === 'in-cluster'),
      },
    },
    'cluster.get': {
      right: {
        request: { id: { type: 'name', value: 'in-cluster' } },
        holds: (value: { server: string }) => value.server === server,
      },
      missing: [{ id: { type: 'name', value: 'absent' } }, 'PermissionDenied'],
      denied: denied({ id: { type: 'name', value: 'in-cluster' } }),
    },
    'cluster.create': {
      right: {
        request: { cluster: { ...cluster, name: 'api-far' } },
        holds: (value: { name: string; config: { bearerToken?: string }; serverVersion: string }) =>
          value.name === 'api-far' && !value.config.bearerToken && /^v1\.\d+\.\d+$/.test(value.serverVersion),
        changes: true,
      },
      denied: denied({ cluster: { server: 'https://api.example.test', name: 'c' } }),
      bad: [{ cluster: { server: 'https://127.0.0.1:1', name: 'c', config: {} } }, 'Unknown'],
    },
    'cluster.update': {
      right: {
        request: {
          id: { type: 'name', value: 'api-far' },
          cluster: { name: 'api-farther', labels: { api: 'yes' } },
          updatedFields: ['name', 'labels'],
        },
        holds: (value: { name: string; labels: Record<string, string> }) =>
          value.name === 'api-farther' && value.labels.api === 'yes',
        changes: true,
      },
      missing: [{ id: { type: 'name', value: 'absent' }, cluster: { name: 'x' } }, 'PermissionDenied'],
      denied: denied({ id: { type: 'name', value: 'in-cluster' }, cluster: { name: 'x' } }),
    },
    'cluster.rotateAuth': {
      right: { request: { id: { type: 'name', value: 'api-farther' } }, changes: true },
      missing: [{ id: { type: 'name', value: 'absent' } }, 'PermissionDenied'],
      denied: denied({ id: { type: 'name', value: 'in-cluster' } }),
      bad: [{ id: { type: 'name', value: 'in-cluster' } }, 'InvalidArgument'],
    },
    'cluster.invalidateCache': {
      right: {
        request: { id: { type: 'name', value: 'in-cluster' } },
        holds: (value: { server: string }) => value.server === server,
        changes: true,
      },
      missing: [{ id: { type: 'name', value: 'absent' } }, 'PermissionDenied'],
      denied: denied({ id: { type: 'name', value: 'in-cluster' } }),
    },
    'cluster.delete': {
      right: { request: { id: { type: 'name', value: 'api-farther' } }, changes: true },
      missing: [{ id: { type: 'name', value: 'absent' } }, 'PermissionDenied'],
      denied: denied({ id: { type: 'name', value: 'in-cluster' } }),
    },
    ...repositoryCases(fixture),
    'project.list': { right: { request: {}, holds: ({ items }: { items: unknown[] }) => items.length >= 2 } },
    'project.get': {
      right: {
        request: { name: 'api-team' },
        holds: (value: { status: { jwtTokensByRole: object } }) => 'ci' in value.status.jwtTokensByRole,
      },
      ...ofProject(),
    },
    'project.getDetailedProject': {
      right: {
        request: { name: 'api-team' },
        holds: ({ project }: { project: { metadata: { name: string } } }) => project.metadata.name === 'api-team',
      },
      ...ofProject(),
    },
    'project.getGlobalProjects': { right: { request: { name: 'api-team' } }, ...ofProject() },
    'project.listEvents': {
      right: {
        request: { name: 'api-team' },
        holds: ({ items }: { items: { reason: string }[] }) => items.some(({ reason }) => reason === 'ResourceCreated'),
      },
      ...ofProject(),
    },
    'project.getSyncWindowsState': {
      right: {
        request: { name: 'api-team' },
        holds: ({ windows }: { windows: { timeZone: string }[] }) => windows[0]?.timeZone === 'UTC',
      },
      ...ofProject(),
    },
    'project.listLinks': {
      right: {
        request: { name: 'api-team' },
        holds: ({ items }: { items: { url: string }[] }) => items[0]?.url === 'https://wiki.example.test/api-team',
      },
      missing: [{ name: 'api-absent' }, 'NotFound'],
      denied: [{ name: 'api-team' }, 'Unknown'],
    },
    'project.create': {
      right: { request: { project: { metadata: { name: 'api-extra' }, spec: { sourceRepos: ['*'] } } }, changes: true },
      denied: denied({ project: { metadata: { name: 'api-other' }, spec: {} } }),
      bad: [
        {
          project: {
            metadata: { name: 'api-other' },
            spec: { syncWindows: [{ kind: 'maybe', schedule: '* * * * *', duration: '1h' }] },
          },
        },
        'Unknown',
      ],
    },
    'project.update': {
      missing: [{ project: { metadata: { name: 'api-absent' }, spec: {} } }, 'NotFound'],
      denied: denied({ project: { metadata: { name: 'api-extra' }, spec: {} } }),
    },
    'project.createToken': {
      right: {
        request: { project: 'api-team', role: 'ci', id: 'one' },
        holds: ({ token }: { token: string }) => token.length > 20,
        changes: true,
      },
      missing: [{ project: 'api-team', role: 'absent' }, 'NotFound'],
      denied: denied({ project: 'api-team', role: 'ci' }),
      bad: [{ project: 'api-team', role: 'ci', id: 'one' }, 'InvalidArgument'],
    },
    'project.deleteToken': {
      right: { request: { project: 'api-team', role: 'ci', id: 'one', iat: 0 }, changes: true },
      denied: denied({ project: 'api-team', role: 'ci', id: 'one', iat: 0 }),
    },
    'project.delete': {
      right: { request: { name: 'api-extra' }, changes: true },
      missing: [{ name: 'api-absent' }, 'NotFound'],
      denied: denied({ name: 'api-team' }),
      bad: [{ name: 'default' }, 'InvalidArgument'],
    },
    'application.list': {
      right: {
        request: { selector: 'team=api' },
        holds: ({ items }: { items: { metadata: { name: string } }[] }) =>
          items.length === 1 && items[0]?.metadata.name === 'api-shop',
      },
      bad: [{ selector: 'a in (' }, 'Unknown'],
    },
    'application.get': {
      right: {
        request: app,
        holds: (value: { status: { sync: { status: string } } }) => value.status.sync.status === 'Synced',
      },
      missing: [{ name: 'api-absent', project: ['default'] }, 'NotFound'],
      denied: denied(app),
      bad: [{ ...app, projects: ['a', 'b'] }, 'InvalidArgument'],
    },
    'application.watch': {
      right: { request: { name: 'api-shop' }, holds: ([first]: { type: string }[]) => first?.type === 'ADDED' },
      bad: [{ selector: 'a in (' }, 'Unknown'],
    },
    'application.getApplicationSyncWindows': {
      right: { request: app, holds: ({ canSync }: { canSync: boolean }) => canSync },
      ...ofApplication({}),
    },
    'application.listResourceEvents': {
      right: {
        request: app,
        holds: ({ items }: { items: { reason: string }[] }) =>
          items.some(({ reason }) => reason === 'OperationCompleted'),
      },
      ...ofApplication({}),
      bad: [{ ...app, resourceName: 'absent', resourceNamespace: target, resourceUID: 'x' }, 'InvalidArgument'],
    },
    'application.getManifests': {
      right: {
        request: app,
        holds: ({ manifests }: { manifests: string[] }) =>
          manifests.length === 3 &&
          manifests.every((text) => !text.includes('"namespace"') && !text.includes('aHVzaA==')),
      },
      ...ofApplication({}),
      bad: [{ ...app, revision: 'no-such-branch' }, 'Unknown'],
    },
    'application.getManifestsWithFiles': {
      missing: [{ query: { name: 'api-absent', checksum: '', project: 'default' } }, 'NotFound'],
      denied: denied({ query: { name: 'api-shop', checksum: '' } }),
      bad: [{ query: { name: '', checksum: '' } }, 'Unknown'],
    },
    'application.revisionMetadata': {
      right: {
        request: { ...app, revision: commit },
        holds: ({ author, message }: { author: string; message: string }) =>
          author === 'Test <test@example.com>' && message === 'Begin',
      },
      ...ofApplication({ revision: commit }),
      bad: [{ ...app, revision: 'main' }, 'Unknown'],
    },
    'application.revisionChartDetails': {
      right: {
        request: { name: 'api-chart', revision: '1.0.0' },
      },
      ...ofApplication({ revision: '1.0.0' }),
      bad: [{ ...app, revision: '1.0.0' }, 'Unknown'],
    },
    'application.getOCIMetadata': {
      right: {
        request: { name: 'api-artifact', revision: '1.0.0' },
        holds: ({ version }: { version: string }) => version === '1.0.0',
      },
      ...ofApplication({ revision: '1.0.0' }),
      bad: [{ ...app, revision: '1.0.0' }, 'Unknown'],
    },
    'application.managedResources': {
      right: {
        request: { applicationName: 'api-shop', kind: 'Secret' },
        holds: ({ items }: { items: { liveState: string }[] }) =>
          items.length === 1 && !items[0]?.liveState.includes('aHVzaA=='),
      },
      ...ofApplication({}, 'applicationName'),
    },
    'application.resourceTree': {
      right: {
        request: { applicationName: 'api-shop' },
        holds: ({ nodes }: { nodes: { kind: string }[] }) =>
          ['ConfigMap', 'Pod', 'Secret', 'Deployment', 'ReplicaSet'].every(
            (kind, index) => nodes[index]?.kind === kind,
          ),
      },
      ...ofApplication({}, 'applicationName'),
    },
    'application.watchResourceTree': {
      right: {
        request: { applicationName: 'api-shop' },
        holds: ([first]: { nodes: unknown[] }[]) => first?.nodes.length === 5,
      },
      ...ofApplication({}, 'applicationName'),
    },
    'application.getResource': {
      right: {
        request: { ...app, ...settings },
        holds: ({ manifest }: { manifest: string }) => manifest.includes('"value":"one"'),
      },
      ...ofApplication(settings),
      bad: [{ ...app, ...settings, resourceName: 'absent' }, 'InvalidArgument'],
    },
    'application.patchResource': {
      right: {
        request: {
          ...app,
          ...settings,
          patchType: 'application/merge-patch+json',
          patch: '{"metadata":{"labels":{"api":"yes"}}}',
        },
        holds: ({ manifest }: { manifest: string }) => manifest.includes('"api":"yes"'),
        changes: true,
      },
      ...ofApplication({ ...settings, patchType: 'application/merge-patch+json', patch: '{}' }),
      bad: [
        { ...app, ...settings, resourceName: 'absent', patchType: 'application/merge-patch+json', patch: '{}' },
        'InvalidArgument',
      ],
    },
    'application.listResourceActions': {
      right: {
        request: { ...app, ...web },
        holds: ({ actions }: { actions: { name: string }[] }) => actions.some(({ name }) => name === 'restart'),
      },
      ...ofApplication(web),
      bad: [{ ...app, ...web, resourceName: 'absent' }, 'InvalidArgument'],
    },
    'application.runResourceAction': {
      right: { request: { ...app, ...web, action: 'pause' }, changes: true },
      ...ofApplication({ ...web, action: 'pause' }),
      bad: [{ ...app, ...web, action: 'fly' }, 'Unknown'],
    },
    'application.runResourceActionV2': {
      right: { request: { ...app, ...web, action: 'resume' }, changes: true },
      ...ofApplication({ ...web, action: 'resume' }),
      bad: [
        { ...app, ...web, action: 'scale', resourceActionParameters: [{ name: 'replicas', value: 'many' }] },
        'Unknown',
      ],
    },
    'application.podLogs': {
      right: {
        request: { ...app, namespace: target, container: 'main', tailLines: 1 },
        holds: ([first]: { content: string; podName: string }[]) =>
          first?.podName.startsWith('api-web-') && first.content.length > 0,
      },
      ...ofApplication({ namespace: target }),
      bad: [{ ...app, namespace: target, untilTime: 'yesterday' }, 'Unknown'],
    },
    'application.listLinks': {
      right: {
        request: app,
        holds: ({ items }: { items: { url: string }[] }) => items[0]?.url === 'https://wiki.example.test/api-shop',
      },
      ...ofApplication({}),
    },
    'application.listResourceLinks': {
      right: {
        request: { ...app, ...web },
        holds: ({ items }: { items: { url: string }[] }) => items[0]?.url === 'https://wiki.example.test/api-web',
      },
      ...ofApplication(web),
      bad: [{ ...app, ...web, resourceName: 'absent' }, 'InvalidArgument'],
    },
    'application.serverSideDiff': {
      right: {
        request: {
          appName: 'api-shop',
          targetManifests: [
            JSON.stringify({
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { name: 'api-settings', namespace: target },
              data: { value: 'two' },
            }),
          ],
        },
        holds: ({ items, modified }: { items: { kind: string; targetState: string }[]; modified: boolean }) =>
          modified && items.some((item) => item.kind === 'ConfigMap' && item.targetState.includes('"two"')),
      },
      ...ofApplication({}, 'appName'),
      bad: [{ appName: 'api-shop', targetManifests: ['no manifest'] }, 'InvalidArgument'],
    },
    'application.create': {
      right: {
        request: { application: draft },
        holds: (value: { spec: { project: string } }) => value.spec.project === 'default',
        changes: true,
      },
      denied: denied({ application: draft }),
      bad: [{ application: { ...draft, spec: { ...draft.spec, source: { repoURL: repository } } } }, 'InvalidArgument'],
    },
    'application.update': {
      right: { request: { application: draft }, changes: true },
      missing: [{ application: { ...draft, metadata: { name: 'api-absent' } } }, 'PermissionDenied'],
      denied: denied({ application: draft }),
      bad: [{ application: { ...draft, spec: { ...draft.spec, project: 'absent' } } }, 'InvalidArgument'],
    },
    'application.updateSpec': {
      right: {
        request: { name: 'api-new', spec: draft.spec },
        holds: (value: { project: string }) => value.project === 'default',
        changes: true,
      },
      ...ofApplication({ spec: draft.spec }),
      bad: [{ name: 'api-new', spec: { ...draft.spec, source: { ...source, path: 'absent' } } }, 'InvalidArgument'],
    },
    'application.patch': {
      right: {
        request: { name: 'api-new', patchType: 'merge', patch: '{"spec":{"source":{"path":"app"}}}' },
        changes: true,
      },
      ...ofApplication({ patchType: 'merge', patch: '{}' }),
      bad: [{ name: 'api-new', patchType: 'wild', patch: '{}' }, 'InvalidArgument'],
    },
    'application.sync': {
      right: {
        request: { ...app, dryRun: true },
        holds: (value: { operation: { sync: { dryRun: boolean } } }) => value.operation.sync.dryRun,
        changes: true,
      },
      ...ofApplication({}),
      bad: [{ name: 'api-new', revision: 'no-such-branch' }, 'FailedPrecondition'],
    },
    'application.rollback': {
      right: {
        request: { ...app, id: fixture.deployment },
        holds: (value: { operation: { sync: { revision: string } } }) => value.operation.sync.revision === commit,
        changes: true,
        before: fixture.settled,
      },
      ...ofApplication({ id: 0 }),
      bad: [{ ...app, id: 99 }, 'InvalidArgument'],
    },
    'application.terminateOperation': {
      right: { request: { name: 'api-stuck' }, changes: true, before: fixture.stuck },
      ...ofApplication({}),
      bad: [{ name: 'api-new' }, 'InvalidArgument'],
    },
    'application.deleteResource': {
      right: { request: { ...app, ...settings, orphan: true }, changes: true },
      ...ofApplication(settings),
      bad: [{ ...app, ...settings, resourceName: 'absent' }, 'InvalidArgument'],
    },
    'application.delete': {
      right: { request: { name: 'api-new', cascade: false }, changes: true },
      ...ofApplication({}),
      bad: [{ ...app, propagationPolicy: 'sideways' }, 'InvalidArgument'],
    },
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
    // ends the session: tested by itself
    'session.delete': {},
  };
}

function repositoryCases({ repository, charts }: Fixture): Record<string, MethodCases> {
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
