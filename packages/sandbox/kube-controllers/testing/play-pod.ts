import { type Client, type KubeObject, timestamp } from '@tiphys/kubernetes';
import type { Pod } from '../machinery/workload-model.ts';

/** For tests: writes the status that a kubelet would write when the pod runs and is ready, or has ended. */
export async function playPod(
  client: Client,
  pod: KubeObject,
  phase: 'Running' | 'Succeeded' | 'Failed',
  exitCode = phase === 'Failed' ? 1 : 0,
): Promise<Pod> {
  const time = timestamp(Date.now());
  const ended = phase !== 'Running';
  const { name = '', namespace = 'default' } = pod.metadata;
  const terminated = { exitCode, reason: exitCode ? 'Error' : 'Completed', startedAt: time, finishedAt: time };
  const status = {
    phase,
    startTime: time,
    conditions: [{ type: 'Ready', status: ended ? 'False' : 'True', lastTransitionTime: time }],
    containerStatuses: (pod as Pod).spec.containers.map(({ name: container, image }) => ({
      name: container,
      image,
      imageID: '',
      restartCount: 0,
      ready: !ended,
      state: ended ? { terminated } : { running: { startedAt: time } },
    })),
  };
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name };
  return client.patch<Pod>(ref, 'merge', { status }, { subresource: 'status' });
}
