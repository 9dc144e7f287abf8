import {
  type FieldErrors,
  isDnsLabel,
  isDnsSubdomain,
  qualifiedNameProblems,
  validateLabels,
} from '@tiphys/apimachinery';
import { oneOf, validateCidr, validateEndpointIp, validateIp, validatePort } from '../shared/field-rules.ts';
import { parseIp } from '../shared/ip-addresses.ts';
import type { ServiceSpec } from '../shared/shapes.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

const POLICIES = ['Cluster', 'Local'];

/** What has to be right before addresses are allocated. */
export function validateClusterIps(spec: ServiceSpec, errors: FieldErrors): void {
  const { clusterIP, clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  if (!clusterIP && clusterIPs.length)
    errors.invalid('spec.clusterIPs', clusterIPs, 'must be empty when `clusterIP` is not specified');
  else if (clusterIP && clusterIPs[0] !== clusterIP)
    errors.invalid('spec.clusterIPs', clusterIPs, 'first value must match `clusterIP`');
  ipFamilies.forEach((family, index) => {
    const at = `spec.ipFamilies[${index}]`;
    oneOf(family, ['IPv4', 'IPv6'], at, errors);
    if (ipFamilies.indexOf(family) < index) errors.duplicate(at, family);
  });
  oneOf(ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack'], 'spec.ipFamilyPolicy', errors);
  clusterIPs.forEach((address, index) => {
    if (index > 0 || address !== 'None') validateIp(address, `spec.clusterIPs[${index}]`, errors);
    else if (clusterIPs.length > 1)
      errors.invalid('spec.clusterIPs', clusterIPs, "'None' must be the first and only value");
  });
  if (clusterIPs.length > 2) errors.invalid('spec.clusterIPs', clusterIPs, 'may only hold up to 2 values');
  // Families of what is no address are not compared.
  else if (clusterIPs.some((address) => address !== 'None' && !parseIp(address))) return;
  else if (
    clusterIPs.length === 2 &&
    parseIp(clusterIPs[0] as string)?.family === parseIp(clusterIPs[1] as string)?.family
  )
    errors.invalid('spec.clusterIPs', clusterIPs, 'may specify no more than one IP for each IP family');
  if (clusterIPs[0] === 'None') return;
  ipFamilies.slice(0, clusterIPs.length).forEach((family, index) => {
    const address = clusterIPs[index] as string;
    if (/^IPv[46]$/.test(family) && `IPv${parseIp(address)?.family}` !== family)
      errors.invalid(
        `spec.clusterIPs[${index}]`,
        address,
        `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
      );
  });
}

/** The families that a cluster with IPv4 alone has to refuse; services without selector and address may have any. */
export function validateFamilies(spec: ServiceSpec, errors: FieldErrors): void {
  if (spec.clusterIP === 'None' && !Object.keys(spec.selector ?? {}).length) return;
  (spec.ipFamilies ?? []).forEach((family, index) => {
    if (family !== 'IPv4') errors.invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster');
  });
  if (spec.ipFamilyPolicy === 'RequireDualStack')
    errors.invalid(
      'spec.ipFamilyPolicy',
      spec.ipFamilyPolicy,
      'this cluster is not configured for dual-stack services',
    );
}

export function validateService(spec: ServiceSpec, errors: FieldErrors): void {
  const headless = spec.clusterIP === 'None';
  if (!spec.ports?.length && !headless && spec.type !== 'ExternalName') errors.required('spec.ports');
  if (headless && (spec.type === 'LoadBalancer' || spec.type === 'NodePort'))
    errors.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`);
  if (spec.type === 'ExternalName') validateExternalName(spec, errors);
  validatePorts(spec, errors);
  validateLabels(spec.selector, 'spec.selector', errors);
  validateAffinity(spec, errors);
  (spec.externalIPs ?? []).forEach((address, index) => {
    const at = `spec.externalIPs[${index}]`;
    if (validateIp(address, at, errors)) validateEndpointIp(address, at, errors);
  });
  oneOf(spec.type, TYPES, 'spec.type', errors);
  validateDuplicates(spec, errors);
  validateBalancer(spec, errors);
  validateTraffic(spec, errors);
}

function validateExternalName(spec: ServiceSpec, errors: FieldErrors): void {
  if (spec.clusterIP || spec.clusterIPs?.length)
    errors.forbidden('spec.clusterIPs', 'may not be set for ExternalName services');
  if (spec.ipFamilies?.length) errors.forbidden('spec.ipFamilies', 'may not be set for ExternalName services');
  if (spec.ipFamilyPolicy) errors.forbidden('spec.ipFamilyPolicy', 'may not be set for ExternalName services');
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (!name) errors.required('spec.externalName');
  else for (const text of isDnsSubdomain(name)) errors.invalid('spec.externalName', name, text);
}

function validatePorts({ ports = [] }: ServiceSpec, errors: FieldErrors): void {
  const names = new Set<string>();
  ports.forEach((port, index) => {
    const at = `spec.ports[${index}]`;
    if (!port.name && ports.length > 1) errors.required(`${at}.name`);
    else if (port.name) {
      for (const text of isDnsLabel(port.name)) errors.invalid(`${at}.name`, port.name, text);
      if (names.has(port.name)) errors.duplicate(`${at}.name`, port.name);
      names.add(port.name);
    }
    validatePort(port.port, `${at}.port`, errors);
    oneOf(port.protocol, ['SCTP', 'TCP', 'UDP'], `${at}.protocol`, errors);
    validatePort(port.targetPort, `${at}.targetPort`, errors);
    if (port.appProtocol !== undefined)
      for (const text of qualifiedNameProblems(port.appProtocol))
        errors.invalid(`${at}.appProtocol`, port.appProtocol, text);
  });
}

function validateAffinity(spec: ServiceSpec, errors: FieldErrors): void {
  oneOf(spec.sessionAffinity, ['ClientIP', 'None'], 'spec.sessionAffinity', errors);
  if (spec.sessionAffinity !== 'ClientIP') return;
  const timeout = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (timeout <= 0 || timeout > 86400)
    errors.invalid(
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
      timeout,
      'must be greater than 0 and less than 86400',
    );
}

function validateDuplicates({ type, ports = [] }: ServiceSpec, errors: FieldErrors): void {
  ports.forEach(({ nodePort }, index) => {
    if (nodePort && type === 'ClusterIP')
      errors.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'");
  });
  const taken = new Set<string>();
  ports.forEach(({ nodePort, protocol }, index) => {
    if (!nodePort) return;
    const key = `${protocol}/${nodePort}`;
    if (taken.has(key)) errors.duplicate(`spec.ports[${index}].nodePort`, nodePort);
    taken.add(key);
  });
  const seen = new Set<string>();
  ports.forEach(({ port, protocol }, index) => {
    const key = `${protocol}/${port}`;
    if (seen.has(key))
      errors.duplicate(`spec.ports[${index}]`, {
        Name: '',
        Protocol: protocol,
        AppProtocol: null,
        Port: port,
        TargetPort: 0,
        NodePort: 0,
      });
    seen.add(key);
  });
}

const ONLY_BALANCER = "may only be used when `type` is 'LoadBalancer'";

function validateBalancer(spec: ServiceSpec, errors: FieldErrors): void {
  const balancer = spec.type === 'LoadBalancer';
  const at = 'spec.LoadBalancerSourceRanges';
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length && !balancer) errors.forbidden(at, ONLY_BALANCER);
  ranges.forEach((range, index) => {
    validateCidr(range.trim(), `${at}[${index}]`, errors);
  });
  if (spec.allocateLoadBalancerNodePorts !== undefined && !balancer)
    errors.forbidden('spec.allocateLoadBalancerNodePorts', ONLY_BALANCER);
  const { loadBalancerClass: className } = spec;
  if (className === undefined) return;
  if (!balancer) errors.forbidden('spec.loadBalancerClass', ONLY_BALANCER);
  else for (const text of qualifiedNameProblems(className)) errors.invalid('spec.loadBalancerClass', className, text);
}

function validateTraffic(spec: ServiceSpec, errors: FieldErrors): void {
  const { type, externalTrafficPolicy: policy, healthCheckNodePort: health } = spec;
  const external =
    type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && Boolean(spec.externalIPs?.length));
  if (external) oneOf(policy, POLICIES, 'spec.externalTrafficPolicy', errors);
  else if (policy)
    errors.invalid('spec.externalTrafficPolicy', policy, 'may only be set for externally-accessible services');
  if (health && !(type === 'LoadBalancer' && policy === 'Local'))
    errors.invalid(
      'spec.healthCheckNodePort',
      health,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
  oneOf(spec.internalTrafficPolicy, POLICIES, 'spec.internalTrafficPolicy', errors);
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  oneOf(spec.trafficDistribution, distributions, 'spec.trafficDistribution', errors);
}
