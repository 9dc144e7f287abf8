import type { ExtraMetadata } from '@tiphys/api';
import { mergePatch } from '@tiphys/controller';
import { isNotFound } from '@tiphys/kubernetes';
import { notedMetadata, withMetadata, withPodMetadata } from '../../objects/ephemeral-metadata.ts';
import { hashOf, otherSets, type ReplicaSet, wanted } from '../../objects/replica-set.ts';
import type { Turn } from '../turn.ts';

/** What the pods of a new and of a stable revision carry as long as they are that. */
export function ephemeralMetadata(turn: { rollout: Turn['rollout'] }): {
  fresh: ExtraMetadata | undefined;
  stable: ExtraMetadata | undefined;
} {
  const { canary, blueGreen } = turn.rollout.spec.strategy;
  return {
    fresh: canary ? canary.canaryMetadata : blueGreen?.previewMetadata,
    stable: canary ? canary.stableMetadata : blueGreen?.activeMetadata,
  };
}

/** Puts the metadata on ReplicaSets and on their pods in place, and takes off what is no longer theirs. */
export async function syncEphemeralMetadata(turn: Turn): Promise<void> {
  const { fresh, stable } = ephemeralMetadata(turn);
  if (!fresh && !stable) return;
  const stableHash = turn.status.stableRS ?? '';
  const isPromoted = stableHash === '' || stableHash === hashOf(turn.desired);
  await sync(turn, turn.desired, isPromoted ? stable : fresh);
  if (!isPromoted && turn.stable) await sync(turn, turn.stable, stable);
  for (const set of otherSets(turn.sets)) await sync(turn, set, undefined);
}

async function sync(turn: Turn, set: ReplicaSet, metadata: ExtraMetadata | undefined): Promise<void> {
  const earlier = notedMetadata(set);
  const next = withPodMetadata(set, metadata);
  const stored = next === set ? set : await turn.change(set, next);
  if (wanted(stored) === 0) return;
  const { client } = turn.context.cluster;
  for (const pod of turn.podsOf(set)) {
    const after = withMetadata(pod.metadata, { earlier, wanted: metadata });
    if (after === pod.metadata) continue;
    const { name = '', namespace = '' } = pod.metadata;
    try {
      await client.patch({ apiVersion: 'v1', kind: 'Pod', namespace, name }, 'merge', {
        metadata: mergePatch(pod.metadata, after),
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
