import { BlockList, isIP } from 'node:net';
import { type FieldErrors, isDns1035Label, isDnsLabel, isDnsSubdomain, isPathSegment } from '@tiphys/apimachinery';
import type { KubeObject, LabelSelector, networkingV1 } from '@tiphys/kubernetes';
import { domainPathProblem, oneOf, portNameProblems, validateCidr, validatePort } from '../shared/field-rules.ts';
import { validateSelector } from '../shared/selector-validation.ts';

interface Reference {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

interface Backend {
  service?: { name?: string; port?: { name?: string; number?: number } };
  resource?: Reference;
}

interface HttpPath {
  path?: string;
  pathType?: string;
  backend: Backend;
}

interface IngressSpec {
  ingressClassName?: string;
  defaultBackend?: Backend;
  rules?: { host?: string; http?: { paths?: HttpPath[] } }[];
  tls?: { hosts?: string[]; secretName?: string }[];
}

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

const SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];

const SUFFIXES = ['/..', '/.'];

const WILDCARD_TEXT =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function validateHost(host: string, at: string, errors: FieldErrors): void {
  if (!host.includes('*')) for (const text of isDnsSubdomain(host)) errors.invalid(at, host, text);
  else if (!host.startsWith('*.') || isDnsSubdomain(host.slice(2)).length) errors.invalid(at, host, WILDCARD_TEXT);
}

export function validateIngress(object: KubeObject, errors: FieldErrors): void {
  const spec = (object.spec ?? {}) as IngressSpec;
  if (!spec.rules?.length && !spec.defaultBackend)
    errors.invalid('spec', spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified');
  if (spec.defaultBackend) validateBackend(spec.defaultBackend, 'spec.defaultBackend', errors);
  (spec.rules ?? []).forEach(({ host, http }, index) => {
    const at = `spec.rules[${index}]`;
    if (host) {
      if (isIP(host)) errors.invalid(`${at}.host`, host, 'must be a DNS name, not an IP address');
      validateHost(host, `${at}.host`, errors);
    }
    if (http && !http.paths?.length) errors.required(`${at}.http.paths`);
    (http?.paths ?? []).forEach((path, position) => {
      validatePath(path, `${at}.http.paths[${position}]`, errors);
    });
  });
  (spec.tls ?? []).forEach(({ hosts = [], secretName }, index) => {
    const at = `spec.tls[${index}]`;
    hosts.forEach((host, position) => {
      validateHost(host, `${at}.hosts[${position}]`, errors);
    });
    if (secretName) for (const text of isDnsSubdomain(secretName)) errors.invalid(`${at}.secretName`, secretName, text);
  });
  const { ingressClassName: name } = spec;
  if (name !== undefined) for (const text of isDnsSubdomain(name)) errors.invalid('spec.ingressClassName', name, text);
}

function validatePath({ path = '', pathType, backend }: HttpPath, at: string, errors: FieldErrors): void {
  if (typeof pathType !== 'string') {
    errors.required(`${at}.pathType`, 'pathType must be specified');
    return;
  }
  const here = `${at}.path`;
  oneOf(pathType, PATH_TYPES, `${at}.pathType`, errors);
  const exact = pathType === 'Exact' || pathType === 'Prefix';
  if (!path.startsWith('/') && (exact || (pathType === 'ImplementationSpecific' && path)))
    errors.invalid(here, path, 'must be an absolute path');
  if (exact) {
    for (const text of SEQUENCES) if (path.includes(text)) errors.invalid(here, path, `must not contain '${text}'`);
    for (const text of SUFFIXES) if (path.endsWith(text)) errors.invalid(here, path, `cannot end with '${text}'`);
  }
  validateBackend(backend ?? {}, `${at}.backend`, errors);
}

function validateBackend({ service, resource }: Backend, at: string, errors: FieldErrors): void {
  if (resource && service) errors.invalid(at, '', 'cannot set both resource and service backends');
  else if (resource) validateReference(resource, `${at}.resource`, errors);
  else if (!service) errors.invalid(at, '', 'resource or service backend is required');
  else {
    const { name, port = {} } = service;
    if (!name) errors.required(`${at}.service.name`);
    else for (const text of isDns1035Label(name)) errors.invalid(`${at}.service.name`, name, text);
    if (port.name && port.number) errors.invalid(at, '', 'cannot set both port name & port number');
    else if (port.name)
      for (const text of portNameProblems(port.name)) errors.invalid(`${at}.service.port.name`, port.name, text);
    else if (port.number) validatePort(port.number, `${at}.service.port.number`, errors);
    else errors.required(at, 'port name or number is required');
  }
}

function validateReference({ apiGroup, kind, name }: Reference, at: string, errors: FieldErrors): void {
  if (apiGroup !== undefined && apiGroup !== null)
    for (const text of isDnsSubdomain(apiGroup)) errors.invalid(`${at}.apiGroup`, apiGroup, text);
  for (const [field, value] of Object.entries({ kind, name }))
    if (!value) errors.required(`${at}.${field}`);
    else for (const text of isPathSegment(value)) errors.invalid(`${at}.${field}`, value, text);
}

export function validateIngressClass(object: KubeObject, errors: FieldErrors): void {
  const { controller, parameters } = (object.spec ?? {}) as networkingV1.IngressClassSpec;
  if (!controller) errors.required('spec.controller');
  else {
    const problem = domainPathProblem(controller);
    if (controller.length > 250) errors.tooLong('spec.controller', 250);
    if (problem) errors.invalid('spec.controller', controller, problem);
  }
  if (!parameters) return;
  const at = 'spec.parameters';
  validateReference(parameters, at, errors);
  const { scope, namespace } = parameters;
  oneOf(scope, ['Cluster', 'Namespace'], `${at}.scope`, errors);
  if (scope === 'Namespace') {
    if (namespace === undefined) errors.required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'");
    else for (const text of isDnsLabel(namespace)) errors.invalid(`${at}.namespace`, namespace, text);
  } else if (scope === 'Cluster' && namespace !== undefined)
    errors.forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'");
}

interface PolicyPort {
  protocol?: string;
  port?: string | number;
  endPort?: number;
}

interface Peer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr?: string; except?: string[] };
}

export interface PolicySpec {
  podSelector?: LabelSelector;
  policyTypes?: string[];
  ingress?: { ports?: PolicyPort[]; from?: Peer[] }[];
  egress?: { ports?: PolicyPort[]; to?: Peer[] }[];
}

export function validateNetworkPolicy(object: KubeObject, errors: FieldErrors): void {
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = object.spec as PolicySpec;
  validateSelector(podSelector, 'spec.podSelector', errors);
  ingress.forEach(({ ports, from }, index) => {
    validateRule({ ports, peers: from, list: 'from' }, `spec.ingress[${index}]`, errors);
  });
  egress.forEach(({ ports, to }, index) => {
    validateRule({ ports, peers: to, list: 'to' }, `spec.egress[${index}]`, errors);
  });
  if (policyTypes.length > 2)
    errors.invalid('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes');
  else
    policyTypes.forEach((type, index) => {
      oneOf(type, ['Ingress', 'Egress'], `spec.policyTypes[${index}]`, errors);
    });
}

interface Rule {
  readonly ports: readonly PolicyPort[] | undefined;
  readonly peers: readonly Peer[] | undefined;
  readonly list: string;
}

function validateRule({ ports = [], peers = [], list }: Rule, path: string, errors: FieldErrors): void {
  ports.forEach((port, index) => {
    validatePolicyPort(port, `${path}.ports[${index}]`, errors);
  });
  peers.forEach((peer, index) => {
    validatePeer(peer, `${path}.${list}[${index}]`, errors);
  });
}

function validatePolicyPort({ protocol, port, endPort }: PolicyPort, at: string, errors: FieldErrors): void {
  oneOf(protocol, ['TCP', 'UDP', 'SCTP'], `${at}.protocol`, errors);
  if (port === undefined) {
    if (endPort !== undefined)
      errors.invalid(`${at}.endPort`, endPort, 'may not be specified when `port` is not specified');
    return;
  }
  if (typeof port === 'string' && endPort !== undefined)
    errors.invalid(`${at}.endPort`, endPort, 'may not be specified when `port` is non-numeric');
  validatePort(port, `${at}.port`, errors);
  if (typeof port === 'string' || endPort === undefined) return;
  if (endPort < port) errors.invalid(`${at}.endPort`, port, 'must be greater than or equal to `port`');
  validatePort(endPort, `${at}.endPort`, errors);
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: Peer, at: string, errors: FieldErrors): void {
  validateSelector(podSelector, `${at}.podSelector`, errors);
  validateSelector(namespaceSelector, `${at}.namespaceSelector`, errors);
  if (ipBlock) validateBlock(ipBlock, `${at}.ipBlock`, errors);
  if (!podSelector && !namespaceSelector && !ipBlock) errors.required(at, 'must specify a peer');
  else if (ipBlock && (podSelector || namespaceSelector))
    errors.forbidden(at, 'may not specify both ipBlock and another peer');
}

function validateBlock(
  { cidr, except = [] }: { cidr?: string; except?: string[] },
  at: string,
  errors: FieldErrors,
): void {
  if (!cidr) {
    errors.required(`${at}.cidr`);
    return;
  }
  if (!validateCidr(cidr, `${at}.cidr`, errors)) return;
  except.forEach((inner, index) => {
    const here = `${at}.except[${index}]`;
    if (validateCidr(inner, here, errors) && !isStrictSubset(inner, cidr))
      errors.invalid(here, inner, 'must be a strict subset of `cidr`');
  });
}

function isStrictSubset(inner: string, outer: string): boolean {
  const [address = '', length] = inner.split('/');
  const [base = '', size] = outer.split('/');
  const family = (text: string) => (isIP(text) === 6 ? 'ipv6' : 'ipv4');
  if (family(address) !== family(base) || Number(size) >= Number(length)) return false;
  const block = new BlockList();
  block.addSubnet(base, Number(size), family(base));
  return block.check(address, family(address));
}
