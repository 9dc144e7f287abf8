import { FieldErrors, isDns1035Label, type Strategy, type WriteContext } from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import { defaultIpMode, entryWarnings, serviceStatus } from '../shared/address-status.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, formatLabels, listAt, textAt } from '../shared/cell-values.ts';
import { age, balancerText, name } from '../shared/cells.ts';
import { cidrWarnings, ipWarnings } from '../shared/ip-addresses.ts';
import type { ServiceSpec } from '../shared/shapes.ts';
import { alignAddresses, settleFamilies, validateFamilyUpdate } from './service-families.ts';
import { validateService } from './service-validation.ts';

export function serviceCells(o: KubeObject, now: number): unknown[] {
  const externalIps = listAt<string>(o, 'spec.externalIPs');
  const type = textAt(o, 'spec.type');
  let external = externalIps.join(',') || '<none>';
  if (type === 'LoadBalancer') external = [balancerText(o), ...externalIps].filter(Boolean).join(',') || '<pending>';
  if (type === 'ExternalName') external = textAt(o, 'spec.externalName');
  const ports = listAt<{ port: number; nodePort?: number; protocol: string }>(o, 'spec.ports').map(
    ({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`,
  );
  return [
    name(o),
    type,
    listAt<string>(o, 'spec.clusterIPs')[0] ?? '<none>',
    external,
    ports.join(',') || '<none>',
    age(o, now),
    formatLabels(at(o, 'spec.selector')),
  ];
}

const specOf = (object: KubeObject) => object.spec as ServiceSpec;

const NODE_PORTS = { first: 30000, last: 32767 };

/** What is in a Service without effect, or not written as everybody reads it. */
function serviceWarnings(object: KubeObject): string[] {
  const spec = object.spec as coreV1.ServiceSpec;
  const { type, externalIPs = [], loadBalancerIP = '' } = spec;
  const headless = type === 'ClusterIP' && spec.clusterIP === 'None';
  const found: string[] = [];
  if (object.metadata.annotations?.['service.kubernetes.io/topology-aware-hints'] !== undefined)
    found.push(
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    );
  if (spec.clusterIP && spec.clusterIP !== 'None')
    (spec.clusterIPs ?? []).forEach((ip, index) => {
      found.push(...ipWarnings(`spec.clusterIPs[${index}]`, ip));
    });
  if (headless && loadBalancerIP) found.push('spec.loadBalancerIP is ignored for headless services');
  if (headless && externalIPs.length) found.push('spec.externalIPs is ignored for headless services');
  if (headless && spec.sessionAffinity !== 'None') found.push('spec.SessionAffinity is ignored for headless services');
  externalIPs.forEach((ip, index) => {
    found.push(...ipWarnings(`spec.externalIPs[${index}]`, ip));
  });
  found.push(...ipWarnings('spec.loadBalancerIP', loadBalancerIP));
  (spec.loadBalancerSourceRanges ?? []).forEach((range, index) => {
    found.push(...cidrWarnings(`spec.loadBalancerSourceRanges[${index}]`, range));
  });
  if (type === 'ExternalName' && externalIPs.length)
    found.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (type !== 'ExternalName' && spec.externalName)
    found.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  return found;
}

export const service: Strategy = {
  generation: false,
  statusSubresource: true,
  createOnUpdate: true,
  nameRule: isDns1035Label,
  warnings: serviceWarnings,
  defaults(object) {
    const spec = specOf(object);
    spec.sessionAffinity ??= 'None';
    if (spec.sessionAffinity === 'ClientIP') {
      spec.sessionAffinityConfig ??= {};
      spec.sessionAffinityConfig.clientIP ??= {};
      spec.sessionAffinityConfig.clientIP.timeoutSeconds ??= 10800;
    } else delete spec.sessionAffinityConfig;
    spec.type ??= 'ClusterIP';
    for (const port of spec.ports ?? []) {
      port.protocol ??= 'TCP';
      if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
    }
    if (isExternal(spec)) spec.externalTrafficPolicy ??= 'Cluster';
    if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
    if (spec.type !== 'LoadBalancer') return;
    spec.allocateLoadBalancerNodePorts ??= true;
    defaultIpMode(object);
  },
  prepareCreate: (object, context) => allocate(object, undefined, context),
  prepareUpdate(object, old, context) {
    const [now, before] = [specOf(object), specOf(old)];
    // What was allocated stays, unless the type says otherwise.
    if (now.type !== 'ExternalName' && before.type !== 'ExternalName') {
      if (!now.clusterIP && before.clusterIP) now.clusterIP = before.clusterIP;
      if (!now.clusterIPs?.length && before.clusterIPs?.length) now.clusterIPs = before.clusterIPs;
    }
    if (now.type === 'ClusterIP' || now.type === 'ExternalName') {
      // Node ports that were only allocated go with the type.
      for (const port of now.ports ?? [])
        if (before.ports?.some(({ nodePort }) => nodePort === port.nodePort)) delete port.nodePort;
      for (const field of ['externalTrafficPolicy', 'allocateLoadBalancerNodePorts'] as const)
        if (now[field] === before[field] && !(field === 'externalTrafficPolicy' && isExternal(now))) delete now[field];
    }
    if (now.type === 'ExternalName')
      for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'] as const)
        delete now[field];
    if (needsNodePorts(now))
      for (const port of now.ports ?? []) {
        const same = before.ports?.find((other) => other.port === port.port && other.protocol === port.protocol);
        if (!port.nodePort && same?.nodePort) port.nodePort = same.nodePort;
      }
    allocate(object, before, context);
  },
  validate: (object, errors) => validateService(specOf(object), errors),
  validateStatus: serviceStatus,
  statusWarnings: entryWarnings,
  validateUpdate(object, old, errors) {
    validateFamilyUpdate(specOf(object), specOf(old), errors);
  },
  updateRulesFirst: true,
  fields: (object) => {
    const { clusterIP = '', type = '' } = (object.spec ?? {}) as ServiceSpec;
    return { 'spec.clusterIP': clusterIP, 'spec.type': type };
  },
};

/** Reached from outside of the cluster (pkg/api/service, ExternallyAccessible). */
function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && externalIPs.length > 0);
}

function needsNodePorts(spec: ServiceSpec): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Gives a service the addresses and node ports that it needs and has not got. */
function allocate(object: KubeObject, before: ServiceSpec | undefined, context: WriteContext): void {
  const spec = specOf(object);
  if (spec.type === 'ExternalName') return;
  const refuse = (check: (spec: ServiceSpec, errors: FieldErrors) => void) => {
    const errors = new FieldErrors();
    check(spec, errors);
    errors.throwIfAny({ group: '', name: 'Service' }, object.metadata.name ?? '');
  };
  alignAddresses(spec, before);
  settleFamilies(spec, before, refuse);
  // What an update may not change is refused by its validation.
  const fresh = !before?.clusterIP;
  const others = context.server.store.collection('services');
  const used = (pick: (other: ServiceSpec) => unknown[]) =>
    new Set(
      others.keys().flatMap((key) => {
        const other = others.objectOf(key);
        return other.metadata.uid === object.metadata.uid ? [] : pick(specOf(other));
      }),
    );
  const addresses = used(({ clusterIP }) => [clusterIP]);
  if (fresh)
    refuse((_, errors) => {
      checkAddress(spec, addresses, errors);
    });
  if (!spec.clusterIP) spec.clusterIP = freeAddress(addresses);
  if (!spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
  if (!needsNodePorts(spec)) return;
  const ports = used(({ ports: list }) => (list ?? []).map(({ nodePort }) => nodePort));
  refuse((_, errors) => {
    allocateNodePorts(spec, ports, { dryRun: context.dryRun, errors });
  });
}

/** An address that was asked for has to be in the range and free. */
function checkAddress({ clusterIP, clusterIPs }: ServiceSpec, used: ReadonlySet<unknown>, errors: FieldErrors): void {
  if (!clusterIP || clusterIP === 'None') return;
  const fail = (reason: string) => {
    errors.invalid('spec.clusterIPs', clusterIPs, `failed to allocate IP ${clusterIP}: ${reason}`);
  };
  if (!clusterIP.startsWith('10.96.'))
    fail(`the provided IP (${clusterIP}) is not in the valid range. The range of valid IPs is 10.96.0.0/16`);
  else if (used.has(clusterIP)) fail('provided IP is already allocated');
}

/** One port number of several protocols gets one node port. */
function allocateNodePorts(
  { ports = [] }: ServiceSpec,
  used: Set<unknown>,
  { dryRun, errors }: { readonly dryRun: boolean; readonly errors: FieldErrors },
): void {
  const ofPort = new Map<number, number>();
  const own = new Set<string>();
  ports.forEach((port, index) => {
    const at = `spec.ports[${index}].nodePort`;
    const { nodePort = 0 } = port;
    if (!dryRun && nodePort && (nodePort < NODE_PORTS.first || nodePort > NODE_PORTS.last))
      errors.invalid(
        at,
        nodePort,
        `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`,
      );
    else if (nodePort && (used.has(nodePort) || own.has(`${port.protocol}/${nodePort}`)))
      errors.invalid(at, nodePort, 'provided port is already allocated');
    if (!nodePort) {
      const asked = ports.find((other) => other.port === port.port && other.nodePort)?.nodePort;
      port.nodePort = ofPort.get(port.port) ?? asked ?? freePort(new Set([...used, ...ofPort.values()]));
    }
    ofPort.set(port.port, port.nodePort as number);
    own.add(`${port.protocol}/${port.nodePort}`);
  });
}

function freeAddress(used: ReadonlySet<unknown>): string {
  for (;;) {
    const [a = 0, b = 0] = crypto.getRandomValues(new Uint8Array(2));
    const address = `10.96.${a}.${b}`;
    if (b !== 0 && b !== 255 && !(a === 0 && b < 16) && !used.has(address)) return address;
  }
}

function freePort(used: ReadonlySet<unknown>): number {
  const size = NODE_PORTS.last - NODE_PORTS.first + 1;
  const [random = 0] = crypto.getRandomValues(new Uint16Array(1));
  for (let step = 0; step < size; step++) {
    const port = NODE_PORTS.first + ((random + step) % size);
    if (!used.has(port)) return port;
  }
  return 0;
}

export const services: BuiltinKind = {
  strategy: service,
  cells: serviceCells,
};
