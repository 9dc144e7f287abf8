import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, keyString, selectorMatches, selectorQuery } from '@tiphys/kubernetes';
import type { CachedNode } from '../cache/cached-node.ts';
import type { ComparedResource } from '../model/model.ts';
import type { NoticeContext } from './notice.ts';

const selectorsOverlap = defineDiagnosis(
  'SelectorsOverlap',
  'Two Deployments or Rollouts of a namespace select the pods of each other, so that they fight over ReplicaSets and pods',
);

/**
 * A Deployment or Rollout whose pods another one of the namespace selects too, whoever delivers it. Of two of one application
 * the first one tells of it.
 */
export function overlapNotice({ key }: ComparedResource, context: NoticeContext): Diagnosis | undefined {
  const { resources, cache } = context;
  const own = cache.node(key);
  if (!own?.selection || own.deleting) return undefined;
  const others = selecting(key.namespace, context).filter((other) => other.id !== own.id && overlap(own, other));
  const [other] = others.filter((each) => !(each.id < own.id && isAmong(resources, each)));
  if (!other?.selection) return undefined;
  const [mine, its] = [own, other].map(({ selection }) => selectorQuery(selection?.selector ?? {}));
  const owner = other.instance ? `of Application ${other.instance.split(':')[0]}` : 'of no Application';
  return diagnose(selectorsOverlap, {
    message: `${key.kind} ${key.name} and ${other.key.kind} ${other.key.name} of namespace ${key.namespace} select the same pods: they take ReplicaSets and pods from each other, and Services, autoscalers and budgets count the pods of both`,
    place: { object: describeKey(key), field: 'spec.selector' },
    evidence: {
      [describeKey(key)]: `selects ${mine}; its pods have ${labelsOf(own)}`,
      [describeKey(other.key)]: `selects ${its}; its pods have ${labelsOf(other)}`,
      'the other one is': isAmong(resources, other) ? undefined : owner,
    },
    remedies: [
      'Give each of them a label of its own, in spec.selector and in spec.template.metadata.labels: selectors cannot be changed, so that one of the two has to be replaced',
      ...(key.kind === other.key.kind
        ? []
        : [
            'If the Rollout is to take over from the Deployment, remove the Deployment, scale it to 0, or name it in spec.workloadRef of the Rollout',
          ]),
    ],
  });
}

function overlap({ selection: own }: CachedNode, { selection: other, deleting }: CachedNode): boolean {
  if (!own || !other || deleting) return false;
  return selectorMatches(own.selector, other.labels) || selectorMatches(other.selector, own.labels);
}

const isAmong = (resources: readonly ComparedResource[], { id }: CachedNode): boolean =>
  resources.some((each) => keyString(each.key) === id);

/** By namespace, for as long as one comparison is explained: all of its Deployments ask for the same. */
const known = new WeakMap<NoticeContext, Map<string, readonly CachedNode[]>>();

/** Who selects pods in a namespace. */
function selecting(namespace: string, context: NoticeContext): readonly CachedNode[] {
  const namespaces = known.get(context) ?? new Map<string, readonly CachedNode[]>();
  known.set(context, namespaces);
  const found = namespaces.get(namespace) ?? context.cache.inNamespace(namespace).filter(({ selection }) => selection);
  namespaces.set(namespace, found);
  return found;
}

const labelsOf = ({ selection }: CachedNode): string =>
  Object.entries(selection?.labels ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
