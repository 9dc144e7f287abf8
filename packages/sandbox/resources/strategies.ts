import type { BuiltinResource } from '../schema/builtin.ts';
import type { Strategy } from '../server/strategy.ts';

/** Kinds whose generation is not counted although they have a spec, or that have none. */
const NO_GENERATION = new Set(['pods', 'services', 'namespaces', 'nodes', 'persistentvolumes', 'persistentvolumeclaims', 'serviceaccounts', 'configmaps', 'secrets', 'events', 'endpoints', 'limitranges', 'resourcequotas', 'podtemplates', 'controllerrevisions', 'leases', 'roles', 'rolebindings', 'clusterroles', 'clusterrolebindings', 'storageclasses', 'csinodes', 'volumeattachments', 'runtimeclasses', 'certificatesigningrequests', 'apiservices', 'horizontalpodautoscalers', 'csistoragecapacities', 'ipaddresses', 'servicecidrs', 'volumeattributesclasses', 'resourceclaims', 'resourceclaimtemplates']);

/** The strategy of a built-in resource. */
export function strategyOf(entry: BuiltinResource): Strategy {
  return {
    generation: !NO_GENERATION.has(entry.resource),
    statusSubresource: entry.subresources?.some(({ subresource }) => subresource === 'status') ?? false,
    unconditionalUpdate: true,
  };
}
