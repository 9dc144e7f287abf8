import type { Strategy } from '@tiphys/apimachinery';
import type { KubeObject, networkingV1 } from '@tiphys/kubernetes';
import { entryWarnings, ingressStatus } from '../shared/address-status.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, listAt, textAt } from '../shared/cell-values.ts';
import { age, balancerText, name, selector } from '../shared/cells.ts';
import { cidrWarnings } from '../shared/ip-addresses.ts';
import { type PolicySpec, validateIngress, validateIngressClass, validateNetworkPolicy } from './network-validation.ts';

export function hostsText(o: KubeObject): string {
  const rules = listAt(o, 'spec.rules');
  const hosts = rules.map((rule) => textAt(rule, 'host'));
  const named = hosts.filter(Boolean);
  const shown = named.slice(0, 3);
  if (!shown.length) return '*';
  // What is left out is counted in rules, those for any host included.
  let seen = 0;
  const third = hosts.findIndex((host) => host !== '' && ++seen === 3);
  const more = shown.length === 3 && third < rules.length - 1;
  return more ? `${shown.join(',')} + ${rules.length - 3} more...` : shown.join(',');
}

export const ingress: Strategy = {
  metaRulesOnUpdate: true,
  generation: true,
  statusSubresource: true,
  admit(object, { server }) {
    const spec = object.spec as networkingV1.IngressSpec;
    if (
      spec.ingressClassName !== undefined ||
      object.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined
    )
      return;
    const classes = server.store.collection('networking.k8s.io/ingressclasses');
    for (const key of classes.keys()) {
      const { metadata } = classes.objectOf(key);
      if (metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true')
        spec.ingressClassName = metadata.name as string;
    }
  },
  validate: validateIngress,
  validateStatus: ingressStatus,
  statusWarnings: entryWarnings,
};

export const ingressClass: Strategy = {
  metaRulesOnUpdate: true,
  generation: true,
  statusSubresource: false,
  defaults(object) {
    const { parameters } = (object.spec ?? {}) as networkingV1.IngressClassSpec;
    if (parameters) parameters.scope ??= 'Cluster';
  },
  updateRulesFirst: true,
  validate: validateIngressClass,
  validateUpdate(object, old, errors) {
    const [now, before] = [object, old].map(
      ({ spec }) => (spec as networkingV1.IngressClassSpec | undefined)?.controller ?? '',
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
  metaRulesOnUpdate: true,
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

export const ingressClasses: BuiltinKind = {
  strategy: ingressClass,
  cells: (o, now) => {
    const group = at(o, 'spec.parameters.apiGroup');
    const parameters = at(o, 'spec.parameters')
      ? `${textAt(o, 'spec.parameters.kind')}${typeof group === 'string' ? `.${group}` : ''}/${textAt(o, 'spec.parameters.name')}`
      : '<none>';
    return [name(o), textAt(o, 'spec.controller'), parameters, age(o, now)];
  },
};

export const ingresses: BuiltinKind = {
  strategy: ingress,
  cells: (o, now) => [
    name(o),
    textAt(o, 'spec.ingressClassName', '<none>'),
    hostsText(o),
    balancerText(o),
    listAt(o, 'spec.tls').length ? '80, 443' : '80',
    age(o, now),
  ],
};

export const networkPolicies: BuiltinKind = {
  strategy: networkPolicy,
  cells: (o, now) => [name(o), selector(o, 'spec.podSelector'), age(o, now)],
};
