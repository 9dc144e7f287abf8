import type { Strategy } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import { entryWarnings, ingressStatus } from './address-status.ts';
import { cidrWarnings } from './ip-addresses.ts';
import { type PolicySpec, validateIngress, validateIngressClass, validateNetworkPolicy } from './network-validation.ts';

export const ingress: Strategy = {
  generation: true,
  statusSubresource: true,
  admit(object, { server }) {
    const spec = object.spec as { ingressClassName?: string };
    if (
      spec.ingressClassName !== undefined ||
      object.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined
    )
      return;
    const classes = server.store.collection('networking.k8s.io/ingressclasses');
    for (const key of classes.keys()) {
      const { metadata } = (classes.get(key) as { object: KubeObject }).object;
      if (metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true')
        spec.ingressClassName = metadata.name as string;
    }
  },
  validate: validateIngress,
  validateStatus: ingressStatus,
  statusWarnings: entryWarnings,
};

export const ingressClass: Strategy = {
  generation: true,
  statusSubresource: false,
  defaults(object) {
    const { parameters } = (object.spec ?? {}) as { parameters?: { scope?: string } };
    if (parameters) parameters.scope ??= 'Cluster';
  },
  updateRulesFirst: true,
  validate: validateIngressClass,
  validateUpdate(object, old, errors) {
    const [now, before] = [object, old].map(
      ({ spec }) => (spec as { controller?: string } | undefined)?.controller ?? '',
    );
    if (now !== before) errors.invalid('spec.controller', now, 'field is immutable');
  },
};

type PolicyPeer = NonNullable<NonNullable<PolicySpec['egress']>[number]['to']>[number];

/** Blocks of addresses in forms that not everybody reads alike. */
function blockWarnings({ cidr = '', except = [] }: { cidr?: string; except?: string[] }, at: string): string[] {
  return [
    ...cidrWarnings(`${at}.cidr`, cidr),
    ...except.flatMap((text, index) => cidrWarnings(`${at}.except[${index}]`, text)),
  ];
}

export const networkPolicy: Strategy = {
  generation: true,
  statusSubresource: false,
  defaults(object) {
    const spec = (object.spec ?? {}) as PolicySpec;
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
      for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
    object.spec = spec;
  },
  validate: validateNetworkPolicy,
  warnings({ spec }) {
    const { ingress = [], egress = [] } = spec as PolicySpec;
    const of = (peers: PolicyPeer[], at: string) =>
      peers.flatMap(({ ipBlock }, index) => (ipBlock ? blockWarnings(ipBlock, `${at}[${index}].ipBlock`) : []));
    return [
      ...ingress.flatMap(({ from = [] }, index) => of(from, `spec.ingress[${index}].from`)),
      ...egress.flatMap(({ to = [] }, index) => of(to, `spec.egress[${index}].to`)),
    ];
  },
};
