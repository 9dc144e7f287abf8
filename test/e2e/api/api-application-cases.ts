import { denied, type Fixture, type MethodCases, type Request, server } from './api-method-cases.ts';

/** By method, in an order in which they can be called. */
export function applicationCases(fixture: Fixture): Record<string, MethodCases> {
  const { target, repository, commit } = fixture;
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
  return {
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
  };
}
