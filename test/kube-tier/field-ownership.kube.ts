import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import {
  ApiError,
  ApplyError,
  builtinResources,
  builtinType,
  type Client,
  connect,
  FieldManager,
  FieldSet,
  gvkOf,
  type KubeObject,
  loadKubeconfig,
  parseApiVersion,
} from '@tiphys/kubernetes';

/* metadata.managedFields as we track them against those of kube-apiserver. Needs TIPHYS_TEST_KUBECONFIG. */

const file = process.env.TIPHYS_TEST_KUBECONFIG ?? '';
const namespace = 'default';
let client: Client;

const podSpec = {
  containers: [
    {
      name: 'a',
      image: 'b',
      env: [
        { name: 'X', value: '1' },
        { name: 'Y', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      ],
      ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP', name: 'dns' }],
      resources: { requests: { cpu: '1' } },
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
      securityContext: { capabilities: { drop: ['ALL'] } },
    },
  ],
  initContainers: [{ name: 'i', image: 'i', command: ['a', 'b'] }],
  volumes: [
    { name: 'v', emptyDir: {} },
    { name: 'c', configMap: { name: 'cm', items: [{ key: 'a', path: 'b' }] } },
  ],
  tolerations: [{ key: 'a', operator: 'Exists' }],
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' }],
  imagePullSecrets: [{ name: 's' }],
};
const template = { metadata: { labels: { a: 'b' } }, spec: podSpec };
const object = (apiVersion: string, kind: string, rest: object): KubeObject => {
  const { namespaced } =
    builtinResources().find((r) => r.kind === kind && r.group === parseApiVersion(apiVersion).group) ?? {};
  const metadata = { name: 'field-ownership', labels: { a: 'b' }, annotations: { 'x.y/z': 'w' } };
  return { apiVersion, kind, metadata: { ...metadata, ...(namespaced ? { namespace } : {}) }, ...rest };
};

/** `changed` is what is applied the second time. */
const cases: { first: KubeObject; changed: object }[] = [
  { first: object('v1', 'ConfigMap', { data: { a: '1', b: '2' } }), changed: { data: { b: '3', c: '4' } } },
  {
    first: object('v1', 'Service', {
      spec: {
        ports: [
          { port: 80, name: 'http' },
          { port: 53, name: 'dns', protocol: 'UDP' },
        ],
      },
    }),
    changed: { spec: { ports: [{ port: 53, name: 'dns', protocol: 'UDP' }] } },
  },
  {
    first: object('apps/v1', 'Deployment', {
      spec: { paused: true, replicas: 0, selector: { matchLabels: { a: 'b' } }, template },
    }),
    changed: {
      spec: {
        paused: true,
        selector: { matchLabels: { a: 'b' } },
        template: {
          ...template,
          spec: {
            ...podSpec,
            containers: [
              { name: 'side', image: 's' },
              { name: 'a', image: 'c' },
            ],
          },
        },
      },
    },
  },
  {
    first: object('apps/v1', 'StatefulSet', {
      spec: { replicas: 0, serviceName: 'm', selector: { matchLabels: { a: 'b' } }, template },
    }),
    changed: {
      spec: {
        serviceName: 'm',
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: { ...template, spec: { ...podSpec, volumes: [{ name: 'v', emptyDir: {} }] } },
      },
    },
  },
  {
    first: object('batch/v1', 'CronJob', {
      spec: {
        suspend: true,
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
      },
    }),
    changed: {
      spec: {
        schedule: '1 * * * *',
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never', tolerations: [] } } } },
      },
    },
  },
  {
    first: object('networking.k8s.io/v1', 'NetworkPolicy', {
      spec: { podSelector: {}, ingress: [{}], policyTypes: ['Ingress'] },
    }),
    changed: { spec: { podSelector: { matchLabels: { a: 'b' } }, policyTypes: ['Ingress'] } },
  },
  {
    first: object('rbac.authorization.k8s.io/v1', 'Role', {
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    }),
    changed: { rules: [] },
  },
  {
    first: object('v1', 'ServiceAccount', { secrets: [{ name: 'y' }], imagePullSecrets: [{ name: 'x' }] }),
    changed: { secrets: [{ name: 'z' }] },
  },
  {
    first: object('autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'm' }, maxReplicas: 3 },
    }),
    changed: {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'n' },
        maxReplicas: 3,
        minReplicas: 2,
      },
    },
  },
  {
    first: object('policy/v1', 'PodDisruptionBudget', {
      spec: { minAvailable: 1, selector: { matchLabels: { a: 'z' } } },
    }),
    changed: { spec: { maxUnavailable: 1, selector: { matchLabels: { a: 'z' } } } },
  },
  {
    first: object('storage.k8s.io/v1', 'StorageClass', { provisioner: 'x', parameters: { a: 'b' } }),
    changed: { provisioner: 'x', parameters: { a: 'b' }, allowVolumeExpansion: true },
  },
  {
    first: object('v1', 'LimitRange', { spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] } }),
    changed: { spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] } },
  },
];

before(() => {
  client = connect(loadKubeconfig(readFileSync(file, 'utf8'), { file }), {
    caller: { component: 'test', purpose: 'compare' },
  });
});
after(() => client.close());

for (const { first, changed } of cases) {
  test(`${first.kind}: fields are owned as kube-apiserver has it`, async () => {
    const manager = managerOf(first);
    const ref = refOf(first);
    await remove(ref);

    const created = await client.create(first, { fieldManager: 'creator' });
    const { managedFields: _, ...metadata } = created.metadata;
    same(manager.update(undefined, { ...created, metadata } as KubeObject, 'creator'), created);

    const patched = await client.patch(
      ref,
      'merge',
      { metadata: { labels: { new: 'x', a: null } } },
      { fieldManager: 'patcher' },
    );
    const { managedFields: __, ...patchedMetadata } = patched.metadata;
    same(manager.update(created, { ...patched, metadata: patchedMetadata } as KubeObject, 'patcher'), patched);
    await remove(ref);

    same(manager.apply(undefined, first, { manager: 'one' }), await client.apply(first, { fieldManager: 'one' }));
    const second: KubeObject = {
      apiVersion: first.apiVersion,
      kind: first.kind,
      metadata: { ...refMetadata(first), labels: { z: 'w' } },
      ...changed,
    };
    const before = await client.get(ref);
    same(
      manager.apply(before, second, { manager: 'one', force: true }),
      await client.apply(second, { fieldManager: 'one', force: true }),
    );

    const third: KubeObject = {
      apiVersion: first.apiVersion,
      kind: first.kind,
      metadata: { ...refMetadata(first), labels: { z: 'other', more: '1' } },
    };
    const contested = await client.get(ref);
    const refused = await client.apply(third, { fieldManager: 'two' }).catch((error: unknown) => error);
    assert.ok(refused instanceof ApiError);
    assert.throws(
      () => manager.apply(contested, third, { manager: 'two' }),
      (error) => error instanceof ApplyError && error.message === (refused.body as { message: string }).message,
    );
    same(
      manager.apply(contested, third, { manager: 'two', force: true }),
      await client.apply(third, { fieldManager: 'two', force: true }),
    );

    const fourth = { ...third, metadata: { ...third.metadata, labels: { z: 'other' } } };
    const shared = await client.get(ref);
    same(manager.apply(shared, fourth, { manager: 'two' }), await client.apply(fourth, { fieldManager: 'two' }));
    const settled = await client.get(ref);
    assert.equal(
      manager.apply(settled, fourth, { manager: 'two' }),
      settled,
      'an apply that changes nothing gives the same object',
    );
    await remove(ref);
  });
}

function managerOf(first: KubeObject): FieldManager {
  const { group, version, kind } = gvkOf(first);
  const resource = builtinResources().find((r) => r.group === group && r.version === version && r.kind === kind);
  const status = FieldSet.of(['status']);
  return new FieldManager({
    apiVersion: first.apiVersion,
    kind,
    typeOf: (apiVersion) => builtinType({ ...parseApiVersion(apiVersion), kind }),
    ...(resource?.subresources.includes('status') ? { resetFields: () => status } : {}),
    now: () => 0,
  });
}

function refMetadata({ metadata }: KubeObject): { name: string; namespace?: string } {
  return { name: metadata.name ?? '', ...(metadata.namespace ? { namespace: metadata.namespace } : {}) };
}

function refOf(first: KubeObject) {
  return { apiVersion: first.apiVersion, kind: first.kind, ...refMetadata(first) };
}

async function remove(ref: ReturnType<typeof refOf>): Promise<void> {
  if (await client.find(ref)) await client.delete(ref, { gracePeriodSeconds: 0 });
}

const ours = new Set(['creator', 'patcher', 'one', 'two']);
/** What registries set by themselves after the tracking, when an object is created. */
const setLater = new Set(['f:clusterIP', 'f:clusterIPs', 'f:ipFamilies', 'f:ipFamilyPolicy']);

/** The server's own controllers may have written meanwhile; they are left out. */
function same(mine: KubeObject, real: KubeObject): void {
  assert.deepEqual(entries(mine), entries(real));
}

function entries({ metadata }: KubeObject): unknown {
  const own = (metadata.managedFields ?? []).filter(({ manager = '' }) => ours.has(manager));
  const text = JSON.stringify(
    own.map(({ time: _, ...rest }) => rest).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !setLater.has(name)));
  });
}
