import { type Client, Informer, isAlreadyExists, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { inParallel } from '../fleet/fleet-workload.ts';

const labels = 'workflows.argoproj.io';

/** Ends each pod of a workflow well as soon as it is seen, and reports as its executor would. */
export async function endPods(client: Client, signal: AbortSignal): Promise<void> {
  const informer = new Informer<KubeObject>(client, {
    ref: { apiVersion: 'v1', kind: 'Pod' },
    labelSelector: `${labels}/workflow,${labels}/completed=false`,
  });
  const waiting: KubeObject[] = [];
  const seen = new Set<string>();
  let isBusy = false;
  const work = async () => {
    if (isBusy) return;
    isBusy = true;
    while (waiting.length > 0 && !signal.aborted) {
      const some = waiting.splice(0, 50);
      await inParallel(some.length, (index) => end(client, some[index] as KubeObject));
    }
    isBusy = false;
  };
  informer.subscribe(({ type, object }) => {
    const { uid = '' } = object.metadata;
    if (type === 'deleted' || seen.has(uid)) return;
    seen.add(uid);
    waiting.push(object);
    void work();
  });
  informer.start(signal);
  await informer.synced;
}

async function end(client: Client, { metadata, spec }: KubeObject): Promise<void> {
  const { name = '', namespace = '', annotations = {}, labels: own = {}, ownerReferences = [] } = metadata;
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name };
  const now = new Date().toISOString();
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now };
  const { containers } = spec as { containers: { name: string; image: string }[] };
  const containerStatuses = containers.map((container) => ({
    ...{ name: container.name, image: container.image, imageID: container.image },
    ...{ ready: false, started: false, restartCount: 0, state: { terminated } },
  }));
  try {
    await client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'WorkflowTaskResult',
      metadata: {
        name: annotations[`${labels}/node-id`] ?? name,
        namespace,
        labels: {
          [`${labels}/workflow`]: own[`${labels}/workflow`] ?? '',
          [`${labels}/report-outputs-completed`]: 'true',
        },
        ownerReferences: ownerReferences.map(({ controller, blockOwnerDeletion, ...owner }) => owner),
      },
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  try {
    await client.patch(
      ref,
      'merge',
      { status: { phase: 'Succeeded', startTime: now, containerStatuses } },
      { subresource: 'status' },
    );
  } catch (error) {
    // its workflow was deleted, and it with it
    if (!isNotFound(error)) throw error;
  }
}
