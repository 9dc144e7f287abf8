import { notFound } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Answer } from '../http/answer.ts';
import type { Wanted } from '../http/negotiate.ts';
import { itemFilter } from '../request/item-filter.ts';
import { listOptions } from '../request/list-options.ts';
import type { Operation } from '../request/operation.ts';
import { partialMetadata, tableOf } from './table.ts';

/** Answers get and list of ComponentStatuses, which are nowhere stored: the parts of the control plane that run in this process. */
export function componentStatuses(operation: Operation, query: URLSearchParams, wanted: Wanted): Answer {
  const { server, resource, info } = operation;
  const all = ['scheduler', 'controller-manager', 'etcd-0'].map((name) => componentStatus(name, server.components));
  const single = info.name ? all.find(({ metadata }) => metadata.name === info.name) : undefined;
  if (info.name && !single) throw notFound({ group: '', name: 'componentstatus' }, info.name);
  const filter = single ? undefined : itemFilter(resource, info, listOptions(query));
  const chosen = all.filter((object) => (single ? object === single : fits(object)));
  return { code: 200, body: JSON.stringify(form()) };

  function fits(object: KubeObject): boolean {
    return !filter || filter({ key: object.metadata.name ?? '', object });
  }

  function form(): unknown {
    const { version } = wanted;
    if (wanted.as === 'Table') {
      const sources = chosen.map((object) => ({ object }));
      return tableOf(resource, sources, {}, { include: query.get('includeObject'), now: server.clock.now(), version });
    }
    if (wanted.as !== 'object') {
      const metadata = chosen.map((object) => partialMetadata(object, version));
      const kind = 'PartialObjectMetadataList';
      return single ? metadata[0] : { kind, apiVersion: `meta.k8s.io/${version}`, metadata: {}, items: metadata };
    }
    const { listKind: kind, apiVersion } = resource;
    const items = chosen.map(({ metadata, conditions }) => ({ metadata, conditions }));
    return single ?? { kind, apiVersion, metadata: {}, items };
  }
}

/** Where a real cluster's control plane lets each part be asked for its health. */
const PORTS: Readonly<Record<string, number>> = { scheduler: 10259, 'controller-manager': 10257 };

function componentStatus(name: string, running: ReadonlySet<string>): KubeObject {
  const port = PORTS[name];
  const healthy = port === undefined || running.has(name);
  const gone = `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`;
  const condition = { type: 'Healthy', status: healthy ? 'True' : 'False', message: healthy ? 'ok' : gone };
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] };
}
