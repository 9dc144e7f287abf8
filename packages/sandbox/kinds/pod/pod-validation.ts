import { type FieldErrors, isDnsLabel, isDnsSubdomain, qualifiedNameProblems } from '@tiphys/apimachinery';
import type { coreV1 } from '@tiphys/kubernetes';
import { validateContainerResourceName } from '../shared/container-resources.ts';
import { oneOf, validateIp } from '../shared/field-rules.ts';
import { validateRequirements } from '../shared/resource-requirements.ts';
import type { PodSpec } from '../shared/shapes.ts';
import { validateAffinity, validateNodeSelector, validateSpreads, validateTolerations } from './affinity-validation.ts';
import { validateContainers } from './container-validation.ts';
import { validateEphemeralContainers } from './ephemeral-containers.ts';
import { validatePodResources } from './pod-level-resources.ts';
import { validatePodSecurityContext } from './security-validation.ts';
import { validateVolumes } from './volume-validation.ts';
import { validateHostProcesses } from './windows-security.ts';

type FullSpec = PodSpec & {
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  overhead?: Record<string, string>;
  shareProcessNamespace?: boolean;
  nodeSelector?: Record<string, string>;
  affinity?: object;
  hostname?: string;
  subdomain?: string;
  runtimeClassName?: string;
  os?: { name?: string };
  resourceClaims?: Claim[];
  hostAliases?: { ip: string; hostnames?: string[] }[];
};

/** Validates a PodSpec of a pod or template. */
export function validatePodSpec(podSpec: PodSpec, path: string, errors: FieldErrors): void {
  const spec = podSpec as FullSpec;
  const volumes = validateVolumes(spec.volumes ?? [], `${path}.volumes`, errors);
  const names = new Set<string>();
  validateClaims(spec, `${path}.resourceClaims`, errors);
  if (!spec.containers?.length) errors.required(`${path}.containers`);
  validateContainers(spec.containers ?? [], `${path}.containers`, { spec, names, volumes, init: false }, errors);
  validateContainers(spec.initContainers ?? [], `${path}.initContainers`, { spec, names, volumes, init: true }, errors);
  const ephemeral = { spec, names, volumes, init: false };
  validateEphemeralContainers(spec.ephemeralContainers ?? [], `${path}.ephemeralContainers`, ephemeral, errors);
  const claims = (spec.resourceClaims ?? []).map(({ name = '' }) => name);
  validatePodResources(spec, path, claims, errors);
  oneOf(spec.restartPolicy ?? '', ['Always', 'OnFailure', 'Never'], `${path}.restartPolicy`, errors);
  oneOf(
    spec.dnsPolicy ?? '',
    ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'],
    `${path}.dnsPolicy`,
    errors,
  );
  validateNodeSelector(spec.nodeSelector, `${path}.nodeSelector`, errors);
  validatePodSecurityContext(spec.securityContext ?? {}, `${path}.securityContext`, spec, errors);
  if (spec.affinity) validateAffinity(spec.affinity, `${path}.affinity`, errors);
  validateDns(spec, path, errors);
  (spec.readinessGates ?? []).forEach(({ conditionType }, index) => {
    for (const text of qualifiedNameProblems(conditionType))
      errors.invalid(`${path}.readinessGates[${index}].conditionType`, conditionType, text);
  });
  validateSpreads(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`, errors);
  validateGates(spec, path, errors);
  validateHostProcesses(spec, path, errors);
  if (spec.hostUsers === false)
    for (const [field, told] of HOST_PARTS)
      if (spec[field]) errors.forbidden(`${path}.${told}`, 'when `hostUsers` is false');
  validateNames(spec, path, errors);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > 2147483647))
    errors.invalid(`${path}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive');
  for (const field of ['hostname', 'subdomain'] as const) {
    const name = spec[field];
    if (name) for (const text of isDnsLabel(name)) errors.invalid(`${path}.${field}`, name, text);
  }
  validateTolerations(spec.tolerations, `${path}.tolerations`, errors);
  validateAliases(spec, path, errors);
  for (const field of ['priorityClassName', 'runtimeClassName'] as const) {
    const name = spec[field];
    if (name || (name === '' && field === 'runtimeClassName'))
      for (const text of isDnsSubdomain(name)) errors.invalid(`${path}.${field}`, name, text);
  }
  if (spec.preemptionPolicy === '') errors.required(`${path}.preemptionPolicy`);
  else oneOf(spec.preemptionPolicy, ['PreemptLowerPriority', 'Never'], `${path}.preemptionPolicy`, errors);
  const nameRule = (name: string, at: string) => validateContainerResourceName(name, at, errors);
  if (spec.overhead)
    validateRequirements({ limits: spec.overhead }, `${path}.overhead`, { nameRule, claims: [] }, errors);
  if (spec.os) {
    if (!spec.os.name) errors.required(`${path}.os.name`);
    else oneOf(spec.os.name, ['linux', 'windows'], `${path}.os`, errors);
  }
}

/** What may not be the host's if its users are not, in the API server's own words. */
const HOST_PARTS = [
  ['hostNetwork', 'hostNetwork'],
  ['hostPID', 'HostPID'],
  ['hostIPC', 'HostIPC'],
] as const;

interface Claim {
  name?: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

function validateClaims({ resourceClaims = [] }: FullSpec, path: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  resourceClaims.forEach((claim, index) => {
    const at = `${path}[${index}]`;
    const { name = '', resourceClaimName, resourceClaimTemplateName } = claim;
    if (!name) errors.required(`${at}.name`);
    else if (seen.has(name)) errors.duplicate(`${at}.name`, name);
    else for (const text of isDnsLabel(name)) errors.invalid(`${at}.name`, name, text);
    seen.add(name);
    const given = [resourceClaimName, resourceClaimTemplateName].filter((source) => source !== undefined);
    const shown = {
      Name: name,
      ResourceClaimName: resourceClaimName ?? null,
      ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
    };
    if (given.length > 1)
      errors.invalid(at, shown, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified');
    if (!given.length)
      errors.invalid(at, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const source = claim[field];
      if (source !== undefined)
        for (const text of isDnsSubdomain(source)) errors.invalid(`${at}.${field}`, source, text);
    }
  });
}

function validateGates({ schedulingGates = [], nodeName }: PodSpec, path: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  schedulingGates.forEach(({ name }, index) => {
    const at = `${path}.schedulingGates[${index}]`;
    for (const text of qualifiedNameProblems(name)) errors.invalid(at, name, text);
    if (seen.has(name)) errors.duplicate(at, name);
    seen.add(name);
  });
  if (schedulingGates.length && nodeName)
    errors.forbidden(`${path}.nodeName`, 'cannot be set until all schedulingGates have been cleared');
}

function validateNames({ serviceAccountName, nodeName }: PodSpec, path: string, errors: FieldErrors): void {
  if (serviceAccountName)
    for (const text of isDnsSubdomain(serviceAccountName))
      errors.invalid(`${path}.serviceAccountName`, serviceAccountName, text);
  if (nodeName) for (const text of isDnsSubdomain(nodeName)) errors.invalid(`${path}.nodeName`, nodeName, text);
}

const SEARCH = /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;

const MAX_SEARCHES = 32;

const MAX_SEARCH_LIST = 2048;

const MAX_SEARCH = 253;

function validateDns({ dnsPolicy, dnsConfig }: PodSpec, path: string, errors: FieldErrors): void {
  const at = `${path}.dnsConfig`;
  if (dnsPolicy === 'None' && !dnsConfig) {
    errors.required(at, 'must provide `dnsConfig` when `dnsPolicy` is None');
    return;
  }
  const { nameservers = [], searches = [], options = [] } = (dnsConfig ?? {}) as coreV1.PodDNSConfig;
  if (dnsPolicy === 'None' && !nameservers.length)
    errors.required(`${at}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None');
  if (nameservers.length > 3) errors.invalid(`${at}.nameservers`, nameservers, 'must not have more than 3 nameservers');
  nameservers.forEach((address, index) => {
    validateIp(address, `${at}.nameservers[${index}]`, errors);
  });
  if (searches.length > MAX_SEARCHES)
    errors.invalid(`${at}.searches`, searches, `must not have more than ${MAX_SEARCHES} search paths`);
  if (searches.join(' ').length > MAX_SEARCH_LIST)
    errors.invalid(
      `${at}.searches`,
      searches,
      `must not have more than ${MAX_SEARCH_LIST} characters (including spaces) in the search list`,
    );
  searches.forEach((given, index) => {
    const name = given.replace(/\.$/, '');
    if (given === '.') return;
    if (name.length > MAX_SEARCH)
      errors.invalid(`${at}.searches[${index}]`, name, 'must be no more than 253 characters');
    if (!SEARCH.test(name))
      errors.invalid(
        `${at}.searches[${index}]`,
        name,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
      );
  });
  options.forEach(({ name }, index) => {
    if (!name) errors.required(`${at}.options[${index}]`, 'must not be empty');
  });
}

function validateAliases({ hostAliases = [] }: FullSpec, path: string, errors: FieldErrors): void {
  hostAliases.forEach(({ ip, hostnames = [] }, index) => {
    const at = `${path}.hostAliases[${index}]`;
    validateIp(ip, `${at}.ip`, errors);
    hostnames.forEach((name, position) => {
      for (const text of isDnsSubdomain(name)) errors.invalid(`${at}.hostnames[${position}]`, name, text);
    });
  });
}
