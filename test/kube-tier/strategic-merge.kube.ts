import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  builtinType,
  type Client,
  connect,
  type KubeObject,
  loadKubeconfig,
  type ObjectType,
  strategicMerge,
  threeWayStrategicPatch,
  twoWayStrategicPatch,
} from '@tiphys/kubernetes';
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });

/* Patches that we create and apply against what kube-apiserver makes of them. Needs TIPHYS_TEST_KUBECONFIG. */

const file = process.env.TIPHYS_TEST_KUBECONFIG ?? '';
const type = builtinType({ group: 'apps', version: 'v1', kind: 'Deployment' }) as ObjectType;
const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'strategic-merge' };
let client: Client;

/** Without the null prototypes of generated records. */
const plain = (object: object) => JSON.parse(JSON.stringify(object)) as KubeObject;
const subset = (values: string[]) => fc.shuffledSubarray(values);
const env = subset(['A', 'B', 'C', 'D']).chain((names) =>
  fc.tuple(...names.map((name) => fc.constantFrom('1', '2').map((value) => ({ name, value })))),
);
const container = (name: string) =>
  fc.record({
    name: fc.constant(name),
    image: fc.constantFrom('x', 'y'),
    imagePullPolicy: fc.constant('Always'),
    resources: fc.constantFrom({}, { limits: { cpu: '1' } }, { limits: { cpu: '2', memory: '1Gi' } }),
    terminationMessagePath: fc.constant('/dev/termination-log'),
    terminationMessagePolicy: fc.constant('File'),
    env,
    args: subset(['a', 'b']),
  });
const containers = fc
  .shuffledSubarray(['one', 'two', 'three', 'four'], { minLength: 1 })
  .chain((names) => fc.tuple(...names.map(container)));
const volume = (name: string) =>
  fc
    .constantFrom<object>(
      { emptyDir: {} },
      { configMap: { name: 'c', defaultMode: 420 } },
      { emptyDir: { medium: 'Memory' } },
    )
    .map((source) => ({ name, ...source }));
const volumes = subset(['v1', 'v2', 'v3']).chain((names) => fc.tuple(...names.map(volume)));
const deployment = fc
  .record({
    containers,
    volumes,
    finalizers: subset(['a.b/1', 'a.b/2', 'a.b/3']),
    rolling: fc.boolean(),
    labels: fc.dictionary(fc.constantFrom('p', 'q', 'r'), fc.constantFrom('1', '2')),
  })
  .map(
    (parts): KubeObject =>
      plain({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: ref.name, namespace: 'default', labels: parts.labels, finalizers: parts.finalizers },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'a' } },
          strategy: parts.rolling
            ? { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
            : { type: 'Recreate' },
          template: {
            metadata: { labels: { app: 'a' } },
            spec: { containers: parts.containers, volumes: parts.volumes },
          },
        },
      }),
  );

before(() => {
  client = connect(loadKubeconfig(readFileSync(file, 'utf8'), { file }), {
    caller: { component: 'test', purpose: 'compare' },
  });
});

after(async () => {
  await remove();
  await client.close();
});

async function remove(): Promise<void> {
  if (!(await client.find(ref))) return;
  await client.patch(ref, 'merge', { metadata: { finalizers: null } });
  await client.delete(ref);
}

test('a strategic merge patch gives what kube-apiserver makes of it', async () => {
  await fc.assert(
    fc.asyncProperty(deployment, deployment, async (first, second) => {
      await remove();
      await client.create(first);
      const live = await client.get(ref);
      const patch = twoWayStrategicPatch(first, second, type);
      const real = await client.patch(ref, 'strategic', patch, { dryRun: true });
      assert.deepEqual(shown(strategicMerge(live, patch, type)), shown(real), JSON.stringify(patch));
    }),
    { numRuns: 60 },
  );
});

test('a three-way patch is the one that kubectl apply sends', async () => {
  await fc.assert(
    fc.asyncProperty(deployment, deployment, fc.boolean(), async (first, second, changed) => {
      await remove();
      kubectl(['apply', '-f', '-'], first);
      if (changed) await client.patch(ref, 'merge', { metadata: { labels: { other: 'x', p: '3' } } });
      const live = await client.get(ref);
      const last = JSON.parse(live.metadata.annotations?.[annotation] ?? '') as KubeObject;
      const sent = requestBodies(kubectl(['apply', '--dry-run=server', '-v=10', '-f', '-'], second));
      const { metadata, ...rest } = second;
      const text = sent?.metadata?.annotations?.[annotation];
      const annotations = text === undefined ? live.metadata.annotations : { [annotation]: text };
      const modified = { ...rest, metadata: { ...metadata, annotations } };
      const patch = threeWayStrategicPatch(last, modified, live, type);
      if (sent) assert.deepEqual(patch, sent);
      else assert.deepEqual(patch, {});
    }),
    { numRuns: 15 },
  );
});

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

function kubectl(args: string[], input: KubeObject): string {
  const folder = process.env.KUBEBUILDER_ASSETS;
  const command = folder ? join(folder, 'kubectl') : 'kubectl';
  const { status, stderr, error } = spawnSync(command, ['--kubeconfig', file, ...args], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (error) throw error;
  assert.equal(status, 0, stderr.slice(-2000));
  return stderr;
}

/** The patch among the bodies that kubectl logs; undefined if it sent none. */
function requestBodies(log: string): { metadata?: { annotations?: Record<string, string> } } | undefined {
  for (const [, text] of log.matchAll(/"Request Body" body=("(?:[^"\\]|\\.)*")/g)) {
    const body = JSON.parse(text ?? '""') as string;
    if (body.startsWith('{')) return JSON.parse(body);
  }
  return undefined;
}

/** What the patch is about, without what the server adds or drops by itself: null and empty values count as absent. */
function shown(object: KubeObject): unknown {
  const { labels, finalizers } = object.metadata;
  const { strategy, template } = object.spec as {
    strategy: unknown;
    template: { spec: { containers: unknown; volumes: unknown } };
  };
  return prune(
    { labels, finalizers, strategy, containers: template.spec.containers, volumes: template.spec.volumes },
    true,
  );
}

function prune(value: unknown, top = false): unknown {
  if (Array.isArray(value)) return value.map((item) => prune(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([name, inner]) => [name, prune(inner)] as const)
    .filter(([name, inner]) => !isEmpty(inner) || (!top && name === 'emptyDir'));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
