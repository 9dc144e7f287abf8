import type { KubeObject } from '@tiphys/kubernetes';
import { unsupported } from '../server/status.ts';
import type { Strategy } from '../server/strategy.ts';

/** Kinds that only mean something where a part exists that the sandbox has not: creating one is refused with what to do. */
function refused(what: string, remedy: string): Strategy {
  return {
    generation: true,
    statusSubresource: false,
    prepareCreate() {
      throw unsupported(what, remedy);
    },
  };
}

const REMEDY = 'leave it out here, or use a cluster with a real kube-apiserver';

export const admission: Record<string, Strategy> = {
  mutatingwebhookconfigurations: refused('an admission webhook', REMEDY),
  validatingwebhookconfigurations: refused('an admission webhook', REMEDY),
  validatingadmissionpolicies: refused('a CEL admission policy', REMEDY),
  validatingadmissionpolicybindings: refused('a CEL admission policy', REMEDY),
};

export const apiService: Strategy = {
  generation: false,
  statusSubresource: true,
  prepareCreate(object: KubeObject) {
    if ((object.spec as { service?: object | null } | undefined)?.service)
      throw unsupported('an aggregated API server', REMEDY);
  },
};
