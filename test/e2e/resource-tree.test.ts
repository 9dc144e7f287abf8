import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const pod = (name: string, requests: string, labels = '') => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name}${labels}}}
spec:
  initContainers:
  - {name: prepare, image: registry.example/app:1, resources: {requests: {memory: 48Mi}}}
  containers:
  - {name: main, image: registry.example/app:1, resources: {requests: ${requests}}}
`;

interface Tree {
  readonly nodes: readonly { kind: string; name: string; info?: readonly { name: string; value: string }[] }[];
  readonly hosts?: readonly {
    readonly name: string;
    readonly resourcesInfo: readonly {
      resourceName: string;
      requestedByApp?: number;
      requestedByNeighbors?: number;
      capacity: number;
    }[];
    readonly systemInfo: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  }[];
}

const configure = (data: Readonly<Record<string, string | null>>) =>
  world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' }, 'merge', {
    data,
  });

/** Asks again until the tree is as it should be; fails with what it was. */
async function treeOf(name: string, holds: (tree: Tree) => boolean): Promise<Tree> {
  const end = Date.now() + 180_000;
  for (;;) {
    const { status, body } = await world.rest<Tree>('GET', `/api/v1/applications/${name}/resource-tree`);
    assert.equal(status, 200);
    if (holds(body)) return body;
    assert.ok(Date.now() < end, JSON.stringify(body));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('the tree names the nodes that pods run on, what is asked of them, and the labels that may be shown', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': pod('tree-web', '{cpu: 250m, memory: 32Mi}') });
  await world.createApplication('tree-hosts', repository, {
    targetNamespace: namespace,
    syncPolicy: { automated: {} },
  });
  await world.healthy('tree-hosts');
  const running = await world.client.get({ apiVersion: 'v1', kind: 'Pod', namespace, name: 'tree-web' });
  const { nodeName } = running.spec as { nodeName: string };
  const node = await world.client.get({ apiVersion: 'v1', kind: 'Node', name: nodeName });
  const { nodeInfo } = node.status as { nodeInfo: Record<string, string> };
  const seen = await treeOf('tree-hosts', ({ hosts }) => hosts?.length === 1);
  const [host] = seen.hosts ?? [];
  assert.equal(host?.name, nodeName);
  assert.deepEqual(host?.labels ?? {}, {});
  assert.equal(host?.systemInfo.kubeletVersion, nodeInfo.kubeletVersion);
  assert.deepEqual(
    host?.resourcesInfo.map(({ resourceName, requestedByApp }) => [resourceName, requestedByApp]),
    [
      ['cpu', 250],
      ['memory', 48 * 2 ** 20 * 1000],
    ],
  );
  const neighbours = () => (tree: Tree) => tree.hosts?.[0]?.resourcesInfo[0]?.requestedByNeighbors ?? 0;
  const before = neighbours()(seen);
  await world.client.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'tree-neighbour', namespace },
    spec: {
      nodeName,
      containers: [{ name: 'main', image: 'registry.example/app:1', resources: { requests: { cpu: '1' } } }],
    },
  });
  await treeOf('tree-hosts', (tree) => neighbours()(tree) >= before + 1000);
  await configure({ 'application.allowedNodeLabels': 'kubernetes.io/hostname, not a label' });
  const shown = await treeOf('tree-hosts', ({ hosts }) => Object.keys(hosts?.[0]?.labels ?? {}).length > 0);
  assert.deepEqual(shown.hosts?.[0]?.labels, {
    'kubernetes.io/hostname': node.metadata.labels?.['kubernetes.io/hostname'],
  });
  await configure({ 'application.allowedNodeLabels': null });
});

test('resource.customLabels has the tree show labels among the facts of objects', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': pod('tree-label', '{}', ', team: blue') });
  await world.createApplication('tree-labels', repository, {
    targetNamespace: namespace,
    syncPolicy: { automated: {} },
  });
  await world.healthy('tree-labels');
  const facts = ({ nodes }: Tree) => nodes.find(({ name }) => name === 'tree-label')?.info ?? [];
  const team = (tree: Tree) => facts(tree).find(({ name }) => name === 'team')?.value;
  await treeOf('tree-labels', (tree) => facts(tree).length > 0 && team(tree) === undefined);
  await configure({ 'resource.customLabels': 'tier,team' });
  await treeOf('tree-labels', (tree) => team(tree) === 'blue');
  await configure({ 'resource.customLabels': null });
});
