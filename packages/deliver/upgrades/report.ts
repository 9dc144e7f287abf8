import { type Diagnosis, defineDiagnosis, diagnose, type Remedy } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import { whoCalls } from './calls/callers.ts';
import { requestedDeprecated } from './calls/deprecated-metrics.ts';
import type { ApiUse } from './find/finding.ts';
import { storedUses, usesInCluster } from './find/live.ts';
import {
  apiVersionOf,
  type CustomLives,
  keyOf,
  newestKnown,
  printRelease,
  type Release,
  reached,
} from './knowledge/api-life.ts';
import { customLives, type Definition, definitionsOf } from './knowledge/custom-lives.ts';
import { preflight } from './preflight/preflight.ts';

const apiRemoved = defineDiagnosis(
  'ApiRemoved',
  'Something uses a version of an API that the target release of Kubernetes does not serve',
);
const apiDeprecated = defineDiagnosis(
  'ApiDeprecated',
  'Something uses a version of an API that Kubernetes has deprecated',
);

const applicationFails = defineDiagnosis(
  'UpgradeApplicationFails',
  'An application needs a version of an API that the target release does not serve: it will be Degraded, or its sync will fail',
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

/**
 * Looks at a cluster: live and stored objects, calls, and what stands in the way of the upgrade itself. `custom` is what its definitions give up, for those
 * who look at manifests for it.
 */
export async function checkCluster(
  client: Client,
  {
    target,
    calls,
    signal,
  }: { readonly target: Release; readonly calls: readonly ApiUse[]; readonly signal?: AbortSignal },
): Promise<UpgradeReport & { readonly custom: CustomLives }> {
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
  const definitions = await attempt('custom resources', () => definitionsOf(client, signal));
  const custom = customLives(definitions);
  const live = await attempt('live objects', async () => {
    const { uses, skipped } = await usesInCluster(client, {
      target,
      definitions,
      custom,
      ...(signal ? { signal } : {}),
    });
    unseen.push(...skipped);
    return uses;
  });
  const called = await attempt('callers', () => whoCalls(byDefinition(calls, definitions, custom), client, signal));
  const counted = await attempt('metrics of the API server', async () =>
    byDefinition(await requestedDeprecated(client, target, signal), definitions, custom),
  );
  const { found: readiness, unseen: notReady } = await preflight(client, target, signal);
  unseen.push(...notReady);
  const uses = [...live, ...storedUses(definitions), ...called, ...counted];
  return { ...upgradeReport({ target, uses, readiness, unseen }), custom };
}

/** Gives calls of custom resources the kind and the replacement of their definition; those whose definition gives the version up no more are left out. */
function byDefinition(uses: readonly ApiUse[], definitions: readonly Definition[], custom: CustomLives): ApiUse[] {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  return uses.flatMap((use): ApiUse[] => {
    const definition = use.api.definition && byName.get(use.api.definition.name);
    if (!definition) return [use];
    const { group, version } = use.api;
    const life = custom.get(keyOf({ group, version, kind: definition.kind }));
    return life ? [{ ...use, api: life, state: life.definition?.served ? 'deprecated' : 'removed' }] : [];
  });
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
  const beyond = reached(target, newestKnown) ? [] : [notKnown(target)];
  return { target: printRelease(target), uses: sorted, readiness, unseen: [...new Set([...beyond, ...unseen])] };
}

function notKnown(target: Release): string {
  const [newest, wanted] = [printRelease(newestKnown), printRelease(target)];
  return `what releases after ${newest} remove or deprecate, up to ${wanted}: this version of Tiphys knows none of them`;
}

/** Applications that the release breaks: what they deliver is not taken, or what they run asks for what is not there. */
export function failingApplications(uses: readonly ApiUse[], target: Release): Diagnosis[] {
  const broken = new Map<string, ApiUse[]>();
  for (const use of uses) {
    const counts = use.origin === 'rendered' || use.origin === 'call';
    if (use.application && use.state === 'removed' && counts)
      broken.set(use.application, [...(broken.get(use.application) ?? []), use]);
  }
  return [...broken].map(([application, removed]) => {
    const rendered = removed.filter(({ origin }) => origin === 'rendered').length;
    const calls = removed.length - rendered;
    const parts = [
      rendered > 0 && `${rendered} of its objects will not be taken, so that its syncs fail`,
      calls > 0 && 'what it runs asks for an API that is not there any more',
    ];
    return diagnose(applicationFails, {
      message: `Application ${application} breaks with Kubernetes ${printRelease(target)}: ${parts.filter(Boolean).join(', and ')}`,
      place: { object: `argoproj.io/Application ${application}` },
      evidence: {
        application,
        uses: [...new Set(removed.map(({ api }) => `${apiVersionOf(api)} ${api.kind}`))].join(', '),
      },
      remedies: ['Change what is listed of it under ApiRemoved before the upgrade'],
    });
  });
}

/** A use as a diagnosis: what, who, where, and what to write instead. */
export function useDiagnosis(use: ApiUse, target: string): Diagnosis {
  const { api, state, object, file, line, commit, application, chart, manager, at, caller } = use;
  const name = `${apiVersionOf(api)} ${api.kind}`;
  const { definition } = api;
  const end = api.removed ? `, and is served no more since Kubernetes ${printRelease(api.removed)}` : '';
  const notServed = definition ? `its definition does not serve` : `Kubernetes ${target} does not serve`;
  const deprecated = definition ? 'its definition calls deprecated' : `is deprecated${end}`;
  return diagnose(state === 'removed' ? apiRemoved : apiDeprecated, {
    message:
      state === 'removed'
        ? `${subject(use)} uses ${name}, which ${notServed}`
        : `${subject(use)} uses ${name}, which ${deprecated}`,
    ...(file || object
      ? { place: { ...(file ? { file } : {}), ...(line ? { line } : {}), ...(object ? { object } : {}) } }
      : {}),
    evidence: {
      application,
      chart,
      definition: definition?.name,
      warning: definition?.served ? definition.warning : undefined,
      commit: commit && `${commit.revision.slice(0, 12)} of ${commit.author}, ${commit.at.slice(0, 10)}`,
      manager,
      user: caller?.user,
      'user agent': caller?.userAgent,
      pod: caller?.pod,
      workload: caller?.workload,
      calls: caller && `${caller.count} (${caller.verbs.join(', ')})`,
      'last seen': at,
    },
    remedies: remediesOf(use),
  });
}

function remediesOf({ api: { replacement }, origin, change, byHand, newerChart }: ApiUse): Remedy[] {
  if (!replacement) return [{ text: 'Find out what replaces it before the upgrade: Kubernetes names nothing' }];
  const use = `Use ${apiVersionOf(replacement)} ${replacement.kind}`;
  const chart = newerChart?.mends ? [{ text: `Take version ${newerChart.version} of the chart: it does without` }] : [];
  if (change) return [...chart, { text: use, paste: change.patch }];
  if (byHand) return [...chart, { text: `${use}, and change by hand: ${byHand}` }];
  return [...chart, { text: `${use}${origin === 'git' ? ': tiphys upgrade fix shows the change' : ''}` }];
}

function subject({ origin, object, caller, manager }: ApiUse): string {
  if (caller) return caller.workload ?? caller.pod ?? (caller.userAgent || caller.user);
  if (origin === 'live') return `${manager ?? 'Somebody'}, which writes ${object},`;
  if (origin === 'call') return `Somebody (${object}, whose caller only the audit log tells)`;
  return object ?? 'A manifest';
}
