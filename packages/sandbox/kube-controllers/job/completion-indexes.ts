import type { KubeObject } from '@tiphys/kubernetes';
import { indexAnnotation } from './job-model.ts';

/** Reads `0-2,5`; what is not below `completions` does not count. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!match) continue;
    const last = Math.min(Number(match[2] ?? match[1]), completions - 1);
    for (let index = Number(match[1]); index <= last; index++) indexes.add(index);
  }
  return indexes;
}

/** Writes as the status has it: two neighbours as `1,2`, more as `1-3`. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...indexes].sort((a, b) => a - b);
  for (let start = 0, end = 0; start < sorted.length; start = ++end) {
    while (sorted[end + 1] === (sorted[end] as number) + 1) end++;
    const [first, last] = [sorted[start] as number, sorted[end] as number];
    parts.push(first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`);
  }
  return parts.join(',');
}

/** The completion index of a pod; undefined when it has none that is valid. */
export function completionIndex(pod: KubeObject): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
