import type { Project, ProjectRole, SyncWindow } from '../api/model.ts';
import type { FieldSpec, Values } from '../components/forms/form-fields.ts';
import { durationProblem } from './durations.ts';

type Spec = Project['spec'];

const lines = (text = '') =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const name = (value: string) =>
  /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value) && value.length <= 253
    ? undefined
    : 'Small letters, digits, - and . only; it begins and ends with a letter or a digit';

const destination = (text: string) => text.split(/\s+/);

/** Patterns, a mode, and its keys where it checks any. */
const integrityLine = /^\S+\s+(?:none|(?:head|strict)\s+\S+)$/;
const signingKey = /^(?:(?:0x)?[0-9a-fA-F]{16,40}|SHA256:[A-Za-z0-9+/]{43}=?)$/;
const isIntegrity = (line: string) =>
  integrityLine.test(line) && commas(destination(line)[2]).every((key) => signingKey.test(key));

/** The rules of a project as a form asks for them, one a line. */
export const projectFields: readonly FieldSpec[] = [
  { name: 'name', label: 'Name', required: true, check: name },
  { name: 'description', label: 'Description' },
  {
    name: 'sourceRepos',
    label: 'Repositories',
    kind: 'area',
    help: 'One pattern a line; * is any, ! in front refuses',
  },
  {
    name: 'destinations',
    label: 'Destinations',
    kind: 'area',
    help: 'One a line: cluster and namespace, such as: in-cluster pay-*',
    check: (value) =>
      lines(value).every((line) => destination(line).length === 2) ? undefined : 'A line is a cluster and a namespace',
  },
  {
    name: 'clusterKinds',
    label: 'Cluster-scoped kinds that are permitted',
    kind: 'area',
    help: 'One a line: KIND, GROUP/KIND, or *',
  },
  { name: 'refusedClusterKinds', label: 'Cluster-scoped kinds that are refused', kind: 'area', help: 'They win' },
  { name: 'kinds', label: 'Kinds of namespaces that are permitted', kind: 'area', help: 'Empty: all' },
  { name: 'refusedKinds', label: 'Kinds of namespaces that are refused', kind: 'area', help: 'They win' },
  {
    name: 'sourceNamespaces',
    label: 'Namespaces whose applications may use it',
    kind: 'area',
    help: 'Beside the namespace of the control plane',
  },
  {
    name: 'serviceAccounts',
    label: 'Service accounts that syncs act as',
    kind: 'area',
    help: 'One a line: server, namespace and service account, such as: * pay-* deployer',
    check: (value) =>
      lines(value).every((line) => destination(line).length === 3)
        ? undefined
        : 'A line is a server, a namespace and a service account',
  },
  {
    name: 'signatureKeys',
    label: 'GnuPG keys that commits must be signed with',
    kind: 'area',
    help: 'One key ID a line; empty: none is asked for',
    check: (value) =>
      lines(value).every((line) => /^(0x)?[0-9a-fA-F]{16,40}$/.test(line))
        ? undefined
        : 'A line is a key ID of 16 to 40 hexadecimal digits',
  },
  {
    name: 'integrity',
    label: 'Signatures that commits need',
    kind: 'area',
    help: 'One a line: patterns of repositories, mode (none, head or strict), keys; commas in lists',
    placeholder: 'https://git.example.com/* strict 4AEE18F83AFDEB23',
    check: (value) =>
      lines(value).every(isIntegrity)
        ? undefined
        : 'A line is patterns of repositories, none, head or strict, and keys after the last two',
  },
  { name: 'scoped', label: 'Only clusters that belong to the project', kind: 'check' },
  { name: 'orphans', label: 'Warn of objects that nobody manages', kind: 'check' },
  {
    name: 'ignoredOrphans',
    label: 'Objects that may belong to nobody',
    kind: 'area',
    help: 'One a line: KIND or GROUP/KIND, and a pattern of names',
    placeholder: 'ConfigMap kube-root-ca.crt',
    check: (value) =>
      lines(value).every((line) => destination(line).length === 2)
        ? undefined
        : 'A line is a kind and a pattern of names',
  },
];

const kindText = ({ group, kind }: { group: string; kind: string }) =>
  group === '*' && kind === '*' ? '*' : group ? `${group}/${kind}` : kind;

function kindsOf(text: string | undefined): { group: string; kind: string }[] {
  return lines(text).map((line) => {
    if (line === '*') return { group: '*', kind: '*' };
    const slash = line.indexOf('/');
    return slash < 0 ? { group: '', kind: line } : { group: line.slice(0, slash), kind: line.slice(slash + 1) };
  });
}

export function projectValues({ metadata, spec }: Project): Values {
  const joined = (list: readonly string[] | null | undefined) => (list ?? []).join('\n');
  const kinds = (list: Spec['clusterResourceWhitelist']) => joined((list ?? []).map(kindText));
  return {
    name: metadata.name,
    description: spec.description ?? '',
    sourceRepos: joined(spec.sourceRepos),
    destinations: joined((spec.destinations ?? []).map(destinationText)),
    clusterKinds: kinds(spec.clusterResourceWhitelist),
    refusedClusterKinds: kinds(spec.clusterResourceBlacklist),
    kinds: kinds(spec.namespaceResourceWhitelist),
    refusedKinds: kinds(spec.namespaceResourceBlacklist),
    sourceNamespaces: joined(spec.sourceNamespaces),
    serviceAccounts: joined((spec.destinationServiceAccounts ?? []).map(accountText)),
    signatureKeys: joined((spec.signatureKeys ?? []).map(({ keyID }) => keyID)),
    integrity: joined((spec.sourceIntegrity?.git?.policies ?? []).map(integrityText)),
    scoped: spec.permitOnlyProjectScopedClusters ? 'true' : '',
    orphans: spec.orphanedResources && spec.orphanedResources.warn !== false ? 'true' : '',
    ignoredOrphans: joined((spec.orphanedResources?.ignore ?? []).map(orphanText)),
  };
}

/** The project with what the form says; what it does not ask for stays. */
export function withProjectValues(project: Project, values: Values): Project {
  const {
    namespaceResourceWhitelist: _kinds,
    destinationServiceAccounts: _accounts,
    signatureKeys: _keys,
    sourceIntegrity,
    orphanedResources,
    ...rest
  } = project.spec;
  const accounts = lines(values.serviceAccounts).map(accountOf);
  const keys = lines(values.signatureKeys).map((line) => ({ keyID: line.replace(/^0x/, '') }));
  const policies = lines(values.integrity).map(keeping(sourceIntegrity?.git?.policies, integrityText, integrityOf));
  const ignore = lines(values.ignoredOrphans).map(keeping(orphanedResources?.ignore, orphanText, orphanOf));
  const { ignore: _, ...orphaned } = orphanedResources ?? {};
  const permitted = kindsOf(values.kinds);
  return {
    ...project,
    metadata: { ...project.metadata, name: values.name ?? project.metadata.name },
    spec: {
      ...rest,
      description: values.description ?? '',
      sourceRepos: lines(values.sourceRepos),
      destinations: lines(values.destinations).map(keeping(project.spec.destinations, destinationText, newDestination)),
      clusterResourceWhitelist: kindsOf(values.clusterKinds),
      clusterResourceBlacklist: kindsOf(values.refusedClusterKinds),
      namespaceResourceBlacklist: kindsOf(values.refusedKinds),
      ...(permitted.length > 0 ? { namespaceResourceWhitelist: permitted } : {}),
      sourceNamespaces: lines(values.sourceNamespaces),
      permitOnlyProjectScopedClusters: values.scoped === 'true',
      ...(accounts.length > 0 ? { destinationServiceAccounts: accounts } : {}),
      ...(keys.length > 0 ? { signatureKeys: keys } : {}),
      ...(policies.length > 0 ? { sourceIntegrity: { git: { policies } } } : {}),
      // without any of both, orphans are not looked for
      ...(values.orphans === 'true' || orphanedResources || ignore.length > 0
        ? {
            orphanedResources: {
              ...orphaned,
              warn: values.orphans === 'true',
              ...(ignore.length > 0 ? { ignore } : {}),
            },
          }
        : {}),
    },
  };
}

type ServiceAccount = NonNullable<Spec['destinationServiceAccounts']>[number];

const accountText = ({ server = '*', namespace, defaultServiceAccount = '' }: ServiceAccount) =>
  `${server} ${namespace || '*'} ${defaultServiceAccount}`;

function accountOf(line: string): ServiceAccount {
  const [server = '*', namespace = '*', defaultServiceAccount = ''] = destination(line);
  return { server, namespace, defaultServiceAccount };
}

type Integrity = NonNullable<NonNullable<NonNullable<Spec['sourceIntegrity']>['git']>['policies']>[number];

function integrityText({ repos, gpg }: Integrity): string {
  const patterns = (repos ?? []).map(({ url = '' }) => url).join(',');
  return [patterns || '*', gpg?.mode ?? 'none', (gpg?.keys ?? []).join(',')].filter(Boolean).join(' ');
}

function integrityOf(line: string): Integrity {
  const [patterns = '*', mode = 'none', keys = ''] = destination(line);
  return {
    repos: patterns.split(',').map((url) => ({ url })),
    gpg: { mode, keys: commas(keys).map((key) => key.replace(/^0x/, '')) },
  };
}

type IgnoredOrphan = NonNullable<NonNullable<Spec['orphanedResources']>['ignore']>[number];

const orphanText = ({ group, kind = '*', name: own = '*' }: IgnoredOrphan) =>
  `${group ? `${group}/` : ''}${kind || '*'} ${own || '*'}`;

function orphanOf(line: string): IgnoredOrphan {
  const [kinds = '*', own = '*'] = destination(line);
  const slash = kinds.indexOf('/');
  return { group: slash < 0 ? '' : kinds.slice(0, slash), kind: kinds.slice(slash + 1), name: own };
}

/** What a line says; an entry that is told by the same line as before is kept as it was written. */
function keeping<T>(before: readonly T[] | null | undefined, textOf: (one: T) => string, read: (line: string) => T) {
  const known = new Map((before ?? []).map((one) => [textOf(one), one]));
  return (line: string): T => known.get(line) ?? read(line);
}

const destinationText = ({ name: cluster, server, namespace }: NonNullable<Spec['destinations']>[number]) =>
  `${cluster || server || '*'} ${namespace || '*'}`;

function newDestination(line: string) {
  const [cluster = '*', namespace = '*'] = destination(line);
  return cluster === '*' || cluster.includes('://') ? { server: cluster, namespace } : { name: cluster, namespace };
}

const cron = (value: string) =>
  value.trim().split(/\s+/).length === 5 ? undefined : 'Five parts: minute, hour, day, month, day of the week';
const duration = (value: string) =>
  durationProblem(value) === undefined || /^(\d+h)?(\d+m)?$/.test(value) ? undefined : 'Such as 8h or 1h30m';

export const windowFields: readonly FieldSpec[] = [
  {
    name: 'kind',
    label: 'What it does',
    kind: 'choice',
    required: true,
    choices: [
      { value: 'allow', label: 'Syncs happen only then' },
      { value: 'deny', label: 'No sync happens then' },
    ],
  },
  { name: 'timeZone', label: 'Time zone', placeholder: 'Europe/Berlin', help: 'Empty: UTC' },
  { name: 'schedule', label: 'Begins', required: true, placeholder: '0 22 * * *', help: 'As in cron', check: cron },
  { name: 'duration', label: 'For how long', required: true, placeholder: '8h', check: duration },
  { name: 'applications', label: 'Applications', placeholder: '*', help: 'Patterns with commas between them' },
  { name: 'namespaces', label: 'Namespaces' },
  { name: 'clusters', label: 'Clusters' },
  {
    name: 'all',
    label: 'Only what matches all of these',
    kind: 'check',
    help: 'Otherwise one of applications, namespaces and clusters is enough',
  },
  { name: 'description', label: 'Description' },
  { name: 'manualSync', label: 'Syncs by hand are allowed anyway', kind: 'check' },
];

const commas = (text = '') =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

export function windowOf({
  kind = 'allow',
  schedule = '',
  duration: length = '',
  timeZone,
  applications,
  namespaces,
  clusters,
  description,
  manualSync,
  all,
}: Values): SyncWindow {
  const named = commas(namespaces).length + commas(clusters).length > 0;
  return {
    kind,
    schedule: schedule.trim(),
    duration: length.trim(),
    applications: commas(applications || (named ? '' : '*')),
    ...(commas(namespaces).length > 0 ? { namespaces: commas(namespaces) } : {}),
    ...(commas(clusters).length > 0 ? { clusters: commas(clusters) } : {}),
    ...(timeZone ? { timeZone } : {}),
    ...(description ? { description } : {}),
    ...(manualSync === 'true' ? { manualSync: true } : {}),
    ...(all === 'true' ? { andOperator: true } : {}),
  };
}

export function windowValues(window: SyncWindow): Values {
  const joined = (list: readonly string[] | null | undefined) => (list ?? []).join(', ');
  return {
    kind: window.kind ?? 'allow',
    schedule: window.schedule ?? '',
    duration: window.duration ?? '',
    timeZone: window.timeZone ?? '',
    applications: joined(window.applications),
    namespaces: joined(window.namespaces),
    clusters: joined(window.clusters),
    description: window.description ?? '',
    manualSync: window.manualSync ? 'true' : '',
    all: window.andOperator ? 'true' : '',
  };
}

export const roleFields: readonly FieldSpec[] = [
  {
    name: 'name',
    label: 'Name',
    required: true,
    check: (value) =>
      /^[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$/.test(value) ? undefined : 'Letters, digits, - and _ only',
  },
  { name: 'description', label: 'Description' },
  { name: 'groups', label: 'Groups of the identity provider', kind: 'area', help: 'One a line' },
  {
    name: 'may',
    label: 'What it may do',
    kind: 'area',
    help: 'One a line: action and application, such as: sync shop-*; ! in front forbids; logs, exec and other kinds before the action: logs get shop-*',
    placeholder: 'get *\nsync *\nlogs get *',
    check: (value) =>
      lines(value).every((line) => mayOf(line) !== undefined)
        ? undefined
        : 'A line is an action and an application, with what it is about in front where that is no application',
  },
];

/** What roles of a project are about, as RBAC calls it. */
const roleResources: ReadonlySet<string> = new Set([
  'applications',
  'applicationsets',
  'logs',
  'exec',
  'repositories',
  'clusters',
]);

interface May {
  readonly resource: string;
  readonly action: string;
  readonly object: string;
  readonly denied: boolean;
}

/** `[!][RESOURCE] ACTION OBJECT`; undefined for another text. */
function mayOf(line: string): May | undefined {
  const words = line.replace(/^!\s*/, '').split(/\s+/).filter(Boolean);
  const [resource = '', action = '', object = ''] = words.length === 2 ? ['applications', ...words] : words;
  if (words.length > 3 || !object || !roleResources.has(resource) || words.some((word) => word.includes(',')))
    return undefined;
  return { resource, action, object, denied: line.startsWith('!') };
}

/** The policies of a role about what is the project's, as the form's lines; others are kept as they are. */
export function roleValues({ name: own, description = '', groups, policies }: ProjectRole, project: string): Values {
  const may = (policies ?? []).flatMap((line) => {
    const plain = plainPolicy(line, project);
    return plain ? [plain] : [];
  });
  return { name: own, description, groups: (groups ?? []).join('\n'), may: may.join('\n') };
}

function plainPolicy(line: string, project: string): string | undefined {
  const [type, , resource = '', action = '', object = '', effect] = line.split(',').map((part) => part.trim());
  if (type !== 'p' || !roleResources.has(resource) || !object.startsWith(`${project}/`)) return undefined;
  const plain = [...(resource === 'applications' ? [] : [resource]), action, object.slice(project.length + 1)].join(
    ' ',
  );
  const text = `${effect === 'deny' ? '!' : ''}${plain}`;
  return mayOf(text) ? text : undefined;
}

export function roleOf(values: Values, project: string, before?: ProjectRole): ProjectRole {
  const own = values.name ?? '';
  const policies = lines(values.may).flatMap((line) => {
    const may = mayOf(line);
    return may
      ? [
          `p, proj:${project}:${own}, ${may.resource}, ${may.action}, ${project}/${may.object}, ${may.denied ? 'deny' : 'allow'}`,
        ]
      : [];
  });
  const others = (before?.policies ?? []).filter((line) => plainPolicy(line, project) === undefined);
  return {
    ...before,
    name: own,
    description: values.description ?? '',
    groups: lines(values.groups),
    policies: [...policies, ...others],
  };
}
