import type { KubeObject } from '@tiphys/kubernetes';
import { waitsOf } from '../retry/backoff.ts';
import { type Action, ActionError, type TriggerContext } from './trigger.ts';

/** Polls the object until its labels are as the policy wants; on time-out it fails only if the policy says so. */
export async function resourcePolicy(
  object: KubeObject,
  { policy, signal }: Action,
  context: TriggerContext,
): Promise<void> {
  const k8s = policy?.k8s;
  if (!k8s?.labels) return;
  const { apiVersion, kind, metadata } = object;
  const ref = {
    apiVersion,
    kind,
    name: metadata.name ?? '',
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  };
  const waits = waitsOf(k8s.backoff ?? {}, context.random);
  for (;;) {
    const live = await context.client.find(ref, { signal });
    if (!live) throw new ActionError(`${kind} ${metadata.name} is gone before its labels were as the policy wants`);
    const labels = live.metadata.labels ?? {};
    if (Object.entries(k8s.labels).every(([key, value]) => labels[key] === value)) return;
    const next = waits.next();
    if (next.done) break;
    await context.clock.sleep(next.value, signal);
  }
  if (k8s.errorOnBackoffTimeout)
    throw new ActionError('failed to determine status of the triggered resource. setting trigger state as failed');
}
