import { type FieldErrors, isDnsLabel, isDnsSubdomain, qualifiedNameProblems } from '@tiphys/apimachinery';
import type { coreV1 } from '@tiphys/kubernetes';
import { validateContainerResourceName } from '../shared/container-resources.ts';
import {
  configKeyProblems,
  oneOf,
  portNameProblems,
  validateDescendingPath,
  validatePort,
} from '../shared/field-rules.ts';
import { type Requirements, validateRequirements } from '../shared/resource-requirements.ts';
import type { Container, PodSpec, Volume } from '../shared/shapes.ts';
import { validateHandlers } from './handler-validation.ts';
import { validateContainerSecurity } from './security-validation.ts';

export interface ContainerScope {
  readonly spec: PodSpec;
  readonly names: Set<string>;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly init: boolean;
}

/** Validates containers of a pod, with the API server's words and order. */
export function validateContainers(
  containers: readonly Container[],
  path: string,
  scope: ContainerScope,
  errors: FieldErrors,
): void {
  const hostPorts = new Set<string>();
  containers.forEach((container, index) => {
    const at = `${path}[${index}]`;
    validateContainer(container, at, scope, errors);
    if ((container.name || !scope.init) && scope.names.has(container.name))
      errors.duplicate(`${at}.name`, container.name);
    validateHandlers(container, at, scope, errors);
    scope.names.add(container.name);
    ((container.ports ?? []) as coreV1.ContainerPort[]).forEach((port, position) => {
      const { hostPort, protocol, hostIP = '' } = port;
      if (!hostPort) return;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (hostPorts.has(key)) errors.duplicate(`${at}.ports[${position}].hostPort`, key);
      hostPorts.add(key);
    });
  });
}

function validateResizePolicies(
  policies: readonly { resourceName?: string; restartPolicy?: string }[],
  at: string,
  { spec }: ContainerScope,
  errors: FieldErrors,
): void {
  policies.forEach(({ resourceName = '', restartPolicy = '' }, index) => {
    if (policies.findIndex((other) => (other.resourceName ?? '') === resourceName) < index)
      errors.duplicate(`${at}[${index}]`, resourceName);
    if (resourceName) oneOf(resourceName, ['cpu', 'memory'], at, errors);
    else errors.required(at);
    if (restartPolicy) oneOf(restartPolicy, ['NotRequired', 'RestartContainer'], at, errors);
    else errors.required(at);
    if (spec.restartPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.invalid(at, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'");
  });
}

function validateContainer(container: Container, at: string, scope: ContainerScope, errors: FieldErrors): void {
  const { name, image } = container;
  if (!name) errors.required(`${at}.name`);
  else for (const text of isDnsLabel(name)) errors.invalid(`${at}.name`, name, text);
  if (!image) errors.required(`${at}.image`);
  oneOf(
    container.terminationMessagePolicy,
    ['File', 'FallbackToLogsOnError'],
    `${at}.terminationMessagePolicy`,
    errors,
  );
  validatePorts(container, at, scope, errors);
  validateEnv(container, at, errors);
  validateEnvFrom(container as never, at, errors);
  validateMounts(container, at, scope, errors);
  oneOf(container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never'], `${at}.imagePullPolicy`, errors);
  validateResources(container, at, scope, errors);
  validateResizePolicies(container.resizePolicy ?? [], `${at}.resizePolicy`, scope, errors);
  const hostUsers = (scope.spec as coreV1.PodSpec).hostUsers !== false;
  if (container.securityContext)
    validateContainerSecurity(container.securityContext, `${at}.securityContext`, hostUsers, errors);
}

function validatePorts(container: Container, at: string, { spec }: ContainerScope, errors: FieldErrors): void {
  const names = new Set<string>();
  (container.ports ?? []).forEach((port, index) => {
    const path = `${at}.ports[${index}]`;
    if (port.name) {
      const problems = portNameProblems(port.name);
      for (const text of problems) errors.invalid(`${path}.name`, port.name, text);
      if (!problems.length && names.has(port.name)) errors.duplicate(`${path}.name`, port.name);
      names.add(port.name);
    }
    if (!port.containerPort) errors.required(`${path}.containerPort`);
    else validatePort(port.containerPort, `${path}.containerPort`, errors);
    if (port.hostPort) validatePort(port.hostPort, `${path}.hostPort`, errors);
    oneOf(port.protocol ?? '', ['SCTP', 'TCP', 'UDP'], `${path}.protocol`, errors);
    if (spec.hostNetwork && port.hostPort !== undefined && port.hostPort !== port.containerPort)
      errors.invalid(`${path}.hostPort`, port.hostPort, 'must match `containerPort` when `hostNetwork` is true');
  });
}

const ENV_NAME = "a valid environment variable name must consist only of printable ASCII characters other than '='";

const isEnvName = (name: string): boolean => /^[ -<>-~]+$/.test(name);

interface ValueFrom {
  fieldRef?: { apiVersion?: string; fieldPath?: string };
  resourceFieldRef?: { containerName?: string; resource?: string; divisor?: string };
  configMapKeyRef?: { name?: string; key?: string };
  secretKeyRef?: { name?: string; key?: string };
}

function validateEnv(container: Container, at: string, errors: FieldErrors): void {
  (container.env ?? []).forEach((variable, index) => {
    const path = `${at}.env[${index}]`;
    if (!variable.name) errors.required(`${path}.name`);
    else if (!isEnvName(variable.name)) errors.invalid(`${path}.name`, variable.name, ENV_NAME);
    const from = variable.valueFrom as ValueFrom | undefined;
    if (!from) return;
    const here = `${path}.valueFrom`;
    const count = Object.keys(from).length;
    if (from.fieldRef) validateFieldRef(from.fieldRef, ENV_FIELDS, `${here}.fieldRef`, errors);
    if (from.resourceFieldRef) validateResourceField(from.resourceFieldRef, `${here}.resourceFieldRef`, errors);
    if (from.configMapKeyRef) validateKeyRef(from.configMapKeyRef, `${here}.configMapKeyRef`, errors);
    if (from.secretKeyRef) validateKeyRef(from.secretKeyRef, `${here}.secretKeyRef`, errors);
    if (count === 0)
      errors.invalid(
        here,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      );
    else if (variable.value) errors.invalid(here, '', 'may not be specified when `value` is not empty');
    else if (count > 1) errors.invalid(here, '', 'may not have more than one field specified at a time');
  });
}

function validateKeyRef({ name = '', key }: { name?: string; key?: string }, path: string, errors: FieldErrors): void {
  for (const text of isDnsSubdomain(name)) errors.invalid(`${path}.name`, name, text);
  if (!key) errors.required(`${path}.key`);
  else for (const text of configKeyProblems(key)) errors.invalid(`${path}.key`, key, text);
}

const KNOWN_FIELDS = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.nominatedNodeName',
  'status.phase',
  'status.podIP',
  'status.podIPs',
]);

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

const FILE_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];

function validateFieldRef(
  { apiVersion = 'v1', fieldPath = '' }: { apiVersion?: string; fieldPath?: string },
  allowed: readonly string[],
  path: string,
  errors: FieldErrors,
): void {
  if (!fieldPath) {
    errors.required(`${path}.fieldPath`);
    return;
  }
  if (apiVersion !== 'v1') {
    errors.invalid(
      `${path}.fieldPath`,
      fieldPath,
      `error converting fieldPath: unsupported pod version: ${apiVersion}`,
    );
    return;
  }
  const subscript = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/.exec(fieldPath);
  if (subscript) {
    const key = subscript[2] as string;
    const name = subscript[1] === 'metadata.annotations' ? key.toLowerCase() : key;
    for (const text of qualifiedNameProblems(name)) errors.invalid(path, key, text);
    return;
  }
  if (!KNOWN_FIELDS.has(fieldPath))
    errors.invalid(
      `${path}.fieldPath`,
      fieldPath,
      `error converting fieldPath: field label not supported: ${fieldPath}`,
    );
  else if (!allowed.includes(fieldPath)) errors.notSupported(`${path}.fieldPath`, fieldPath, allowed);
}

/** A field in a file of a downward API volume. */
export function validateFileField(ref: { fieldPath?: string }, path: string, errors: FieldErrors): void {
  validateFieldRef(ref, FILE_FIELDS, path, errors);
}

const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** Divisors that amounts of a resource may be told in. */
const DIVISORS: Readonly<Record<string, readonly string[]>> = {
  cpu: ['1m', '1'],
  memory: ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'],
};

interface ResourceField {
  containerName?: string;
  resource?: string;
  divisor?: string;
}

/** An amount of a container's resources; in a volume the container is named. */
export function validateResourceField(
  { containerName, resource = '', divisor = '0' }: ResourceField,
  path: string,
  errors: FieldErrors,
  { volume = false } = {},
): void {
  if (volume && !containerName) errors.required(`${path}.containerName`);
  else if (!resource) errors.required(`${path}.resource`);
  else if (!RESOURCES.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource))
    errors.notSupported(`${path}.resource`, resource, RESOURCES);
  const [list, kind = ''] = resource.split('.');
  if (divisor === '0' || (list !== 'limits' && list !== 'requests')) return;
  const name = kind === 'cpu' ? 'cpu' : 'memory';
  if (!RESOURCES.includes(resource) && !kind.startsWith('hugepages-')) return;
  const known = DIVISORS[name] as readonly string[];
  if (!known.includes(divisor))
    errors.invalid(
      `${path}.divisor`,
      resource,
      name === 'cpu'
        ? "only divisor's values 1m and 1 are supported with the cpu resource"
        : `only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the ${kind.startsWith('hugepages-') ? 'hugepages' : kind === 'memory' ? 'memory' : 'local ephemeral storage'} resource`,
    );
}

interface EnvFrom {
  prefix?: string;
  configMapRef?: { name?: string };
  secretRef?: { name?: string };
}

function validateEnvFrom({ envFrom = [] }: { envFrom?: EnvFrom[] }, at: string, errors: FieldErrors): void {
  envFrom.forEach(({ prefix, configMapRef, secretRef }, index) => {
    const path = `${at}.envFrom[${index}]`;
    if (prefix && !isEnvName(prefix)) errors.invalid(`${path}.prefix`, prefix, ENV_NAME);
    for (const [field, ref] of [
      ['configMapRef', configMapRef],
      ['secretRef', secretRef],
    ] as const) {
      if (!ref) continue;
      if (!ref.name) errors.required(`${path}.${field}.name`);
      else for (const text of isDnsSubdomain(ref.name)) errors.invalid(`${path}.${field}.name`, ref.name, text);
    }
    if (!configMapRef && !secretRef)
      errors.invalid(`${at}.envFrom`, '', 'must specify one of: `configMapRef` or `secretRef`');
    else if (configMapRef && secretRef)
      errors.invalid(`${at}.envFrom`, '', 'may not have more than one field specified at a time');
  });
}

interface Mount {
  name: string;
  mountPath?: string;
  subPath?: string;
  subPathExpr?: string;
  readOnly?: boolean;
  mountPropagation?: string;
  recursiveReadOnly?: string;
}

function validateMounts(container: Container, at: string, { volumes }: ContainerScope, errors: FieldErrors): void {
  const paths = new Set<string>();
  const { volumeDevices: devices = [] } = container as coreV1.Container;
  ((container.volumeMounts ?? []) as Mount[]).forEach((mount, index) => {
    const path = `${at}.volumeMounts[${index}]`;
    if (!mount.name) errors.required(`${path}.name`);
    if (!volumes.has(mount.name)) errors.notFound(`${path}.name`, mount.name ?? '');
    if (!mount.mountPath) errors.required(`${path}.mountPath`);
    if (mount.mountPath && paths.has(mount.mountPath))
      errors.invalid(`${path}.mountPath`, mount.mountPath, 'must be unique');
    paths.add(mount.mountPath ?? '');
    if (mount.subPath) validateDescendingPath(mount.subPath, `${at}.volumeMounts.subPath`, errors);
    if (mount.subPathExpr) {
      if (mount.subPath)
        errors.invalid(`${path}.subPathExpr`, mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive');
      validateDescendingPath(mount.subPathExpr, `${at}.volumeMounts.subPathExpr`, errors);
    }
    validatePropagation(mount, container, `${at}.volumeMounts`, errors);
  });
  validateDevices(devices, (container.volumeMounts ?? []) as Mount[], { at: `${at}.volumeDevices`, volumes }, errors);
}

function validatePropagation(mount: Mount, { securityContext }: Container, at: string, errors: FieldErrors): void {
  const { mountPropagation: propagation, recursiveReadOnly: recursive } = mount;
  oneOf(propagation, ['Bidirectional', 'HostToContainer', 'None'], `${at}.mountPropagation`, errors);
  if (propagation === 'Bidirectional' && !(securityContext as coreV1.SecurityContext | undefined)?.privileged)
    errors.forbidden(
      `${at}.mountPropagation`,
      'Bidirectional mount propagation is available only to privileged containers',
    );
  const here = `${at}.recursiveReadOnly`;
  if (recursive === 'Enabled' || recursive === 'IfPossible') {
    if (!mount.readOnly) errors.forbidden(here, 'may only be specified when readOnly is true');
    if (propagation !== undefined && propagation !== 'None')
      errors.forbidden(here, 'may only be specified when mountPropagation is None or not specified');
  } else oneOf(recursive, ['Disabled', 'Enabled', 'IfPossible'], here, errors);
}

interface Device {
  name?: string;
  devicePath?: string;
}

function validateDevices(
  devices: readonly Device[],
  mounts: readonly Mount[],
  { at, volumes }: { readonly at: string; readonly volumes: ReadonlyMap<string, Volume> },
  errors: FieldErrors,
): void {
  const seen = { names: new Set<string>(), paths: new Set<string>() };
  devices.forEach(({ name = '', devicePath = '' }, index) => {
    const [nameAt, pathAt] = [`${at}[${index}].name`, `${at}[${index}].devicePath`];
    const volume = volumes.get(name);
    if (!name) errors.required(nameAt);
    if (seen.names.has(name)) errors.invalid(nameAt, name, 'must be unique');
    if (!volume) errors.notFound(nameAt, name);
    else if (!volume.persistentVolumeClaim && !volume.ephemeral)
      errors.invalid(
        nameAt,
        name,
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
      );
    if (!devicePath) errors.required(pathAt);
    if (seen.paths.has(devicePath)) errors.invalid(pathAt, devicePath, 'must be unique');
    if (devicePath.split('/').includes('..')) errors.invalid(pathAt, devicePath, "can not contain backsteps ('..')");
    else seen.paths.add(devicePath);
    if (mounts.some((mount) => mount.name === name))
      errors.invalid(nameAt, name, 'must not already exist in volumeMounts');
    if (mounts.some((mount) => (mount.mountPath ?? '') === devicePath))
      errors.invalid(pathAt, devicePath, 'must not already exist as a path in volumeMounts');
    if (name) seen.names.add(name);
  });
}

function validateResources(container: Container, at: string, { spec }: ContainerScope, errors: FieldErrors): void {
  const claims = ((spec as coreV1.PodSpec).resourceClaims ?? []).map(({ name = '' }) => name);
  const nameRule = (name: string, here: string) => validateContainerResourceName(name, here, errors);
  validateRequirements((container.resources ?? {}) as Requirements, `${at}.resources`, { nameRule, claims }, errors);
}
