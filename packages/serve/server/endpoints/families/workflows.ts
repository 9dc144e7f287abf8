import { type flow, workflowNames } from '@tiphys/api';
import { requestUrl } from '@tiphys/inbound';
import type { KubeObject } from '@tiphys/kubernetes';
import { hasClusterRight, requireClusterRight } from '../../context/cluster-right.ts';
import type { ServerContext } from '../../context/server-context.ts';
import { readBounded } from '../../families/bounded-list.ts';
import { nodeDetail, shownNodes, workflowSummary } from '../../families/workflow-view.ts';
import type { Call } from '../../rpc/call.ts';
import { decodePart } from '../../rpc/decode-part.ts';
import { invalidArgument, notFound } from '../../rpc/rpc-error.ts';
import { type OwnRequest, serveOwn } from '../own-api.ts';

const base = '/api/tiphys/v1/workflows';
const one =
  /^\/api\/tiphys\/v1\/workflows\/([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253})(?:\/nodes\/([A-Za-z0-9.%()_-]{1,800}))?$/;
const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' };
/** Workflows of one page of the list. */
const pageSize = 100;

type StoredWorkflow = KubeObject & flow.Workflow;

interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
}

/**
 * Workflows of the control plane's cluster, for who may `clusters, get, *`; undefined for other paths.
 * - `GET /api/tiphys/v1/workflows`: a page of them, live and archived, newest first; `namespace`, `name` (a part of it), `labels` (a selector),
 *   `createdAfter`, `finishedBefore`, `continue`. Where this process does not offer their API: the first 500 live ones, unfiltered.
 * - `GET …/NAMESPACE/NAME`: one, with its nodes; `uid` where several had the name.
 * - `GET …/NAMESPACE/NAME/nodes/ID`: a node with inputs, outputs and template, for who may `clusters, update, *`.
 */
export function serveWorkflows(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const [, namespace, name, node] = one.exec(asked.path) ?? [];
  if (asked.path !== base && (namespace === undefined || name === undefined)) return undefined;
  const search = requestUrl(asked.request).searchParams;
  const method = node === undefined ? 'List' : 'Update';
  return serveOwn(asked, `/cluster.ClusterService/${method}`, async (call) => {
    await requireClusterRight(context, call, node === undefined ? 'get' : 'update');
    if (namespace === undefined || name === undefined) return await listWorkflows(context, call, search);
    const uid = search.get('uid');
    const named = { namespace, name, ...(uid ? { uid } : {}) };
    const workflow = await findWorkflow(context, call, named);
    if (node !== undefined) {
      const { podNameOf } = await import('@tiphys/workflows');
      const detail = nodeDetail(workflow, decodePart(node));
      if (!detail) throw notFound(`The workflow has no node ${decodePart(node)}`);
      return { ...detail, podName: podNameOf(workflow.metadata, detail.node) };
    }
    return await oneWorkflow(context, call, workflow);
  });
}

async function listWorkflows(context: ServerContext, call: Call, search: URLSearchParams) {
  const { workflows, client } = context;
  if (!workflows || !(await client.discovery.find(kind.apiVersion, kind.kind)))
    return await readBounded<StoredWorkflow, unknown>(client, kind, { of: workflowSummary, signal: call.signal });
  const text = (name: string) => search.get(name) || undefined;
  for (const field of ['createdAfter', 'finishedBefore'])
    if (text(field) && Number.isNaN(Date.parse(text(field) ?? ''))) throw invalidArgument(`${field} is no time`);
  const list = await workflows.list(call, {
    namespace: text('namespace'),
    name: text('name'),
    labelSelector: text('labels'),
    createdAfter: text('createdAfter'),
    finishedBefore: text('finishedBefore'),
    continue: text('continue'),
    limit: pageSize,
  });
  return {
    items: list.items.map(workflowSummary),
    columns: workflows.columns,
    ...(list.continue ? { continue: list.continue } : {}),
    mayAct: await hasClusterRight(context, call, 'update'),
  };
}

async function findWorkflow({ client, workflows }: ServerContext, call: Call, named: Named): Promise<flow.Workflow> {
  const isInstalled = await client.discovery.find(kind.apiVersion, kind.kind);
  if (isInstalled && workflows) return await workflows.get(call, named);
  const found = isInstalled
    ? await client.find<StoredWorkflow>(
        { ...kind, namespace: named.namespace, name: named.name },
        { signal: call.signal },
      )
    : undefined;
  if (!found) throw notFound(`There is no Workflow ${named.namespace}/${named.name}`);
  const { unpackNodes } = await import('@tiphys/workflows');
  return unpackNodes(found);
}

async function oneWorkflow(context: ServerContext, call: Call, workflow: flow.Workflow) {
  const { explainWorkflow } = await import('@tiphys/workflows');
  const isOffloaded = workflow.status?.nodes === undefined && workflow.status?.offloadNodeStatusVersion;
  const isArchived = workflow.metadata.labels?.[workflowNames.labels.archiving] === 'Persisted';
  return {
    ...workflowSummary(workflow),
    nodes: shownNodes(workflow),
    conditions: workflow.status?.conditions ?? [],
    diagnoses: explainWorkflow(workflow as never),
    estimated: Number(workflow.status?.estimatedDuration ?? 0),
    suspended: workflow.spec?.suspend === true,
    shutdown: workflow.spec?.shutdown ?? '',
    archived: isArchived,
    mayAct: context.workflows !== undefined && (await hasClusterRight(context, call, 'update')),
    ...(isOffloaded ? { note: 'Its nodes are kept in a database, which is not read: see docs/limits.md.' } : {}),
  };
}
