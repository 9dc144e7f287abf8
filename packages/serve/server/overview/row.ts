import { type Application, names } from '@tiphys/api';

/** What lists show of an application. Times are RFC 3339; what is unknown is empty. */
export interface ApplicationRow {
  readonly namespace: string;
  readonly name: string;
  readonly project: string;
  readonly health: string;
  readonly sync: string;
  /** Phase of the last operation. */
  readonly operation: string;
  /** `on` or `off`. */
  readonly autoSync: string;
  readonly repository: string;
  /** Path of the folder, or name of the chart. */
  readonly path: string;
  readonly targetRevision: string;
  readonly revision: string;
  readonly sources: number;
  /** Name of the cluster, else its URL. */
  readonly cluster: string;
  readonly destination: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly created: string;
  readonly deployed: string;
  readonly deleting: boolean;
  /** The annotations by which its owner says something to who looks at it, without their prefix. */
  readonly notice?: Readonly<Record<string, string>>;
  /** The worst that is known to be wrong. */
  readonly problem?: { readonly code: string; readonly message: string; readonly notice: boolean };
}

const inCluster = 'https://kubernetes.default.svc';

/** Diagnoses that are worth knowing although nothing is wrong. */
const informative = new Set(['GeneratedValuesDiffer', 'GeneratedCertificateExpires', 'LookupRefused']);

export function rowOf(app: Application): ApplicationRow {
  const { metadata, spec, status } = app;
  const source = spec.sources?.[0] ?? spec.source;
  const { automated } = spec.syncPolicy ?? {};
  const { server = '', name = '' } = spec.destination ?? {};
  const problem = problemOf(app);
  const notice = noticeOf(metadata.annotations);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    project: spec.project || names.defaults.project,
    health: status?.health?.status || 'Unknown',
    sync: status?.sync?.status || 'Unknown',
    operation: status?.operationState?.phase ?? '',
    autoSync: automated && automated.enabled !== false ? 'on' : 'off',
    repository: source?.repoURL ?? '',
    path: source?.path || source?.chart || '',
    targetRevision: source?.targetRevision || 'HEAD',
    revision: status?.sync?.revision || status?.sync?.revisions?.[0] || '',
    sources: spec.sources?.length || 1,
    cluster: name || (server === inCluster ? 'in-cluster' : server),
    destination: spec.destination?.namespace ?? '',
    labels: metadata.labels ?? {},
    created: metadata.creationTimestamp ?? '',
    deployed: status?.history?.at(-1)?.deployedAt ?? '',
    deleting: metadata.deletionTimestamp !== undefined,
    ...(notice ? { notice } : {}),
    ...(problem ? { problem } : {}),
  };
}

const noticePrefix = 'notice.argocd.argoproj.io/';
/** A longer value is cut by who shows it; nobody needs a page of it in a list. */
const longestNotice = 600;

function noticeOf(annotations: Application['metadata']['annotations']): ApplicationRow['notice'] {
  if (!annotations?.[`${noticePrefix}content`]) return undefined;
  return Object.fromEntries(
    Object.entries(annotations)
      .filter(([name]) => name.startsWith(noticePrefix))
      .map(([name, value]) => [name.slice(noticePrefix.length), value.slice(0, longestNotice)]),
  );
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly condition?: string;
}

function problemOf({ status }: Application): ApplicationRow['problem'] {
  const diagnoses = (status?.diagnoses ?? []) as readonly Told[];
  const told = diagnoses.filter(({ code }) => !informative.has(code));
  const isNotice = ({ condition = '' }: Told) => condition.endsWith('Warning');
  const worst = told.find((one) => !isNotice(one)) ?? told[0];
  if (worst) return { code: worst.code, message: worst.message, notice: isNotice(worst) };
  const condition = status?.conditions?.[0];
  if (!condition || diagnoses.length > 0) return undefined;
  return { code: condition.type, message: condition.message, notice: condition.type.endsWith('Warning') };
}

const healthRanks: Readonly<Record<string, number>> = {
  Degraded: 2,
  Missing: 4,
  Unknown: 5,
  Progressing: 6,
  Suspended: 7,
  Healthy: 9,
};

/** How much somebody should look at it: the lower, the more. What has a cause that is known comes first, then what is unwell, then what differs. */
export function urgency({ problem, health, sync, operation }: ApplicationRow): number {
  if (problem && !problem.notice) return health === 'Degraded' ? 0 : 1;
  if (health !== 'Degraded' && (operation === 'Failed' || operation === 'Error')) return 3;
  const rank = healthRanks[health] ?? 5;
  return rank === 9 && sync !== 'Synced' ? 8 : rank;
}

/** One element of the list by what a user may type. */
export function searchTextOf(row: ApplicationRow): string {
  const labels = Object.entries(row.labels).map(([name, value]) => `${name}=${value}`);
  return [
    `${row.namespace}/${row.name}`,
    row.project,
    row.repository,
    row.path,
    row.targetRevision,
    row.revision,
    row.cluster,
    row.destination,
    row.health,
    row.sync,
    row.problem?.code,
    row.problem?.message,
    ...labels,
  ]
    .join('\n')
    .toLowerCase();
}
