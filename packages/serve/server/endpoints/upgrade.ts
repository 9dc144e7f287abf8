import { names } from '@tiphys/api';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import {
  type ApiUse,
  auditCalls,
  checkCluster,
  failingApplications,
  parseRelease,
  RecordedCalls,
  type Release,
  upgradeReport,
  verdictOfRecorded,
} from '@tiphys/upgrades';
import { requireClusterRight } from '../context/cluster-right.ts';
import type { ServerContext } from '../context/server-context.ts';
import { BodyBudget } from '../http/body-budget.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnEndpoint, postOwn, serveOwn } from './own-api.ts';
import { usesOfApplications } from './upgrade-applications.ts';

const base = '/api/tiphys/v1/upgrade';
/** Bytes of one batch of the API server, whose own limit is 10 MiB. */
const largest = 10 * 1024 * 1024;
const budget = new BodyBudget(40 * 1024 * 1024);
/** What is recorded is recorded for every release to come. */
const anyRelease: Release = [1, 999];

/** The upgrade's paths; each has a memory of its own for calls that are not stored yet. */
export function upgradeEndpoint(context: ServerContext): OwnEndpoint {
  const { client, namespace, clock } = context;
  const recorded = new RecordedCalls({ client, namespace, clock });
  /**
   * - `GET /api/tiphys/v1/upgrade?to=1.35&cluster=URL`: what an upgrade of that cluster to the release meets; the control plane's own
   *   without `cluster`. Needs `clusters, get`; of applications those are told of that the caller may get.
   * - `POST …/audit?cluster=URL`: the audit webhook of that cluster's API server, of the control plane's own without `cluster`: an EventList. Needs
   *   `clusters, update`.
   * Undefined for other paths.
   */
  return (asked) => {
    if (asked.path === base)
      return serveOwn(asked, '/cluster.ClusterService/Get', async (call) => {
        const query = parseUrlQuery(asked.request.url);
        return await check(context, call, recorded, query);
      });
    if (asked.path !== `${base}/audit`) return undefined;
    return postOwn(asked, '/cluster.ClusterService/Update', async (call) => {
      await requireClusterRight(context, call, 'update');
      const cluster = await clusterIn(context, parseUrlQuery(asked.request.url));
      const calls = auditCalls(parse(await budget.read(asked.request, largest)), anyRelease);
      await recorded.record(calls, cluster);
      return { recorded: calls.length };
    });
  };
}

async function check(context: ServerContext, call: Call, recorded: RecordedCalls, query: URLSearchParams) {
  await requireClusterRight(context, call, 'get');
  const target = parseTarget(query.get('to'));
  const server = await clusterIn(context, query);
  const client = server ? (await context.backend.cluster({ server })).client : context.client;
  const calls = (await recorded.list(server)).flatMap((use) => {
    const verdict = verdictOfRecorded(use.api, target);
    return verdict ? [{ ...use, api: verdict.life, state: verdict.state }] : [];
  });
  const cluster = await checkCluster(client, { target, calls, signal: call.signal });
  const rendered = await usesOfApplications(context, call, { target, server, custom: cluster.custom });
  const known = new Set(context.applications.list().map(({ metadata: of }) => `${of.namespace}/${of.name}`));
  const uses = [...rendered.uses, ...cluster.uses].map((use) => withApplication(use, known, context.namespace));
  return upgradeReport({
    target,
    uses,
    readiness: [...failingApplications(uses, target), ...cluster.readiness],
    unseen: [...cluster.unseen, ...rendered.unseen],
  });
}

/**
 * URL of the cluster that is asked about, by its URL or its name; undefined for the control plane's own. Throws InvalidArgument for one that is not
 * registered.
 */
async function clusterIn({ clusters }: ServerContext, query: URLSearchParams): Promise<string | undefined> {
  const text = query.get('cluster');
  if (!text) return undefined;
  const found = await clusters.find(text.includes('://') ? { server: text } : { name: text });
  if (!found)
    throw invalidArgument(`There is no cluster ${JSON.stringify(text)}: name a registered one by its URL or its name`);
  return found.server === names.defaults.inClusterServer ? undefined : found.server;
}

/** Labels and our own calls name an Application by its name alone, or something else of that name: it counts if there is one. */
function withApplication({ application, ...use }: ApiUse, names: ReadonlySet<string>, own: string): ApiUse {
  if (!application) return use;
  const name = application.includes('/') ? application : `${own}/${application}`;
  return names.has(name) ? { ...use, application: name } : use;
}

function parseTarget(text: string | null): Release {
  try {
    return parseRelease(text ?? '');
  } catch (error) {
    throw invalidArgument(formatDiagnosis(diagnosisOf(error)));
  }
}

function parse(bytes: Buffer | undefined): unknown {
  if (!bytes)
    throw invalidArgument(`The batch has more than ${largest} bytes: set --audit-webhook-batch-max-size lower`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidArgument('The body is no JSON of an audit.k8s.io/v1 EventList');
  }
}
