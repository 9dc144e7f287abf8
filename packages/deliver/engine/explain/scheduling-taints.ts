import type { Diagnosis } from '@tiphys/diagnosis';
import { ApiError } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { objectsAt, textAt } from '../model/fields.ts';

const most = 500;
const listed = 5;

/** The diagnosis of a pod that taints keep from nodes, with these taints as evidence: the scheduler does not name them all. */
export async function withTaints(
  diagnosis: Diagnosis,
  { client }: ClusterCache,
  signal: AbortSignal | undefined,
): Promise<Diagnosis> {
  if (!/untolerated taint/.test(diagnosis.message)) return diagnosis;
  try {
    const { items } = await client.list(
      { apiVersion: 'v1', kind: 'Node' },
      { limit: most, ...(signal ? { signal } : {}) },
    );
    const nodesOf = new Map<string, string[]>();
    for (const node of items)
      for (const taint of objectsAt(node, 'spec', 'taints')) {
        const value = textAt(taint, 'value');
        const text = `${textAt(taint, 'key')}${value ? `=${value}` : ''}:${textAt(taint, 'effect')}`;
        if (text.endsWith(':PreferNoSchedule')) continue;
        nodesOf.set(text, [...(nodesOf.get(text) ?? []), node.metadata.name ?? '']);
      }
    if (nodesOf.size === 0) return diagnosis;
    const value = [...nodesOf]
      .slice(0, listed)
      .map(([taint, nodes]) => `${taint} on ${nodes.slice(0, listed).join(', ')}${nodes.length > listed ? ', …' : ''}`)
      .join('; ');
    return { ...diagnosis, evidence: [...diagnosis.evidence, { name: 'taints', value }] };
  } catch (error) {
    signal?.throwIfAborted();
    // without the right to read nodes there is less to tell, and nothing fails
    if (!(error instanceof ApiError)) throw error;
    return diagnosis;
  }
}
