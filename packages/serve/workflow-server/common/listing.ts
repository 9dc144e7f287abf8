import { type flow, workflowNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { type ArchivePage, cursorOf } from '@tiphys/workflow-database';
import type { FlowCall } from './caller.ts';
import { instanceSelector } from './labels.ts';
import type { FlowFilter } from './list-options.ts';
import type { ServerParts } from './server-parts.ts';

type Stored = KubeObject & flow.Workflow;

export interface Listing {
  readonly items: readonly flow.Workflow[];
  readonly resourceVersion: string;
  readonly continue?: string;
}

/** What stands before the place in the archive where a list goes on. */
const inArchive = 'archive~';
/** Workflows that one request to the API server gives. */
const page = 500;

/**
 * Live workflows, the newest first, and behind them those of the archive. A live workflow that is archived already is told from there, so
 * that none is there twice and neither is looked up in the other.
 */
export async function listWorkflows(parts: ServerParts, call: FlowCall, filter: FlowFilter): Promise<Listing> {
  const { archive } = parts;
  const limit = filter.limit || Number.POSITIVE_INFINITY;
  const fromArchive = filter.continue.startsWith(inArchive);
  const { offset } = cursorOf(fromArchive ? '' : filter.continue);
  const live = fromArchive ? { items: [], resourceVersion: '' } : await liveWorkflows(parts, call, filter);
  const shown = live.items.slice(offset, offset + limit);
  const rest = limit - shown.length;
  const { resourceVersion } = live;
  if (offset + shown.length < live.items.length)
    return { items: shown, resourceVersion, continue: String(offset + shown.length) };
  if (!archive) return { items: shown, resourceVersion };
  const wanted = { ...filter, labelSelector: filter.labelSelector ?? '' };
  const place = fromArchive ? filter.continue.slice(inArchive.length) : String(Math.max(0, offset - live.items.length));
  // a page that the live ones fill says nothing of what is behind them but for one look
  const archived = await archive.list(wanted, {
    cursor: cursorOf(place),
    limit: rest === 0 ? 1 : Number.isFinite(rest) ? rest : 0,
  });
  if (rest === 0) return { items: shown, resourceVersion, ...(hasMore(archived) ? { continue: `${inArchive}0` } : {}) };
  return {
    items: [...shown, ...archived.items],
    resourceVersion,
    ...(archived.continue === undefined ? {} : { continue: `${inArchive}${archived.continue}` }),
  };
}

/** Also where the first page of the archive found none. */
const hasMore = ({ items, continue: next }: ArchivePage) => items.length > 0 || next !== undefined;

async function liveWorkflows(
  parts: ServerParts,
  { client, signal }: FlowCall,
  filter: FlowFilter,
): Promise<{ items: Stored[]; resourceVersion: string }> {
  const { labels } = workflowNames;
  const notArchived = parts.archive ? [`${labels.archiving}!=Archived`] : [];
  const labelSelector = [instanceSelector(filter.labelSelector, parts.settings.instanceId), ...notArchived].join(',');
  const exact = filter.name && (filter.nameFilter ?? 'Exact') === 'Exact';
  const items: Stored[] = [];
  let resourceVersion = '';
  let next = '';
  do {
    const list = await client.list<Stored>(
      {
        apiVersion: workflowNames.apiVersion,
        kind: 'Workflow',
        ...(filter.namespace ? { namespace: filter.namespace } : {}),
      },
      {
        labelSelector,
        limit: page,
        signal,
        ...(exact ? { fieldSelector: `metadata.name=${filter.name}` } : {}),
        ...(next ? { continue: next } : {}),
      },
    );
    items.push(...list.items.filter((workflow) => fits(workflow, filter)));
    resourceVersion = list.metadata.resourceVersion ?? '';
    next = list.metadata.continue ?? '';
  } while (next);
  return { items: items.sort(newestFirst), resourceVersion };
}

function fits({ metadata, status }: Stored, filter: FlowFilter): boolean {
  const { name = '', namespace, creationTimestamp } = metadata;
  const started = status?.startedAt ?? '';
  return (
    fitsName(name, filter) &&
    (!filter.namePrefix || name.startsWith(filter.namePrefix)) &&
    (!filter.excludedNamespace || namespace !== filter.excludedNamespace) &&
    (!filter.minStartedAt || Date.parse(started) >= Date.parse(filter.minStartedAt)) &&
    (!filter.maxStartedAt || Date.parse(started) <= Date.parse(filter.maxStartedAt)) &&
    (!filter.createdAfter || Date.parse(String(creationTimestamp)) >= Date.parse(filter.createdAfter)) &&
    (!filter.finishedBefore || Date.parse(status?.finishedAt ?? '') <= Date.parse(filter.finishedBefore))
  );
}

function fitsName(name: string, { name: wanted, nameFilter }: FlowFilter): boolean {
  if (!wanted) return true;
  switch (nameFilter) {
    case 'Contains':
      return name.includes(wanted);
    case 'Prefix':
      return name.startsWith(wanted);
    case 'NotEquals':
      return name !== wanted;
    default:
      return name === wanted;
  }
}

function newestFirst(a: Stored, b: Stored): number {
  // what has not begun is the newest
  const startOf = ({ status }: Stored) => (status?.startedAt ? Date.parse(status.startedAt) : Number.POSITIVE_INFINITY);
  const difference = startOf(b) - startOf(a);
  return Number.isNaN(difference) || difference === 0
    ? Date.parse(String(b.metadata.creationTimestamp)) - Date.parse(String(a.metadata.creationTimestamp))
    : difference;
}
