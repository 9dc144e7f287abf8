import type { MetadataWatches } from '../garbage-collector/metadata-watches.ts';
import { Controller, type ControllerContext, keyFor, splitKey } from '../machinery/controller.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import { quotaUsage, type ResourceQuota } from './quota-usage.ts';

/** Several changes in a row are counted together. */
const gathering = 200;

/** Tells in ResourceQuotas what their namespace uses (pkg/controller/resourcequota). It limits nothing. */
export function startResourceQuotaController(context: ControllerContext, watches: MetadataWatches): void {
  const controller = new Controller(context, 'resourcequota-controller');
  const quotas = context.stores.of<ResourceQuota>('v1', 'ResourceQuota');
  controller.watch(quotas, (quota, old) => (old && semanticallyEqual(old.spec, quota.spec) ? [] : [keyFor(quota)]));
  watches.subscribe(({ object }) => {
    for (const quota of quotas.inNamespace(object.metadata.namespace ?? ''))
      if (quota.metadata.uid !== object.metadata.uid) controller.queue.addAfter(keyFor(quota), gathering);
  });
  controller.run(async (key) => {
    const quota = quotas.get(...splitKey(key));
    if (!quota || quota.metadata.deletionTimestamp) return undefined;
    const status = { hard: quota.spec.hard ?? {}, used: await quotaUsage(controller.client, quota) };
    if (!semanticallyEqual(quota.status, status)) await controller.updateStatus(quotas, { ...quota, status });
    return undefined;
  });
}
