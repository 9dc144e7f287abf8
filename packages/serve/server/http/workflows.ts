import type { flow } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { readBounded } from '../families/bounded-list.ts';
import { shownNodes, workflowSummary } from '../families/workflow-view.ts';
import { requireClusterRight } from '../rbac/cluster-right.ts';
import type { Call } from '../rpc/call.ts';
import { notFound } from '../rpc/rpc-error.ts';
import type { ServerContext } from '../server-context.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const base = '/api/tiphys/v1/workflows';
const one = /^\/api\/tiphys\/v1\/workflows\/([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253})$/;
const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' };

type StoredWorkflow = KubeObject & flow.Workflow;

/**
 * Workflows of the control plane's cluster, for who may `clusters, get, *`; undefined for other paths.
 * - `GET /api/tiphys/v1/workflows`: the first 500.
 * - `GET …/NAMESPACE/NAME`: one, with its nodes.
 */
export function serveWorkflows(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const [, namespace, name] = one.exec(asked.path) ?? [];
  if (asked.path !== base && (namespace === undefined || name === undefined)) return undefined;
  return serveOwn(asked, '/cluster.ClusterService/List', async (call) => {
    await requireClusterRight(context, call, 'get');
    if (namespace !== undefined && name !== undefined) return await oneWorkflow(context, call, { namespace, name });
    return await readBounded<StoredWorkflow, unknown>(context.client, kind, {
      of: workflowSummary,
      signal: call.signal,
    });
  });
}

async function oneWorkflow({ client }: ServerContext, call: Call, named: { namespace: string; name: string }) {
  const found = (await client.discovery.find(kind.apiVersion, kind.kind))
    ? await client.find<StoredWorkflow>({ ...kind, ...named }, { signal: call.signal })
    : undefined;
  if (!found) throw notFound(`There is no Workflow ${named.namespace}/${named.name}`);
  const { unpackNodes } = await import('@tiphys/workflows');
  const workflow = unpackNodes(found);
  const isOffloaded = workflow.status?.nodes === undefined && workflow.status?.offloadNodeStatusVersion;
  return {
    ...workflowSummary(workflow),
    nodes: shownNodes(workflow),
    conditions: workflow.status?.conditions ?? [],
    ...(isOffloaded ? { note: 'Its nodes are kept in a database, which is not read: see docs/limits.md.' } : {}),
  };
}
