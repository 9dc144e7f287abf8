import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { compareServers } from './two-servers.ts';

/*
 * The sandbox's controllers against kube-controller-manager: the same objects and the same played kubelet must end in
 * the same status and the same events. Needs TIPHYS_TEST_KUBECONFIG.
 */

interface Cluster {
  client: Client;
  namespace: string;
  create(apiVersion: string, kind: string, name: string, body: object): Promise<KubeObject>;
  list(apiVersion: string, kind: string): Promise<KubeObject[]>;
}

type Scenario = (cluster: Cluster) => Promise<unknown>;

const container = { name: 'main', image: 'nginx:1', args: ['<a> & b'] };
/** Pods that no scheduler takes, so that only the test plays the kubelet. */
const podSpec = { schedulerName: 'nobody', containers: [container] };
const jobTemplate = { spec: { ...podSpec, restartPolicy: 'Never' } };

const scenarios: Record<string, Scenario> = {
  'a job that completes': async (cluster) => {
    await cluster.create('batch/v1', 'Job', 'job', { spec: { template: jobTemplate } });
    const [pod] = await until(cluster, 'v1', 'Pod', (pods) => pods.length === 1);
    await play(cluster, pod as KubeObject, 'Succeeded');
    const [job] = await until(cluster, 'batch/v1', 'Job', ([object]) => hasCondition(object, 'Complete'));
    return [job?.status, await events(cluster, 'Job', 2)];
  },
  'a job that fails': async (cluster) => {
    await cluster.create('batch/v1', 'Job', 'job', { spec: { backoffLimit: 0, template: jobTemplate } });
    const [pod] = await until(cluster, 'v1', 'Pod', (pods) => pods.length === 1);
    await play(cluster, pod as KubeObject, 'Failed');
    const [job] = await until(cluster, 'batch/v1', 'Job', ([object]) => hasCondition(object, 'Failed'));
    return [job?.status, await events(cluster, 'Job', 2)];
  },
  'a stateful set': async (cluster) => {
    await cluster.create('apps/v1', 'StatefulSet', 'set', {
      spec: {
        replicas: 2,
        serviceName: 'set',
        selector: { matchLabels: { app: 'set' } },
        template: { metadata: { labels: { app: 'set' } }, spec: podSpec },
      },
    });
    for (const count of [1, 2]) {
      const pods = await until(cluster, 'v1', 'Pod', (all) => all.length === count);
      await play(cluster, pods[count - 1] as KubeObject, 'Running');
    }
    const [set] = await until(
      cluster,
      'apps/v1',
      'StatefulSet',
      ([object]) => (object?.status as { availableReplicas?: number })?.availableReplicas === 2,
    );
    const revisions = await cluster.list('apps/v1', 'ControllerRevision');
    return [set?.status, revisions.map(({ metadata, data }) => [metadata.name, metadata.labels, data])];
  },
  'claims without volume': async (cluster) => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await cluster.create('v1', 'PersistentVolumeClaim', 'lost', {
      spec: { ...spec, storageClassName: 'no-such-class' },
    });
    await cluster.create('v1', 'PersistentVolumeClaim', 'bare', { spec: { ...spec, storageClassName: '' } });
    const told = await events(cluster, 'PersistentVolumeClaim', 2);
    return [(await cluster.list('v1', 'PersistentVolumeClaim')).map(({ status }) => status), told];
  },
  'a quota': async (cluster) => {
    const hard = { pods: '4', 'requests.cpu': '2', 'count/deployments.apps': '1', configmaps: '9' };
    await cluster.create('v1', 'ResourceQuota', 'quota', { spec: { hard } });
    const requests = { cpu: '250m' };
    await until(cluster, 'v1', 'ResourceQuota', ([object]) => used(object).pods === '0');
    await cluster.create('v1', 'Pod', 'pod', {
      spec: { ...podSpec, containers: [{ ...container, resources: { requests } }] },
    });
    const [quota] = await until(cluster, 'v1', 'ResourceQuota', ([object]) => used(object).pods === '1');
    return quota?.status;
  },
  'an orphan, a dependent and a foreground deletion': async (cluster) => {
    const owner = await cluster.create('v1', 'ConfigMap', 'owner', {});
    const { name = '', uid = '' } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true }];
    for (const dependent of ['one', 'two'])
      await cluster.create('v1', 'Secret', dependent, { metadata: { ownerReferences } });
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: cluster.namespace, name };
    await cluster.client.delete(ref, { propagationPolicy: 'Foreground' });
    await until(cluster, 'v1', 'ConfigMap', (all) => !all.some(({ metadata }) => metadata.name === name));
    return (await cluster.list('v1', 'Secret')).map(({ metadata }) => metadata.name);
  },
  'a dependent that does not hold its owner up': async (cluster) => {
    const owner = await cluster.create('v1', 'ConfigMap', 'owner', {});
    const { name = '', uid = '' } = owner.metadata;
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid };
    const held = { finalizers: ['example.com/held'], ownerReferences: [{ ...reference, blockOwnerDeletion: true }] };
    await cluster.create('v1', 'Secret', 'held', { metadata: held });
    await cluster.create('v1', 'Secret', 'loose', { metadata: { ownerReferences: [reference] } });
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: cluster.namespace, name };
    await cluster.client.delete(ref, { propagationPolicy: 'Foreground' });
    const [left] = await until(cluster, 'v1', 'Secret', (all) => all.length === 1);
    const [waiting] = await until(cluster, 'v1', 'ConfigMap', (all) => all.some((each) => each.metadata.name === name));
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace: cluster.namespace, name: 'held' };
    await cluster.client.patch(secret, 'merge', { metadata: { finalizers: null } });
    await until(cluster, 'v1', 'ConfigMap', (all) => !all.some((each) => each.metadata.name === name));
    return [left?.metadata.name, waiting !== undefined];
  },
  'names of ReplicaSets and revisions': async (cluster) => {
    const labels = { app: 'named' };
    const resources = { requests: { cpu: '100m', memory: '100Ti' }, limits: { memory: '1Pi' } };
    const probe = { httpGet: { port: 'http', httpHeaders: [{ name: 'A', value: 'b' }] } };
    const spec = {
      containers: [{ ...container, resources, livenessProbe: probe, ports: [{ name: 'http', containerPort: 80 }] }],
      volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1500Mi' } }],
      tolerations: [{ operator: 'Exists', tolerationSeconds: 5, effect: 'NoExecute' }],
      securityContext: {},
    };
    const template = { metadata: { labels, annotations: { note: 'ü <&>' } }, spec };
    const own = { selector: { matchLabels: labels }, template };
    await cluster.create('apps/v1', 'Deployment', 'named', { spec: { ...own, replicas: 0 } });
    await cluster.create('apps/v1', 'StatefulSet', 'named', { spec: { ...own, replicas: 0, serviceName: 'named' } });
    await cluster.create('apps/v1', 'DaemonSet', 'daemons', {
      spec: { ...own, template: { ...template, spec: { ...spec, nodeSelector: { no: 'node' } } } },
    });
    const names = (objects: KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort();
    return [
      names(await until(cluster, 'apps/v1', 'ReplicaSet', (all) => all.length === 1)),
      names(await until(cluster, 'apps/v1', 'ControllerRevision', (all) => all.length === 2)),
    ];
  },
  'endpoints that are mirrored': async (cluster) => {
    await cluster.create('v1', 'Service', 'outside', { spec: { ports: [{ name: 'http', port: 80 }] } });
    const ports = [
      { name: 'http', port: 8080 },
      { name: 'm', port: 9091 },
    ];
    const addresses = [{ ip: '192.0.2.1' }, { ip: '192.0.2.2', hostname: 'two' }];
    await cluster.create('v1', 'Endpoints', 'outside', {
      metadata: { labels: { team: 'shop' }, annotations: { note: 'kept' } },
      subsets: [{ addresses, notReadyAddresses: [{ ip: '192.0.2.3' }], ports }],
    });
    const [slice] = await until(cluster, 'discovery.k8s.io/v1', 'EndpointSlice', (all) => all.length === 1);
    const { labels, annotations } = slice?.metadata ?? {};
    const endpoints = (slice?.endpoints ?? []) as { addresses: string[] }[];
    return [labels, annotations, endpoints.sort((a, b) => ((a.addresses[0] ?? '') < (b.addresses[0] ?? '') ? -1 : 1))];
  },
  'a ReplicaSet that is no longer selected': async (cluster) => {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: podSpec };
    await cluster.create('apps/v1', 'Deployment', 'web', {
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    });
    const [set] = await until(cluster, 'apps/v1', 'ReplicaSet', (all) => all.length === 1);
    const ref = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: cluster.namespace };
    const name = set?.metadata.name ?? '';
    await cluster.client.patch({ ...ref, name }, 'merge', { metadata: { labels: { app: 'elsewhere' } } });
    // the name of the new one would be the same
    const sets = await until(cluster, 'apps/v1', 'ReplicaSet', (all) => all.length === 2);
    await until(
      cluster,
      'apps/v1',
      'Deployment',
      ([object]) => (object?.status as { collisionCount?: number } | undefined)?.collisionCount === 1,
    );
    const shown = sets.map(({ metadata }) => [metadata.name, metadata.labels, metadata.ownerReferences?.length ?? 0]);
    return shown.sort();
  },
  'Secrets with tokens of service accounts': async (cluster) => {
    const { metadata } = await cluster.create('v1', 'ServiceAccount', 'robot', {});
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const type = 'kubernetes.io/service-account-token';
    await cluster.create('v1', 'Secret', 'robot', { metadata: { annotations }, type });
    const isFilled = (secret: KubeObject | undefined) =>
      Boolean((secret?.data as { token?: string } | undefined)?.token);
    const [secret] = await until(cluster, 'v1', 'Secret', (all) => all.length === 1 && isFilled(all[0]));
    const { 'kubernetes.io/service-account.uid': uid, ...others } = secret?.metadata.annotations ?? {};
    const keys = Object.keys((secret?.data ?? {}) as object).sort();
    await cluster.client.delete({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      namespace: cluster.namespace,
      name: 'robot',
    });
    await until(cluster, 'v1', 'Secret', (all) => all.length === 0);
    return [keys, others, uid === metadata.uid];
  },
};

compareServers(
  { title: 'controllers of the sandbox and of kube-controller-manager', prefix: 'controllers' },
  Object.fromEntries(
    Object.entries(scenarios).map(([name, scenario]) => [
      name,
      (client: Client, namespace: string) => scenario(clusterOf(client, namespace)),
    ]),
  ),
);

function clusterOf(client: Client, namespace: string): Cluster {
  return {
    client,
    namespace,
    create: (apiVersion, kind, name, { metadata, ...body }: { metadata?: object }) =>
      client.create({ apiVersion, kind, ...body, metadata: { ...metadata, name, namespace } }),
    list: async (apiVersion, kind) => (await client.list({ apiVersion, kind, namespace })).items,
  };
}

/** Two clusters without common clock: asks until it is so, for two minutes. */
async function until(
  cluster: Cluster,
  apiVersion: string,
  kind: string,
  wanted: (objects: KubeObject[]) => boolean,
): Promise<KubeObject[]> {
  for (let turn = 0; turn < 1200; turn++) {
    const objects = await cluster.list(apiVersion, kind);
    if (wanted(objects)) return objects;
    await sleep(100);
  }
  throw new Error(`${kind}s at ${cluster.client.server} are ${JSON.stringify(await cluster.list(apiVersion, kind))}`);
}

async function events(cluster: Cluster, kind: string, count: number): Promise<string[]> {
  const about = (event: KubeObject) => (event.involvedObject as { kind?: string }).kind === kind;
  const told = await until(cluster, 'v1', 'Event', (all) => all.filter(about).length >= count);
  return told
    .filter(about)
    .map((event) => `${event.type} ${event.reason}: ${String(event.message).replace(/(job-)\w{5}/, '$1…')}`)
    .sort();
}

async function play({ client, namespace }: Cluster, pod: KubeObject, phase: string): Promise<void> {
  const time = `${new Date().toISOString().slice(0, 19)}Z`;
  const ended = phase !== 'Running';
  const terminated = { exitCode: phase === 'Failed' ? 1 : 0, startedAt: time, finishedAt: time };
  const status = {
    phase,
    startTime: time,
    conditions: [{ type: 'Ready', status: ended ? 'False' : 'True', lastTransitionTime: time }],
    containerStatuses: [
      {
        name: 'main',
        image: 'nginx:1',
        imageID: '',
        restartCount: 0,
        ready: !ended,
        state: ended ? { terminated } : { running: { startedAt: time } },
      },
    ],
  };
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name: pod.metadata.name ?? '' };
  await client.patch(ref, 'merge', { status }, { subresource: 'status' });
}

function hasCondition(object: KubeObject | undefined, type: string): boolean {
  const { conditions } = (object?.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

function used(object: KubeObject | undefined): Record<string, string> {
  return (object?.status as { used?: Record<string, string> } | undefined)?.used ?? {};
}
