import { isIP } from 'node:net';
import type { KubeObject } from '@tiphys/kubernetes';
import { FieldErrors } from '../server/field-errors.ts';
import { isDns1035Label } from '../server/names.ts';
import type { Strategy, WriteContext } from '../server/strategy.ts';
import type { ServiceSpec } from './shapes.ts';

const specOf = (object: KubeObject) => object.spec as ServiceSpec;
const NODE_PORTS = { first: 30000, last: 32767 };

export const service: Strategy = {
  generation: false,
  statusSubresource: true,
  nameRule: isDns1035Label,
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
    const external = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
    if (external) spec.externalTrafficPolicy ??= 'Cluster';
    if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
    if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
  },
  prepareCreate: (object, context) => allocate(object, undefined, context),
  prepareUpdate(object, old, context) {
    const [now, before] = [specOf(object), specOf(old)];
    // What was allocated stays, unless the type says otherwise.
    if (now.type !== 'ExternalName' && before.type !== 'ExternalName') {
      if (!now.clusterIP && !now.clusterIPs?.length) {
        if (before.clusterIP) now.clusterIP = before.clusterIP;
        if (before.clusterIPs) now.clusterIPs = before.clusterIPs;
      }
      if (!now.ipFamilies && before.ipFamilies) now.ipFamilies = before.ipFamilies;
      if (!now.ipFamilyPolicy && before.ipFamilyPolicy) now.ipFamilyPolicy = before.ipFamilyPolicy;
    }
    if (now.type === 'ClusterIP' || now.type === 'ExternalName') {
      // Node ports that were only allocated go with the type.
      for (const port of now.ports ?? [])
        if (before.ports?.some(({ nodePort }) => nodePort === port.nodePort)) delete port.nodePort;
      delete now.externalTrafficPolicy;
      delete now.allocateLoadBalancerNodePorts;
    }
    if (now.type === 'ExternalName')
      for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'] as const)
        delete now[field];
    if (needsNodePorts(now))
      for (const port of now.ports ?? []) {
        const same = before.ports?.find((other) => other.port === port.port && other.protocol === port.protocol);
        if (!port.nodePort && same?.nodePort) port.nodePort = same.nodePort;
      }
    allocate(object, old, context);
  },
  validate: (object, errors) => validateService(specOf(object), errors),
  validateUpdate(object, old, errors) {
    const [now, before] = [specOf(object), specOf(old)];
    if (before.type === 'ExternalName' || now.type === 'ExternalName' || !before.clusterIP) return;
    if (now.clusterIP !== before.clusterIP) {
      errors.invalid(
        'spec.clusterIPs[0]',
        now.clusterIPs?.length ? [now.clusterIP] : now.clusterIP,
        'may not change once set',
      );
    }
  },
  fields: (object) => {
    const { clusterIP = '', type = '' } = (object.spec ?? {}) as ServiceSpec;
    return { 'spec.clusterIP': clusterIP, 'spec.type': type };
  },
};

function needsNodePorts(spec: ServiceSpec): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Gives a service the addresses and node ports that it needs and has not got. */
function allocate(object: KubeObject, _old: KubeObject | undefined, context: WriteContext): void {
  const spec = specOf(object);
  if (spec.type === 'ExternalName') return;
  if (!spec.clusterIP && spec.clusterIPs?.length) spec.clusterIP = spec.clusterIPs[0] as string;
  const others = context.server.store.collection('services');
  const used = (pick: (other: ServiceSpec) => unknown[]) =>
    new Set(
      others.keys().flatMap((key) => {
        const other = (others.get(key) as { object: KubeObject }).object;
        return other.metadata.uid === object.metadata.uid ? [] : pick(specOf(other));
      }),
    );
  if (!spec.clusterIP) spec.clusterIP = freeAddress(used(({ clusterIP }) => [clusterIP]));
  if (!spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
  // Headless services without selector may have endpoints of both families.
  const open = spec.clusterIP === 'None' && !Object.keys(spec.selector ?? {}).length;
  if (!spec.ipFamilies?.length) spec.ipFamilies = open ? ['IPv4', 'IPv6'] : ['IPv4'];
  spec.ipFamilyPolicy ??= open ? 'RequireDualStack' : 'SingleStack';
  if (!needsNodePorts(spec)) return;
  const ports = used(({ ports: list }) => (list ?? []).map(({ nodePort }) => nodePort));
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (port.nodePort && !context.dryRun) checkNodePort(object, port.nodePort, index, ports);
    if (!port.nodePort) port.nodePort = freePort(ports);
    ports.add(port.nodePort);
  }
}

/** A node port that was asked for has to be in the range and free. */
function checkNodePort(object: KubeObject, port: number, index: number, used: ReadonlySet<unknown>): void {
  const errors = new FieldErrors();
  const at = `spec.ports[${index}].nodePort`;
  if (port < NODE_PORTS.first || port > NODE_PORTS.last)
    errors.invalid(
      at,
      port,
      `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`,
    );
  else if (used.has(port)) errors.invalid(at, port, 'provided port is already allocated');
  errors.throwIfAny({ group: '', name: 'Service' }, object.metadata.name ?? '');
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

function validateService(spec: ServiceSpec, errors: FieldErrors): void {
  const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
  if (!types.includes(spec.type ?? '')) errors.notSupported('spec.type', spec.type, types);
  if (!spec.ports?.length && spec.clusterIP !== 'None' && spec.type !== 'ExternalName') errors.required('spec.ports');
  if (spec.type === 'ExternalName' && !spec.externalName) errors.required('spec.externalName');
  if (spec.type === 'LoadBalancer' && spec.clusterIP === 'None')
    errors.invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for LoadBalancer services");
  if (spec.type === 'NodePort' && spec.clusterIP === 'None')
    errors.invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for NodePort services");
  if (spec.clusterIP && spec.clusterIP !== 'None' && isIP(spec.clusterIP) === 0)
    errors.invalid(
      'spec.clusterIPs[0]',
      spec.clusterIP,
      'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    );
  const names = new Set<string>();
  const seen = new Set<string>();
  (spec.ports ?? []).forEach((port, index) => {
    const at = `spec.ports[${index}]`;
    if (!port.name && (spec.ports?.length ?? 0) > 1) errors.required(`${at}.name`);
    else if (port.name && names.has(port.name)) errors.duplicate(`${at}.name`, port.name);
    names.add(port.name ?? '');
    if (port.port < 1 || port.port > 65535)
      errors.invalid(`${at}.port`, port.port, 'must be between 1 and 65535, inclusive');
    if (!['SCTP', 'TCP', 'UDP'].includes(port.protocol ?? ''))
      errors.notSupported(`${at}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']);
    if (typeof port.targetPort === 'number' && (port.targetPort < 1 || port.targetPort > 65535))
      errors.invalid(`${at}.targetPort`, port.targetPort, 'must be between 1 and 65535, inclusive');
    if (port.nodePort && (spec.type === 'ClusterIP' || spec.type === 'ExternalName'))
      errors.forbidden(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'");
    const key = `${port.protocol}/${port.port}`;
    if (seen.has(key))
      errors.duplicate(at, {
        Name: '',
        Protocol: port.protocol,
        AppProtocol: null,
        Port: port.port,
        TargetPort: 0,
        NodePort: 0,
      });
    seen.add(key);
  });
  if (!['ClientIP', 'None'].includes(spec.sessionAffinity ?? ''))
    errors.notSupported('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']);
}
