import type { Node } from '@tiphys/kube-controllers';
import { behaviorAnnotation } from './kubelet/pod-behavior.ts';

/** What the annotation `sandbox.tiphys.dev/behavior` of a node can say; several with commas. */
const words = ['lost', 'not-ready', 'memory-pressure', 'disk-pressure', 'pid-pressure'] as const;

type NodeBehavior = (typeof words)[number];

/** What a node is told to do: `lost` says nothing any more and leaves its pods alone, the others it reports. */
export function nodeBehaviors(node: Node | undefined): ReadonlySet<NodeBehavior> {
  const given = (node?.metadata.annotations?.[behaviorAnnotation] ?? '').split(',').map((word) => word.trim());
  return new Set(words.filter((word) => given.includes(word)));
}
