import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, selectorMatches, selectorQuery } from '@tiphys/kubernetes';
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
export function overlapNotice({ key }: ComparedResource, { resources, cache }: NoticeContext): Diagnosis | undefined {
  const own = cache.node(key);
  if (!own?.selection || own.deleting) return undefined;
  const others = cache.inNamespace(key.namespace).filter((other) => other.id !== own.id && overlap(own, other));
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

const isAmong = (resources: readonly ComparedResource[], { key }: CachedNode): boolean =>
  resources.some(
    (each) =>
      each.key.name === key.name &&
      each.key.kind === key.kind &&
      each.key.group === key.group &&
      each.key.namespace === key.namespace,
  );

const labelsOf = ({ selection }: CachedNode): string =>
  Object.entries(selection?.labels ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
