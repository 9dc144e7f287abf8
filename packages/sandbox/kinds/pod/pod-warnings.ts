import { isDnsLabel, labelValueProblems } from '@tiphys/apimachinery';
import { type coreV1, type KubeObject, type LabelSelector, type ObjectMeta, parseQuantity } from '@tiphys/kubernetes';
import { ipWarnings } from '../shared/ip-addresses.ts';

interface Port {
  name?: string;
  containerPort?: number;
  protocol?: string;
  hostPort?: number;
  hostIP?: string;
}

interface Container {
  name?: string;
  ports?: Port[];
  env?: { name: string; value?: string; valueFrom?: object }[];
  resources?: { limits?: Record<string, string>; requests?: Record<string, string> };
  securityContext?: { seccompProfile?: object; appArmorProfile?: object };
}

interface Term {
  matchExpressions?: { key?: string; values?: string[] }[];
}

interface AffinityTerms {
  requiredDuringSchedulingIgnoredDuringExecution?: { labelSelector?: LabelSelector }[];
  preferredDuringSchedulingIgnoredDuringExecution?: { podAffinityTerm?: { labelSelector?: LabelSelector } }[];
}

interface Spec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  nodeSelector?: Record<string, string>;
  affinity?: {
    nodeAffinity?: {
      requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: Term[] };
      preferredDuringSchedulingIgnoredDuringExecution?: { preference?: Term }[];
    };
    podAffinity?: AffinityTerms;
    podAntiAffinity?: AffinityTerms;
  };
  topologySpreadConstraints?: { topologyKey?: string; labelSelector?: LabelSelector }[];
  volumes?: Record<string, unknown>[];
  hostAliases?: { ip?: string }[];
  imagePullSecrets?: { name?: string }[];
  overhead?: Record<string, string>;
  securityContext?: { seccompProfile?: object };
  terminationGracePeriodSeconds?: number;
  dnsConfig?: { nameservers?: string[] };
}

/** What kube-apiserver warns of in a pod, or a template of pods: what is deprecated, ambiguous or without effect. */
export function podWarnings(template: PodTemplate | undefined, path: string): string[] {
  const spec = (template?.spec ?? {}) as Spec;
  const at = path ? `${path}.` : '';
  return [
    ...nodeLabelWarnings(spec, `${at}spec`),
    ...annotationWarnings(template?.metadata ?? {}, `${at}metadata.annotations`),
    ...volumeWarnings(spec, `${at}spec.volumes`),
    ...sourceWarnings(spec),
    ...listWarnings(spec, `${at}spec`),
    ...containerWarnings(spec, template?.metadata ?? {}, at),
    ...portWarnings(spec, `${at}spec`),
    ...(Number(spec.terminationGracePeriodSeconds) < 0
      ? [`${at}spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...(['podAffinity', 'podAntiAffinity'] as const).flatMap((name) =>
      affinityWarnings(spec.affinity?.[name] ?? {}, `${at}spec.affinity.${name}`),
    ),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((ip, index) =>
      ipWarnings(`${at}spec.dnsConfig.nameservers[${index}]`, ip),
    ),
    ...(spec.hostAliases ?? []).flatMap(({ ip = '' }, index) => ipWarnings(`${at}spec.hostAliases[${index}].ip`, ip)),
  ];
}

/** Warnings of an object that makes pods of a template: when it is new, and when it changes. */
export function templateWarnings(place: string, ...more: ((object: KubeObject) => string[])[]) {
  return (object: KubeObject, old: KubeObject | undefined): string[] => {
    if (old && old.metadata.generation === object.metadata.generation) return [];
    const template = place.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)?.[key], object);
    return [...(old ? [] : more.flatMap((one) => one(object))), ...podWarnings(template as PodTemplate, place)];
  };
}

interface PodTemplate {
  metadata?: ObjectMeta;
  spec?: unknown;
}

/** Objects whose names become part of host names. */
export function hostNameWarnings({ metadata }: KubeObject): string[] {
  const problems = isDnsLabel(metadata.name ?? '');
  return problems.length
    ? [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
      ]
    : [];
}

const LABELS: Readonly<Record<string, string>> = {
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
};

function nodeLabelWarnings({ nodeSelector, affinity, topologySpreadConstraints = [] }: Spec, at: string): string[] {
  const { nodeAffinity: node } = affinity ?? {};
  const required = node?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const preferred = node?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const home = `${at}.affinity.nodeAffinity`;
  return [
    ...Object.keys(nodeSelector ?? {}).flatMap((key) =>
      LABELS[key] ? [`${at}.nodeSelector[${key}]: ${LABELS[key]}`] : [],
    ),
    ...required.flatMap((term, index) =>
      termWarnings(term, `${home}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`, false),
    ),
    ...preferred.flatMap(({ preference }, index) =>
      termWarnings(
        preference ?? {},
        `${home}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
        true,
      ),
    ),
    ...topologySpreadConstraints.flatMap(({ topologyKey = '', labelSelector }, index) => {
      const here = `${at}.topologySpreadConstraints[${index}]`;
      const message = LABELS[topologyKey];
      return [
        ...(message ? [`${here}.topologyKey: ${topologyKey} is ${message}`] : []),
        ...(labelSelector ? [] : [`${here}.labelSelector: ${NO_SELECTOR}`]),
      ];
    }),
  ];
}

const NO_SELECTOR = 'a null labelSelector results in matching no pod';

function termWarnings({ matchExpressions = [] }: Term, at: string, checkValues: boolean): string[] {
  return matchExpressions.flatMap(({ key = '', values = [] }, index) => [
    ...(LABELS[key] ? [`${at}.matchExpressions[${index}].key: ${key} is ${LABELS[key]}`] : []),
    ...(checkValues ? values : []).flatMap((value, position) =>
      labelValueProblems(value).map(
        (problem) => `${at}.matchExpressions[${index}].values[${position}]: ${value} is invalid, ${problem}`,
      ),
    ),
  ]);
}

const ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

function annotationWarnings({ annotations = {} }: ObjectMeta, at: string): string[] {
  return Object.entries(ANNOTATIONS).flatMap(([key, text]) =>
    Object.hasOwn(annotations, key) ? [`${at}[${key}]: ${text}`] : [],
  );
}

const VOLUMES: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

function sourceWarnings({ volumes = [] }: Spec): string[] {
  return volumes.flatMap((volume) => {
    const { sources } = (volume.projected ?? {}) as coreV1.ProjectedVolumeSource;
    return (sources ?? [])
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${JSON.stringify(volume.name)} (Projected) has no sources provided`);
  });
}

function volumeWarnings({ volumes = [] }: Spec, at: string): string[] {
  return volumes.flatMap((volume, index) =>
    Object.entries(VOLUMES).flatMap(([source, text]) =>
      volume[source] ? [`${at}[${index}].${source === 'storageos' ? 'storageOS' : source}: ${text}`] : [],
    ),
  );
}

function listWarnings({ hostAliases = [], imagePullSecrets = [], overhead = {} }: Spec, at: string): string[] {
  return [
    ...hostAliases.flatMap(({ ip = '' }, index) =>
      hostAliases.findIndex((other) => (other.ip ?? '') === ip) < index
        ? [`${at}.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ip)}`]
        : [],
    ),
    ...imagePullSecrets.flatMap(({ name = '' }, index) =>
      imagePullSecrets.findIndex((other) => (other.name ?? '') === name) < index
        ? [`${at}.imagePullSecrets[${index}].name: duplicate name ${JSON.stringify(name)}`]
        : [],
    ),
    ...imagePullSecrets.flatMap(({ name }, index) =>
      name ? [] : [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`],
    ),
    ...fractionWarnings(overhead, `${at}.overhead`),
  ];
}

function fractionWarnings(amounts: Record<string, string>, at: string): string[] {
  return ['memory', 'ephemeral-storage'].flatMap((name) => {
    const text = amounts[name];
    const value = text === undefined ? undefined : parseQuantity(text);
    return value && value.nano % 1_000_000_000n !== 0n
      ? [`${at}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`]
      : [];
  });
}

function* containersOf(spec: Spec, at: string): Generator<[Container, string]> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const)
    for (const [index, container] of (spec[list] ?? []).entries()) yield [container, `${at}.${list}[${index}]`];
}

const SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';

function containerWarnings(spec: Spec, { annotations = {} }: ObjectMeta, prefix: string): string[] {
  const found: string[] = [];
  const annotated = (key: string, text: string) => {
    if (Object.hasOwn(annotations, key)) found.push(`${prefix}metadata.annotations[${key}]: ${text}`);
  };
  if (!spec.securityContext?.seccompProfile) annotated('seccomp.security.alpha.kubernetes.io/pod', SECCOMP);
  for (const [{ name, resources = {}, env = [], securityContext }, at] of containersOf(spec, `${prefix}spec`)) {
    if (!securityContext?.seccompProfile) annotated(`container.seccomp.security.alpha.kubernetes.io/${name}`, SECCOMP);
    if (prefix && !securityContext?.appArmorProfile)
      annotated(
        `container.apparmor.security.beta.kubernetes.io/${name}`,
        'deprecated since v1.30; use the "appArmorProfile" field instead',
      );
    const fractions = (['limits', 'requests'] as const).map((list) =>
      fractionWarnings(resources[list] ?? {}, `${at}.resources.${list}`),
    );
    for (const resource of ['[memory]', '[ephemeral-storage]'])
      for (const texts of fractions) found.push(...texts.filter((text) => text.split(':')[0]?.endsWith(resource)));
    env.forEach((item, index) => {
      const hides = env.findIndex((other) => other.name === item.name) < index;
      const reference = `$(${item.name})`;
      const value = item.value ?? '';
      if (hides && (item.valueFrom || value === reference || !value.includes(reference)))
        found.push(
          `${at}.env[${index}]: hides previous definition of ${JSON.stringify(item.name)}, which may be dropped when using apply`,
        );
    });
  }
  return found;
}

function portWarnings(spec: Spec, at: string): string[] {
  const found: string[] = [];
  const all = new Map<string, { port: Port; place: string }[]>();
  const names: string[] = [];
  const named = new Map<string, string>();
  for (const [{ ports = [] }, home] of containersOf(spec, at))
    ports.forEach((port, index) => {
      const place = `${home}.ports[${index}]`;
      const key = `${port.containerPort}/${port.protocol}`;
      if (port.hostIP && !port.hostPort)
        found.push(
          `${place}: hostIP set without hostPort: {Name:${port.name ?? ''} HostPort:0 ContainerPort:${port.containerPort} Protocol:${port.protocol} HostIP:${port.hostIP}}`,
        );
      const others = all.get(key) ?? [];
      for (const other of others) {
        const problem = collision(port, other.port);
        if (problem) found.push(`${place}: ${problem} port definition with ${other.place}`);
      }
      all.set(key, [...others, { port, place }]);
      if (!port.name) return;
      const first = named.get(port.name);
      if (first)
        names.push(
          `${place}: duplicate port name ${JSON.stringify(port.name)} with ${first}, services and probes that select ports by name will use ${first}`,
        );
      else named.set(port.name, place);
    });
  return [...found, ...names];
}

function collision(port: Port, other: Port): string | undefined {
  const [ip, otherIp] = [port.hostIP ?? '', other.hostIP ?? ''];
  const [number, otherNumber] = [port.hostPort ?? 0, other.hostPort ?? 0];
  if (ip === otherIp && number === otherNumber) return 'duplicate';
  if (number === 0 || otherNumber === 0) return 'overlapping';
  return number === otherNumber && (ip === '') !== (otherIp === '') ? 'dangerously ambiguous' : undefined;
}

function affinityWarnings(terms: AffinityTerms, at: string): string[] {
  const required = terms.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = terms.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...required.flatMap(({ labelSelector }, index) =>
      labelSelector
        ? []
        : [`${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}].labelSelector: ${NO_SELECTOR}`],
    ),
    ...preferred.flatMap(({ podAffinityTerm }, index) =>
      podAffinityTerm?.labelSelector
        ? []
        : [
            `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm.labelSelector: ${NO_SELECTOR}`,
          ],
    ),
  ];
}
