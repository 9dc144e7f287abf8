import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import type { Pod, PodSpec } from '../kube-controllers/machinery/workload-model.ts';
import { addLines, type PodLines } from './testdata/pod-lines.ts';

interface Stage {
  step?: 'delete' | 'merge' | 'status' | 'resize' | 'ephemeral' | 'evict';
  body?: unknown;
  /** What the real kubelet of Kubernetes 1.34.4 wrote until the next step. */
  lines: PodLines;
}

interface RecordedPod {
  name: string;
  /** It asks for more than the node has, which others must not notice. */
  alone?: boolean;
  annotations?: Record<string, string>;
  also?: KubeObject[];
  spec: PodSpec;
  stages: Stage[];
  /** Of the kubelet, each once. */
  events: string[];
}

const recorded = JSON.parse(
  readFileSync(new URL('./testdata/recorded-pods.json', import.meta.url), 'utf8'),
) as RecordedPod[];

/** Every line of the one is in the other. */
const covers = (seen: PodLines, wanted: PodLines) =>
  Object.entries(wanted).every(([subject, lines]) => lines.every((line) => seen[subject]?.includes(line)));

const subresources = { status: 'status', resize: 'resize', ephemeral: 'ephemeralcontainers' } as const;

describe('a simulated pod goes through what was recorded on a real node', () => {
  let sandbox: Sandbox;
  let client: Client;
  before(async () => {
    sandbox = await startSandbox({ nodes: [{ name: 'rc-node', capacity: { cpu: '2' } }] });
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'recorded pods' } });
  });
  after(async () => {
    await client.close();
    await sandbox.close();
  });

  describe('among others', { concurrency: 8 }, () => {
    for (const each of recorded) if (!each.alone) declare(each);
  });
  describe('alone', () => {
    for (const each of recorded) if (each.alone) declare(each);
  });

  function declare({ name, annotations, also = [], spec, stages, events }: RecordedPod): void {
    test(name, { timeout: 500_000 }, async () => {
      const ref = { apiVersion: 'v1', kind: 'Pod', namespace: `recorded-${name}`, name };
      const { namespace } = ref;
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      for (const object of also) await client.create({ ...object, metadata: { ...object.metadata, namespace } });
      const { metadata } = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace });
      const bound = JSON.parse(JSON.stringify(spec).replaceAll('@NODE', 'rc-node')) as PodSpec;
      await client.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace, ...(annotations ? { annotations } : {}) },
        spec: bound,
      } as Pod);

      const wanted = structuredClone(stages);
      let current = wanted.shift() as Stage;
      let seen: PodLines = {};
      const abort = new AbortController();
      const versions = client.watch<Pod>(
        { apiVersion: 'v1', kind: 'Pod', namespace },
        { resourceVersion: metadata?.resourceVersion ?? '', signal: abort.signal },
      );
      const missing = setTimeout(() => abort.abort(), 240_000);
      try {
        for await (const { type, object } of versions) {
          if (type === 'BOOKMARK') continue;
          addLines(seen, type, object);
          while (covers(seen, current.lines)) {
            assert.deepEqual(seen, current.lines);
            const next = wanted.shift();
            if (!next) {
              abort.abort();
              break;
            }
            current = next;
            seen = {};
            await take(client, ref, next);
          }
        }
      } catch (error) {
        if (!abort.signal.aborted) throw error;
      } finally {
        clearTimeout(missing);
        abort.abort();
      }
      assert.deepEqual(seen, current.lines);
      await sameEvents(client, namespace, events);
    });
  }
});

async function take(client: Client, ref: Parameters<Client['delete']>[0], { step, body }: Stage): Promise<void> {
  const { namespace, name } = ref;
  if (step === 'delete') await client.delete(ref);
  else if (step === 'merge') await client.patch(ref, 'merge', body);
  else if (step === 'evict') {
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
    await client.request('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, { body: eviction });
  } else if (step) await client.patch(ref, 'strategic', body, { subresource: subresources[step] });
}

/** Events are written behind the status. */
async function sameEvents(client: Client, namespace: string, wanted: readonly string[]): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Event', namespace };
  const { items, metadata } = await client.list(ref);
  const found = new Set(items.flatMap(kubeletEvent));
  const abort = new AbortController();
  const missing = setTimeout(() => abort.abort(), 240_000);
  try {
    if (!wanted.every((event) => found.has(event)))
      for await (const { object } of client.watch(ref, {
        resourceVersion: metadata?.resourceVersion ?? '',
        signal: abort.signal,
      })) {
        for (const event of kubeletEvent(object)) found.add(event);
        if (wanted.every((event) => found.has(event))) abort.abort();
      }
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  } finally {
    clearTimeout(missing);
  }
  assert.deepEqual([...found].sort(), [...wanted].sort());
}

function kubeletEvent(event: KubeObject): string[] {
  const { component, host } = (event.source ?? {}) as { component?: string; host?: string };
  if (component !== 'kubelet') return [];
  assert.equal(host, 'rc-node');
  const { fieldPath = '' } = event.involvedObject as { fieldPath?: string };
  const namespace = event.metadata.namespace ?? '';
  return [
    `${event.type} ${event.reason} ${event.message} ${fieldPath}`
      .trim()
      .replaceAll(namespace, 'NAMESPACE')
      .replace(/used: \d+/, 'used: SOME'),
  ];
}
