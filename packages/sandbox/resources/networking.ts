import type { KubeObject } from '@tiphys/kubernetes';
import { isDnsSubdomain } from '../server/names.ts';
import type { Strategy } from '../server/strategy.ts';
import type { LabelSelector } from './label-selector.ts';
import { validateSelector } from './selector-validation.ts';

interface Backend {
  service?: { name?: string; port?: { name?: string; number?: number } };
  resource?: object;
}

interface IngressSpec {
  defaultBackend?: Backend;
  rules?: { host?: string; http?: { paths?: { path?: string; pathType?: string; backend: Backend }[] } }[];
}

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

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
  validate(object, errors) {
    const spec = (object.spec ?? {}) as IngressSpec;
    if (!spec.rules?.length && !spec.defaultBackend)
      errors.invalid('spec', null, 'either `defaultBackend` or `rules` must be specified');
    (spec.rules ?? []).forEach((rule, index) => {
      const at = `spec.rules[${index}]`;
      if (rule.host && !rule.host.startsWith('*.'))
        for (const text of isDnsSubdomain(rule.host)) errors.invalid(`${at}.host`, rule.host, text);
      if (rule.http && !rule.http.paths?.length) errors.required(`${at}.http.paths`);
      (rule.http?.paths ?? []).forEach((path, position) => {
        const here = `${at}.http.paths[${position}]`;
        if (!path.pathType) errors.required(`${here}.pathType`, 'pathType must be specified');
        else if (!PATH_TYPES.includes(path.pathType))
          errors.notSupported(`${here}.pathType`, path.pathType, PATH_TYPES);
        else if (path.pathType !== 'ImplementationSpecific' && !path.path?.startsWith('/'))
          errors.invalid(`${here}.path`, path.path ?? '', 'must be an absolute path');
        if (!path.pathType) return;
        const { service, resource } = path.backend ?? {};
        if (!service && !resource)
          errors.required(`${here}.backend`, 'either `resource` or `service` must be specified');
        if (service && !service.name) errors.required(`${here}.backend.service.name`);
        if (service && !service.port?.name && !service.port?.number)
          errors.required(`${here}.backend`, 'port name or number is required');
      });
    });
  },
};

export const ingressClass: Strategy = {
  generation: true,
  statusSubresource: false,
  defaults(object) {
    const { parameters } = (object.spec ?? {}) as { parameters?: { scope?: string } };
    if (parameters) parameters.scope ??= 'Cluster';
  },
  validate(object, errors) {
    if (!(object.spec as { controller?: string } | undefined)?.controller) errors.required('spec.controller');
  },
};

interface PolicySpec {
  podSelector?: LabelSelector;
  policyTypes?: string[];
  ingress?: { ports?: { protocol?: string }[] }[];
  egress?: { ports?: { protocol?: string }[] }[];
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
  validate(object, errors) {
    const { podSelector, policyTypes = [] } = object.spec as PolicySpec;
    validateSelector(podSelector, 'spec.podSelector', errors);
    policyTypes.forEach((type, index) => {
      if (type !== 'Ingress' && type !== 'Egress')
        errors.notSupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress']);
    });
  },
};
