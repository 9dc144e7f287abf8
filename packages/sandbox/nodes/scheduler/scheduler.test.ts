import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Pod } from '@tiphys/kube-controllers';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { eventually } from '../../kube-controllers/testing/eventually.ts';
import { eventuallyAll } from '../../kube-controllers/testing/eventually-all.ts';

type NewerEvent = KubeObject & Record<string, unknown>;

const labels = { app: 'x' };
const selector = { labelSelector: { matchLabels: labels }, topologyKey: 'zone' };
const suffix = (text: string) => `no new claims to deallocate, preemption: 0/2 nodes are available: ${text}.`;
const hopeless = suffix('2 Preemption is not helpful for scheduling');
const unlucky = suffix('2 No preemption victims found for incoming pod');

/** What a pod asks for, and what the scheduler says when the nodes `a` (4 processors) and `b` (2) have `filler` on `a`. */
const refused: { name: string; spec: object; message: string }[] = [
  {
    name: 'too-big',
    spec: container({ cpu: '5' }),
    message: `0/2 nodes are available: 2 Insufficient cpu. ${hopeless}`,
  },
  {
    name: 'full',
    spec: container({ cpu: '3', memory: '2Gi' }),
    message: `0/2 nodes are available: 1 Insufficient memory, 2 Insufficient cpu. ${suffix('1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling')}`,
  },
  {
    name: 'gpu',
    spec: container({ 'example.com/gpu': '1' }),
    message: `0/2 nodes are available: 2 Insufficient example.com/gpu. ${hopeless}`,
  },
  {
    name: 'selective',
    spec: { ...container({}), nodeSelector: { zone: 'elsewhere' } },
    message: `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ${hopeless}`,
  },
  {
    name: 'lonely',
    spec: {
      ...container({}),
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { ...selector, labelSelector: { matchLabels: { app: 'nobody' } } },
          ],
        },
      },
    },
    message: `0/2 nodes are available: 2 node(s) didn't match pod affinity rules. ${hopeless}`,
  },
  {
    name: 'spread',
    spec: {
      ...container({}),
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: labels } },
      ],
    },
    message: `0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints (missing required label). ${hopeless}`,
  },
];

function container(requests: Record<string, string>) {
  return { containers: [{ name: 'main', image: 'nginx', resources: { requests, limits: requests } }] };
}

describe('The scheduler', () => {
  let sandbox: Sandbox;
  let client: Client;
  const create = (name: string, spec: object, own: Record<string, string> = {}) =>
    client.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: own },
      spec,
    } as Pod);
  const scheduled = async (name: string) =>
    (await eventually<Pod>(client, 'v1', 'Pod', name, (pod) => Boolean(pod?.spec.nodeName))).spec.nodeName;
  const refusal = async (name: string) => {
    const condition = (pod: Pod | undefined) => pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    return condition(
      await eventually<Pod>(client, 'v1', 'Pod', name, (pod) => condition(pod)?.reason === 'Unschedulable'),
    )?.message;
  };

  before(async () => {
    const nodes = [
      { name: 'a', labels: { zone: 'one' }, capacity: { cpu: '4', memory: '4Gi' } },
      { name: 'b', labels: { zone: 'two' }, capacity: { cpu: '2', memory: '1Gi' } },
    ];
    sandbox = await startSandbox({ nodes });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
    await create('filler', container({ cpu: '2500m' }), labels);
    assert.equal(await scheduled('filler'), 'a');
  });
  after(async () => {
    await client.close();
    await sandbox.close();
  });

  for (const { name, spec, message } of refused)
    test(`refuses a pod that is ${name} in the words of kube-scheduler`, async () => {
      await create(name, spec, labels);
      assert.equal(await refusal(name), message);
    });

  test('keeps pods apart that want to be, and binds them when there is room', async () => {
    const antiAffinity = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { ...selector, labelSelector: { matchLabels: { app: 'apart' } } },
        ],
      },
    };
    const apart = { ...container({}), affinity: antiAffinity };
    await create('apart-1', apart, { app: 'apart' });
    await create('apart-2', apart, { app: 'apart' });
    const used = [await scheduled('apart-1'), await scheduled('apart-2')];
    assert.deepEqual(used.sort(), ['a', 'b']);
    await create('apart-3', apart, { app: 'apart' });
    assert.equal(
      await refusal('apart-3'),
      `0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. ${unlucky}`,
    );
    await client.delete({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'apart-1' });
    assert.ok(await scheduled('apart-3'));
  });

  test('counts what init containers, sidecars and overhead need', async () => {
    const sidecar = { name: 'side', image: 'x', restartPolicy: 'Always', resources: { requests: { memory: '1Gi' } } };
    const init = { name: 'init', image: 'x', command: ['true'], resources: { requests: { memory: '3Gi' } } };
    await create('hungry', { ...container({}), initContainers: [sidecar, init] });
    assert.equal(await scheduled('hungry'), 'a');
    await create('second', container({ memory: '1Gi' }));
    assert.equal(await scheduled('second'), 'b');
  });

  test('tells of each pod by a newer event that becomes a series', async () => {
    const about = ({ regarding }: NewerEvent) => (regarding as { name?: string }).name === 'filler';
    const all = await eventuallyAll<NewerEvent>(client, 'events.k8s.io/v1', 'Event', (events) => events.some(about));
    const told = all.find(about);
    assert.deepEqual(
      [told?.reason, told?.action, told?.note, told?.reportingController, told?.deprecatedCount],
      ['Scheduled', 'Binding', 'Successfully assigned default/filler to a', 'default-scheduler', undefined],
    );
    assert.match(String(told?.eventTime), /^\d{4}-.*\.\d{6}Z$/);
  });

  test('looks at no other node than those that are named, and waits for claims that are not there', async () => {
    const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['elsewhere'] }] }];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    await create('named', { ...container({}), affinity: { nodeAffinity } });
    assert.equal(
      await refusal('named'),
      `0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${hopeless}`,
    );
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'absent' } }];
    await create('claiming', { ...container({}), volumes });
    assert.equal(
      await refusal('claiming'),
      '0/2 nodes are available: persistentvolumeclaim "absent" not found. not found',
    );
  });

  test('follows a claim to where its volume is, and gives one for a single pod to no second one', async () => {
    const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['two'] }] }];
    const capacity = { storage: '1Gi' };
    const accessModes = ['ReadWriteOncePod'];
    await client.create({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'local' },
      spec: {
        capacity,
        accessModes,
        storageClassName: 'local',
        hostPath: { path: '/x' },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      },
    } as KubeObject);
    await client.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'local', namespace: 'default' },
      spec: { accessModes, storageClassName: 'local', resources: { requests: capacity } },
    } as KubeObject);
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'local' } }];
    await create('tied', { ...container({}), volumes });
    assert.equal(await scheduled('tied'), 'b');
    await create('late', { ...container({}), volumes });
    const alone =
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';
    assert.equal(await refusal('late'), `0/2 nodes are available: 2 ${alone}. ${unlucky}`);
    await create('torn', { ...container({}), volumes, nodeSelector: { zone: 'one' } });
    assert.match((await refusal('torn')) ?? '', /1 node\(s\) didn't match Pod's node affinity\/selector/);
  });
});
