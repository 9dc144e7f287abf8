import { compareQuantities } from '../schema/quantity.ts';
import type { FieldErrors } from '../server/field-errors.ts';
import { isDnsLabel, isDnsSubdomain } from '../server/names.ts';
import type { Container, PodSpec, Probe } from './shapes.ts';

/** Validates a PodSpec of a pod or template. */
export function validatePodSpec(spec: PodSpec, path: string, errors: FieldErrors): void {
  const volumes = validateVolumes(spec, path, errors);
  const names = new Set<string>();
  if (!spec.containers?.length) errors.required(`${path}.containers`);
  validateContainers(spec.containers ?? [], `${path}.containers`, { names, volumes }, errors);
  validateContainers(spec.initContainers ?? [], `${path}.initContainers`, { names, volumes }, errors);
  if (!['Always', 'OnFailure', 'Never'].includes(spec.restartPolicy ?? ''))
    errors.notSupported(`${path}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']);
  if (!['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'].includes(spec.dnsPolicy ?? ''))
    errors.notSupported(`${path}.dnsPolicy`, spec.dnsPolicy, [
      'ClusterFirst',
      'ClusterFirstWithHostNet',
      'Default',
      'None',
    ]);
  if (spec.dnsPolicy === 'None' && !spec.dnsConfig)
    errors.required(`${path}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None');
  if (
    spec.activeDeadlineSeconds !== undefined &&
    (spec.activeDeadlineSeconds < 1 || spec.activeDeadlineSeconds > 2147483647)
  )
    errors.invalid(
      `${path}.activeDeadlineSeconds`,
      spec.activeDeadlineSeconds,
      'must be between 1 and 2147483647, inclusive',
    );
  if (spec.serviceAccountName)
    for (const text of isDnsSubdomain(spec.serviceAccountName))
      errors.invalid(`${path}.serviceAccountName`, spec.serviceAccountName, text);
  if (spec.nodeName)
    for (const text of isDnsSubdomain(spec.nodeName)) errors.invalid(`${path}.nodeName`, spec.nodeName, text);
}

function validateVolumes(spec: PodSpec, path: string, errors: FieldErrors): Set<string> {
  const names = new Set<string>();
  (spec.volumes ?? []).forEach((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    const before = errors.causes.length;
    if (!volume.name) errors.required(`${at}.name`);
    else for (const text of isDnsLabel(volume.name)) errors.invalid(`${at}.name`, volume.name, text);
    if (names.has(volume.name)) errors.duplicate(`${at}.name`, volume.name);
    const sources = Object.keys(volume).filter((key) => key !== 'name');
    for (const source of sources.slice(1))
      errors.forbidden(`${at}.${source}`, 'may not specify more than 1 volume type');
    if (errors.causes.length === before) names.add(volume.name);
  });
  return names;
}

interface Seen {
  names: Set<string>;
  volumes: ReadonlySet<string>;
}

function validateContainers(containers: readonly Container[], path: string, seen: Seen, errors: FieldErrors): void {
  containers.forEach((container, index) => {
    const at = `${path}[${index}]`;
    const { name } = container;
    if (!name) errors.required(`${at}.name`);
    else for (const text of isDnsLabel(name)) errors.invalid(`${at}.name`, name, text);
    if (name && seen.names.has(name)) errors.duplicate(`${at}.name`, name);
    seen.names.add(name);
    if (!container.image) errors.required(`${at}.image`);
    else if (container.image !== container.image.trim())
      errors.invalid(`${at}.image`, container.image, 'must not have leading or trailing whitespace');
    if (!['Always', 'IfNotPresent', 'Never'].includes(container.imagePullPolicy ?? ''))
      errors.notSupported(`${at}.imagePullPolicy`, container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']);
    if (!['FallbackToLogsOnError', 'File'].includes(container.terminationMessagePolicy ?? ''))
      errors.notSupported(`${at}.terminationMessagePolicy`, container.terminationMessagePolicy, [
        'FallbackToLogsOnError',
        'File',
      ]);
    validatePorts(container, at, errors);
    validateEnv(container, at, errors);
    validateMounts(container, at, seen.volumes, errors);
    validateResources(container, at, errors);
    for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      const probe = container[kind];
      if (probe) validateProbe(probe, `${at}.${kind}`, kind, errors);
    }
  });
}

function validatePorts(container: Container, at: string, errors: FieldErrors): void {
  const names = new Set<string>();
  (container.ports ?? []).forEach((port, index) => {
    const path = `${at}.ports[${index}]`;
    if (port.name) {
      if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(port.name) || !/[a-z]/.test(port.name) || port.name.length > 15) {
        if (port.name.length > 15) errors.invalid(`${path}.name`, port.name, 'must be no more than 15 characters');
        else
          errors.invalid(
            `${path}.name`,
            port.name,
            'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
          );
      } else if (names.has(port.name)) errors.duplicate(`${path}.name`, port.name);
      names.add(port.name);
    }
    if (!port.containerPort) errors.required(`${path}.containerPort`);
    else if (port.containerPort < 1 || port.containerPort > 65535)
      errors.invalid(`${path}.containerPort`, port.containerPort, 'must be between 1 and 65535, inclusive');
    if (port.hostPort !== undefined && port.hostPort !== 0 && (port.hostPort < 1 || port.hostPort > 65535))
      errors.invalid(`${path}.hostPort`, port.hostPort, 'must be between 1 and 65535, inclusive');
    if (!['SCTP', 'TCP', 'UDP'].includes(port.protocol ?? ''))
      errors.notSupported(`${path}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']);
  });
}

function validateEnv(container: Container, at: string, errors: FieldErrors): void {
  (container.env ?? []).forEach((variable, index) => {
    const path = `${at}.env[${index}]`;
    if (!variable.name) errors.required(`${path}.name`);
    if (variable.value && variable.valueFrom)
      errors.invalid(`${path}.valueFrom`, '', 'may not be specified when `value` is not empty');
    if (variable.valueFrom && Object.keys(variable.valueFrom).length === 0)
      errors.invalid(
        `${path}.valueFrom`,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      );
  });
}

function validateMounts(container: Container, at: string, volumes: ReadonlySet<string>, errors: FieldErrors): void {
  const paths = new Set<string>();
  (container.volumeMounts ?? []).forEach((mount, index) => {
    const path = `${at}.volumeMounts[${index}]`;
    if (!mount.name) errors.required(`${path}.name`);
    else if (!volumes.has(mount.name)) errors.notFound(`${path}.name`, mount.name);
    if (!mount.mountPath) errors.required(`${path}.mountPath`);
    else if (paths.has(mount.mountPath)) errors.invalid(`${path}.mountPath`, mount.mountPath, 'must be unique');
    paths.add(mount.mountPath ?? '');
  });
}

function validateResources(container: Container, at: string, errors: FieldErrors): void {
  const { limits = {}, requests = {} } = container.resources ?? {};
  for (const [kind, list] of [
    ['limits', limits],
    ['requests', requests],
  ] as const)
    for (const [name, value] of Object.entries(list))
      if (value.startsWith('-'))
        errors.invalid(`${at}.resources.${kind}[${name}]`, value, 'must be greater than or equal to 0');
  for (const [name, value] of Object.entries(requests)) {
    const limit = limits[name];
    if (limit !== undefined && (compareQuantities(value, limit) ?? 0) > 0)
      errors.invalid(`${at}.resources.requests`, value, `must be less than or equal to ${name} limit of ${limit}`);
  }
}

function validateProbe(probe: Probe, path: string, kind: string, errors: FieldErrors): void {
  const handlers = (['exec', 'httpGet', 'tcpSocket', 'grpc'] as const).filter((handler) => probe[handler]);
  if (handlers.length === 0) errors.required(path, 'must specify a handler type');
  for (const handler of handlers.slice(1))
    errors.forbidden(`${path}.${handler}`, 'may not specify more than 1 handler type');
  for (const field of ['timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const)
    if ((probe[field] ?? 0) < 0) errors.invalid(`${path}.${field}`, probe[field], 'must be greater than or equal to 0');
  if (kind !== 'readinessProbe' && probe.successThreshold !== 1)
    errors.invalid(`${path}.successThreshold`, probe.successThreshold, 'must be 1');
  const { port } = probe.httpGet ?? {};
  if (probe.httpGet && (port === undefined || port === 0 || port === '')) errors.required(`${path}.httpGet.port`);
}
