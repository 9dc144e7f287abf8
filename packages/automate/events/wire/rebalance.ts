import type { GroupPartitionsAssigner } from '@platformatic/kafka';

interface GroupSettings {
  readonly protocols: { name: string; version: number }[];
  readonly partitionAssigner?: GroupPartitionsAssigner;
}

/** How the members of a consumer group share partitions: `range` unless `roundrobin` is asked for, as upstream. */
export function rebalanceOptions(strategy: string | undefined): GroupSettings {
  if (strategy === 'roundrobin') return { protocols: [{ name: 'roundrobin', version: 1 }] };
  return { protocols: [{ name: 'range', version: 1 }], partitionAssigner: assignRanges };
}

/** Of each topic, every member that reads it gets consecutive partitions, the first members one more where they do not divide evenly. */
export const assignRanges: GroupPartitionsAssigner = (_current, members, topics, metadata) => {
  const shares = [...members.keys()].sort().map((memberId) => ({ memberId, assignments: new Map() }));
  for (const topic of topics) {
    const readers = shares.filter(({ memberId }) => members.get(memberId)?.topics?.includes(topic) ?? true);
    const count = metadata.topics.get(topic)?.partitionsCount ?? 0;
    const rest = count % readers.length;
    const least = (count - rest) / readers.length;
    for (const [index, { assignments }] of readers.entries()) {
      const from = index * least + Math.min(index, rest);
      const length = least + (index < rest ? 1 : 0);
      const partitions = Array.from({ length }, (_, at) => from + at);
      if (partitions.length > 0) assignments.set(topic, { topic, partitions });
    }
  }
  return shares;
};
