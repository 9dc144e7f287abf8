import type { KubeObject } from '@tiphys/kubernetes';
import { unsupported } from '../server/status.ts';
import type { Strategy } from '../server/strategy.ts';

export const apiService: Strategy = {
  generation: false,
  statusSubresource: true,
  prepareCreate(object: KubeObject) {
    if ((object.spec as { service?: object | null } | undefined)?.service)
      throw unsupported('an aggregated API server', 'leave it out here, or use a cluster with a real kube-apiserver');
  },
};
