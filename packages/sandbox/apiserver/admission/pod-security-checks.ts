import type { Container, PodSpec, Probe } from '@tiphys/kinds';
import type { ObjectMeta } from '@tiphys/kubernetes';

export type Level = 'privileged' | 'baseline' | 'restricted';

/** What a pod violates: the reason and, in words, where. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

interface SecurityContext {
  allowPrivilegeEscalation?: boolean;
  appArmorProfile?: { type?: string };
  capabilities?: { add?: string[]; drop?: string[] };
  privileged?: boolean;
  procMount?: string;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seLinuxOptions?: { type?: string; user?: string; role?: string };
  seccompProfile?: { type?: string };
  windowsOptions?: { hostProcess?: boolean };
  sysctls?: { name: string }[];
}

interface Subject {
  readonly metadata: ObjectMeta | undefined;
  readonly spec: PodSpec & { hostPID?: boolean; hostIPC?: boolean; os?: { name?: string } };
  readonly containers: readonly Container[];
  readonly pod: SecurityContext;
}

type Check = (subject: Subject, minor: number) => Violation | undefined;

const contextOf = (container: Container): SecurityContext => (container.securityContext ?? {}) as SecurityContext;
const quoted = (items: readonly string[]): string => items.map((item) => JSON.stringify(item)).join(', ');
const plural = (one: string, count: number): string => (count === 1 ? one : `${one}s`);
const named = (containers: readonly Container[]): string =>
  `${plural('container', containers.length)} ${quoted(containers.map(({ name }) => name))}`;
const distinct = (items: readonly string[]): string[] => [...new Set(items)].sort();

/** Containers, and the pod itself, that set something forbidden. */
function setters(subject: Subject, bad: (context: SecurityContext) => boolean): string {
  const containers = subject.containers.filter((container) => bad(contextOf(container)));
  return [...(bad(subject.pod) ? ['pod'] : []), ...(containers.length ? [named(containers)] : [])].join(' and ');
}

const appArmor: Check = (subject) => {
  const wrong = ({ appArmorProfile }: SecurityContext) =>
    appArmorProfile !== undefined && !['RuntimeDefault', 'Localhost'].includes(appArmorProfile.type ?? '');
  const prefix = 'container.apparmor.security.beta.kubernetes.io/';
  const annotations = Object.entries(subject.metadata?.annotations ?? {})
    .filter(
      ([key, value]) =>
        key.startsWith(prefix) && value && value !== 'runtime/default' && !value.startsWith('localhost/'),
    )
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const values = [
    ...distinct(
      [subject.pod, ...subject.containers.map(contextOf)]
        .filter(wrong)
        .map((context) => context.appArmorProfile?.type ?? ''),
    ),
    ...annotations,
  ];
  const who = [setters(subject, wrong), annotations.length ? plural('annotation', annotations.length) : '']
    .filter(Boolean)
    .join(' and ');
  if (!who) return undefined;
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${who} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const CAPABILITIES = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);

const capabilitiesBaseline: Check = ({ containers }) => {
  const added = (container: Container) =>
    (contextOf(container).capabilities?.add ?? []).filter((name) => !CAPABILITIES.has(name));
  const bad = containers.filter((container) => added(container).length);
  if (!bad.length) return undefined;
  return {
    reason: 'non-default capabilities',
    detail: `${named(bad)} must not include ${quoted(distinct(bad.flatMap(added)))} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: Check = ({ spec }) => {
  const list = (['hostNetwork', 'hostPID', 'hostIPC'] as const)
    .filter((field) => spec[field])
    .map((field) => `${field}=true`);
  return list.length ? { reason: 'host namespaces', detail: list.join(', ') } : undefined;
};

const hostPathVolumes: Check = ({ spec }) => {
  const volumes = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  if (!volumes.length) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural('volume', volumes.length)} ${quoted(volumes)}` };
};

const hostPorts: Check = ({ containers }) => {
  const portsOf = ({ ports = [] }: Container) => ports.flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = containers.filter((container) => portsOf(container).length);
  if (!bad.length) return undefined;
  const ports = distinct(bad.flatMap(portsOf));
  return {
    reason: 'hostPort',
    detail: `${named(bad)} ${bad.length === 1 ? 'uses' : 'use'} ${plural('hostPort', ports.length)} ${ports.join(', ')}`,
  };
};

const hostProbes: Check = ({ containers }, minor) => {
  if (minor < 34) return undefined;
  type Handler = Probe & { httpGet?: { host?: string }; tcpSocket?: { host?: string } };
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container) =>
    (
      [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop] as (Handler | undefined)[]
    ).flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host].flatMap((host) => host || []));
  const bad = containers.filter((container) => hostsOf(container).length);
  if (!bad.length) return undefined;
  const hosts = distinct(bad.flatMap(hostsOf));
  const names = distinct(bad.map(({ name }) => name));
  return {
    reason: 'probe or lifecycle host',
    detail: `${plural('container', names.length)} ${quoted(names)} ${names.length === 1 ? 'uses' : 'use'} ${plural('probe or lifecycle host', hosts.length)} ${quoted(hosts)}`,
  };
};

const privileged: Check = ({ containers }) => {
  const bad = containers.filter((container) => contextOf(container).privileged);
  if (!bad.length) return undefined;
  return { reason: 'privileged', detail: `${named(bad)} must not set securityContext.privileged=true` };
};

const procMount: Check = ({ containers }) => {
  const mount = (container: Container) => contextOf(container).procMount ?? 'Default';
  const bad = containers.filter((container) => mount(container) !== 'Default');
  if (!bad.length) return undefined;
  return {
    reason: 'procMount',
    detail: `${named(bad)} must not set securityContext.procMount to ${quoted(distinct(bad.map(mount)))}`,
  };
};

const seLinux: Check = (subject, minor) => {
  const allowed = new Set([
    '',
    'container_t',
    'container_init_t',
    'container_kvm_t',
    ...(minor >= 31 ? ['container_engine_t'] : []),
  ]);
  const options = ({ seLinuxOptions }: SecurityContext) => seLinuxOptions ?? {};
  const wrong = (context: SecurityContext) => {
    const { type = '', user, role } = options(context);
    return !allowed.has(type) || Boolean(user) || Boolean(role);
  };
  const who = setters(subject, wrong);
  if (!who) return undefined;
  const all = [subject.pod, ...subject.containers.map(contextOf)].map(options);
  const types = distinct(all.flatMap(({ type = '' }) => (allowed.has(type) ? [] : [type])));
  const data = [
    ...(types.length ? [`${plural('type', types.length)} ${quoted(types)}`] : []),
    ...(all.some(({ user }) => user) ? ['user may not be set'] : []),
    ...(all.some(({ role }) => role) ? ['role may not be set'] : []),
  ];
  return {
    reason: 'seLinuxOptions',
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
  };
};

const validSeccomp = ({ seccompProfile }: SecurityContext): boolean =>
  ['RuntimeDefault', 'Localhost'].includes(seccompProfile?.type ?? '');

const badSeccomp = (subject: Subject): Violation | undefined => {
  const wrong = (context: SecurityContext) => context.seccompProfile !== undefined && !validSeccomp(context);
  const who = setters(subject, wrong);
  if (!who) return undefined;
  const values = [subject.pod, ...subject.containers.map(contextOf)]
    .filter(wrong)
    .map(({ seccompProfile }) => seccompProfile?.type ?? '');
  return {
    reason: 'seccompProfile',
    detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(distinct(values))}`,
  };
};

const seccompBaseline: Check = (subject, minor) => (minor >= 19 ? badSeccomp(subject) : undefined);

const seccompRestricted: Check = (subject, minor) => {
  if (minor < 19 || (minor >= 25 && subject.spec.os?.name === 'windows')) return undefined;
  const bad = badSeccomp(subject);
  if (bad) return bad;
  if (validSeccomp(subject.pod)) return undefined;
  const missing = subject.containers.filter((container) => contextOf(container).seccompProfile === undefined);
  if (!missing.length) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${named(missing)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

const SYSCTLS: readonly [minor: number, names: string][] = [
  [
    0,
    'kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range net.ipv4.ip_unprivileged_port_start',
  ],
  [27, 'net.ipv4.ip_local_reserved_ports'],
  [
    29,
    'net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes',
  ],
  [32, 'net.ipv4.tcp_rmem net.ipv4.tcp_wmem'],
];

const sysctls: Check = ({ pod }, minor) => {
  const allowed = new Set(SYSCTLS.flatMap(([since, names]) => (minor >= since ? names.split(' ') : [])));
  const bad = (pod.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name));
  return bad.length ? { reason: 'forbidden sysctls', detail: bad.join(', ') } : undefined;
};

const windowsHostProcess: Check = (subject) => {
  const who = setters(subject, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
  return who
    ? { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` }
    : undefined;
};

const allowPrivilegeEscalation: Check = ({ containers, spec }, minor) => {
  if (minor < 8 || (minor >= 25 && spec.os?.name === 'windows')) return undefined;
  const bad = containers.filter((container) => contextOf(container).allowPrivilegeEscalation !== false);
  if (!bad.length) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${named(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilitiesRestricted: Check = ({ containers, spec }, minor) => {
  if (minor < 22 || (minor >= 25 && spec.os?.name === 'windows')) return undefined;
  const missing = containers.filter((container) => !contextOf(container).capabilities?.drop?.includes('ALL'));
  const added = (container: Container) =>
    (contextOf(container).capabilities?.add ?? []).filter((name) => name !== 'NET_BIND_SERVICE');
  const adding = containers.filter((container) => added(container).length);
  const details = [
    ...(missing.length ? [`${named(missing)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length
      ? [
          `${named(adding)} must not include ${quoted(distinct(adding.flatMap(added)))} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  return details.length ? { reason: 'unrestricted capabilities', detail: details.join('; ') } : undefined;
};

const ALLOWED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

const restrictedVolumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !ALLOWED_VOLUMES.some((source) => volume[source]));
  if (!bad.length) return undefined;
  const types = distinct(bad.map((volume) => Object.keys(volume).find((key) => key !== 'name') ?? 'unknown'));
  return {
    reason: 'restricted volume types',
    detail: `${plural('volume', bad.length)} ${quoted(bad.map(({ name }) => name))} ${bad.length === 1 ? 'uses' : 'use'} ${plural('restricted volume type', types.length)} ${quoted(types)}`,
  };
};

const runAsNonRoot: Check = (subject) => {
  const who = setters(subject, ({ runAsNonRoot: value }) => value === false);
  if (who) return { reason: 'runAsNonRoot != true', detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (subject.pod.runAsNonRoot) return undefined;
  const missing = subject.containers.filter((container) => contextOf(container).runAsNonRoot === undefined);
  if (!missing.length) return undefined;
  return {
    reason: 'runAsNonRoot != true',
    detail: `pod or ${named(missing)} must set securityContext.runAsNonRoot=true`,
  };
};

const runAsUser: Check = (subject, minor) => {
  if (minor < 23) return undefined;
  const who = setters(subject, ({ runAsUser: user }) => user === 0);
  return who ? { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` } : undefined;
};

/** In the order in which violations are told. */
const BASELINE: readonly Check[] = [
  appArmor,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMount,
  seLinux,
  seccompBaseline,
  sysctls,
  windowsHostProcess,
];
const RESTRICTED: readonly Check[] = [
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompRestricted,
];

/** What of a level's standard, as of a minor version, a pod violates. */
export function violations(
  level: Level,
  minor: number,
  { metadata, spec }: { metadata: ObjectMeta | undefined; spec: PodSpec },
): Violation[] {
  if (level === 'privileged') return [];
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  const subject: Subject = { metadata, spec, containers, pod: (spec.securityContext ?? {}) as SecurityContext };
  const replaced = new Set<Check>([
    hostPathVolumes,
    ...(minor >= 22 ? [capabilitiesBaseline] : []),
    ...(minor >= 19 ? [seccompBaseline] : []),
  ]);
  const checks = level === 'baseline' ? BASELINE : [...BASELINE.filter((check) => !replaced.has(check)), ...RESTRICTED];
  return checks.flatMap((check) => check(subject, minor) ?? []);
}
