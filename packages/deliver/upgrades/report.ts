import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import { whoCalls } from './calls/callers.ts';
import { requestedDeprecated } from './calls/deprecated-metrics.ts';
import type { ApiUse } from './find/finding.ts';
import { storedUses, usesInCluster } from './find/live.ts';
import { apiVersionOf, printRelease, type Release } from './knowledge/api-life.ts';
import { preflight } from './preflight/preflight.ts';

const apiRemoved = defineDiagnosis(
  'ApiRemoved',
  'Something uses a version of an API that the target release of Kubernetes does not serve',
);
const apiDeprecated = defineDiagnosis(
  'ApiDeprecated',
  'Something uses a version of an API that Kubernetes has deprecated',
);

/** What an upgrade will meet. */
export interface UpgradeReport {
  /** Release, such as `1.35`. */
  readonly target: string;
  /** Removed before deprecated. */
  readonly uses: readonly ApiUse[];
  /** What stands in the way of drains and nodes. */
  readonly readiness: readonly Diagnosis[];
  /** What could not be looked at, so that nobody takes silence for an answer. */
  readonly unseen: readonly string[];
}

/** Looks at a cluster: live and stored objects, calls, and what stands in the way of the upgrade itself. */
export async function checkCluster(
  client: Client,
  {
    target,
    calls,
    signal,
  }: { readonly target: Release; readonly calls: readonly ApiUse[]; readonly signal?: AbortSignal },
): Promise<UpgradeReport> {
  const unseen: string[] = [];
  const attempt = async <T>(what: string, work: () => Promise<T[]>): Promise<T[]> => {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      unseen.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  };
  const live = await attempt('live objects', async () => {
    const { uses, skipped } = await usesInCluster(client, target, signal);
    unseen.push(...skipped);
    return uses;
  });
  const stored = await attempt('stored versions', () => storedUses(client, signal));
  const called = await attempt('callers', () => whoCalls(calls, client, signal));
  const counted = await attempt('metrics of the API server', () => requestedDeprecated(client, target, signal));
  const readiness = await attempt('readiness', () => preflight(client, target, signal));
  return upgradeReport({ target, uses: [...live, ...stored, ...called, ...counted], readiness, unseen });
}

/** Puts findings together: removed first, then by API and by what uses it. */
export function upgradeReport({
  target,
  uses,
  readiness = [],
  unseen = [],
}: {
  readonly target: Release;
  readonly uses: readonly ApiUse[];
  readonly readiness?: readonly Diagnosis[];
  readonly unseen?: readonly string[];
}): UpgradeReport {
  const rank = ({ state, api, origin, object = '', file = '' }: ApiUse) =>
    [state === 'removed' ? 0 : 1, apiVersionOf(api), api.kind, origin, file, object].join('\n');
  const sorted = [...uses].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return { target: printRelease(target), uses: sorted, readiness, unseen };
}

/** A use as a diagnosis: what, who, where, and what to write instead. */
export function useDiagnosis(use: ApiUse, target: string): Diagnosis {
  const { api, state, object, file, line, commit, application, chart, manager, at, caller } = use;
  const name = `${apiVersionOf(api)} ${api.kind}`;
  const end = api.removed ? `, and is served no more since Kubernetes ${printRelease(api.removed)}` : '';
  const { replacement } = api;
  return diagnose(state === 'removed' ? apiRemoved : apiDeprecated, {
    message:
      state === 'removed'
        ? `${subject(use)} uses ${name}, which Kubernetes ${target} does not serve`
        : `${subject(use)} uses ${name}, which is deprecated${end}`,
    ...(file || object
      ? { place: { ...(file ? { file } : {}), ...(line ? { line } : {}), ...(object ? { object } : {}) } }
      : {}),
    evidence: {
      application,
      chart,
      commit: commit && `${commit.revision.slice(0, 12)} of ${commit.author}, ${commit.at.slice(0, 10)}`,
      manager,
      user: caller?.user,
      'user agent': caller?.userAgent,
      pod: caller?.pod,
      workload: caller?.workload,
      calls: caller && `${caller.count} (${caller.verbs.join(', ')})`,
      'last seen': at,
    },
    remedies: replacement
      ? [
          `Use ${apiVersionOf(replacement)} ${replacement.kind}${use.origin === 'git' ? ': tiphys upgrade fix shows the change' : ''}`,
        ]
      : ['Find out what replaces it before the upgrade: Kubernetes names nothing'],
  });
}

function subject({ origin, object, caller, manager }: ApiUse): string {
  if (caller) return caller.workload ?? caller.pod ?? (caller.userAgent || caller.user);
  if (origin === 'live') return `${manager ?? 'Somebody'}, which writes ${object},`;
  if (origin === 'call') return `Somebody (${object}, whose caller only the audit log tells)`;
  return object ?? 'A manifest';
}
