import type { Diagnosis } from '@tiphys/diagnosis';
import { describeKey } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { TreeNode } from '../model/model.ts';

/** Nodes that are listed, those with the most room first. */
const listed = 5;

/** The diagnosis of a pod that no node can take with what is free on the nodes as evidence; unchanged where nodes are not watched. */
export function withRoom(diagnosis: Diagnosis, branch: readonly TreeNode[], cache: ClusterCache): Diagnosis {
  if (!branch.some(({ key }) => describeKey(key) === diagnosis.place?.object)) return diagnosis;
  const rooms = cache.room();
  if (rooms.length === 0) return diagnosis;
  const text = rooms
    .sort((a, b) => b.memory - a.memory)
    .slice(0, listed)
    .map(({ name, cpu, memory }) => `${name}: cpu ${Math.floor(cpu)}m, memory ${Math.floor(memory / 2 ** 20)}Mi`)
    .join('; ');
  const more = rooms.length > listed ? `; and ${rooms.length - listed} more nodes` : '';
  return { ...diagnosis, evidence: [...diagnosis.evidence, { name: 'free on nodes', value: `${text}${more}` }] };
}
