import type { Rollout } from '@tiphys/api';
import { type Client, type KubeObject, pause, systemClock } from '@tiphys/kubernetes';

/** What a Rollout said at a point of the incident. */
export interface Scene {
  readonly when: string;
  readonly phase: string;
  /** With the names of ReplicaSets left out. */
  readonly message: string;
  readonly progressing: string;
  readonly available: number;
  /** Codes of what it explains; upstream explains nothing. */
  readonly diagnoses: readonly string[];
}

const namespace = 'incident';
const gate = 'example.com/warm';
const apiVersion = 'argoproj.io/v1alpha1';
const ref = { apiVersion, kind: 'Rollout', namespace, name: 'web' };
const labels = { app: 'web' };
const service = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: labels, ports: [{ port: 80 }] },
});

const rollout = {
  apiVersion,
  kind: 'Rollout',
  metadata: { name: 'web', namespace },
  spec: {
    replicas: 2,
    progressDeadlineSeconds: 5,
    minReadySeconds: 0,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'web', image: 'web:1' }], readinessGates: [{ conditionType: gate }] },
    },
    strategy: { blueGreen: { activeService: 'active', previewService: 'preview', autoPromotionEnabled: false } },
  },
};

interface Pod extends KubeObject {
  spec: { containers: { image?: string }[] };
  status?: { conditions?: { type: string; status: string }[] };
}

/**
 * The incident: an update whose pods become ready only after the deadline, and which waits for somebody then. What is expected of the
 * controller is waited for; one that does not do it is seen as it is when the timeout, in milliseconds, is over.
 */
export async function playStickyDeadline(client: Client, timeout: number): Promise<Scene[]> {
  const reached = (when: string, phase: string) => seenAs(client, when, { phase, timeout });
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const object of [service('active'), service('preview'), rollout]) await client.create(object);
  await warm(client, 'web:1');
  const scenes = [await reached('the first version is deployed', 'Healthy')];
  await client.patch(ref, 'json', [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:2' }]);
  scenes.push(await reached('the pods of the second are not ready in time', 'Degraded'));
  await warm(client, 'web:2');
  scenes.push(await reached('they became ready', 'Paused'));
  await client.patch(ref, 'merge', { status: { pauseConditions: null } }, { subresource: 'status' });
  scenes.push(await reached('somebody promoted it', 'Healthy'));
  return scenes;
}

async function seenAs(
  client: Client,
  when: string,
  { phase, timeout }: { phase: string; timeout: number },
): Promise<Scene> {
  const limit = AbortSignal.timeout(timeout);
  for (;;) {
    const scene = await seen(client, when);
    if (scene.phase === phase || limit.aborted) return scene;
    await pause(systemClock, 100);
  }
}

async function seen(client: Client, when: string): Promise<Scene> {
  const { metadata, status = {} } = await client.get<Rollout>(ref);
  const isCurrent = String(metadata.generation) === status.observedGeneration;
  const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
  return {
    when,
    phase: isCurrent ? (status.phase ?? '') : '',
    message: (status.message ?? '').replace(/"web-[a-z0-9]+"/g, '"web-HASH"'),
    progressing: `${progressing?.status}/${progressing?.reason}`,
    available: status.availableReplicas ?? 0,
    diagnoses: (status.diagnoses ?? []).map(({ code }) => code),
  };
}

/** Opens the readiness gate of the two pods of an image, which may have to come first. */
async function warm(client: Client, image: string): Promise<void> {
  const limit = AbortSignal.timeout(120_000);
  const set = new Set<string>();
  while (set.size < 2 && !limit.aborted) {
    const { items } = await client.list<Pod>({ apiVersion: 'v1', kind: 'Pod', namespace });
    for (const { spec, metadata, status: own } of items) {
      const name = metadata.name ?? '';
      if (spec.containers[0]?.image !== image || set.has(name) || own?.conditions === undefined) continue;
      const conditions = [{ type: gate, status: 'True' }];
      const pod = { apiVersion: 'v1', kind: 'Pod', namespace, name };
      await client.patch(pod, 'strategic', { status: { conditions } }, { subresource: 'status' });
      set.add(name);
    }
    await pause(systemClock, 100);
  }
}
