import { applicationCases } from './api-application-cases.ts';
import { denied, type Fixture, type MethodCases, type Request, server } from './api-method-cases.ts';
import { recordCases, repositoryCases } from './api-repository-cases.ts';

const hostKey = Buffer.from('AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl').toString('base64');
const certificate = { serverName: 'git.example.test', certType: 'ssh', certSubType: 'ssh-ed25519', certData: hostKey };

/** By method, in an order in which they can be called. */
export function apiCases(fixture: Fixture): Record<string, MethodCases> {
  const { cluster } = fixture;
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
    ...recordCases(fixture),
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
    ...applicationCases(fixture),
    ...repositoryCases(fixture),
    // ends the session: tested by itself
    'session.delete': {},
  };
}
