import { type PodTemplate, type Rollout, rolloutNames } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { isControlledBy } from '../objects/kinds.ts';
import { type ReplicaSet, revisionOf } from '../objects/replica-set.ts';
import { templateOf } from '../template/find-desired.ts';
import { isSameTemplate } from '../template/same-template.ts';
import { noRevision } from './refusals.ts';

/** The template that a revision had, without the hash label; 0 is the revision before the newest one. Throws if it is gone. */
export function templateOfRevision(
  rollout: Rollout,
  sets: readonly ReplicaSet[],
  revision: number,
): { revision: number; template: PodTemplate } {
  const newestFirst = sets
    .filter((set) => isControlledBy(set, rollout))
    .sort((a, b) => revisionOf(b) - revisionOf(a) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''));
  const set = revision === 0 ? newestFirst[1] : newestFirst.find((each) => revisionOf(each) === revision);
  if (!set) throw gone(rollout, newestFirst, revision);
  const { metadata = {}, ...template } = templateOf(set);
  const { [rolloutNames.labels.podTemplateHash]: _, ...labels } = metadata.labels ?? {};
  return { revision: revisionOf(set), template: { metadata: { ...metadata, labels }, ...template } };
}

/** Whether there is nothing to undo, since the template is the wanted one already. */
export function isUndone({ spec }: Rollout, template: PodTemplate): boolean {
  return spec.template !== undefined && isSameTemplate(template, spec.template);
}

/** A JSON patch that puts the template in place of the present one of a Rollout or a workload. */
export function undoPatch(kind: string, template: PodTemplate): unknown {
  return [{ op: 'replace', path: kind === 'PodTemplate' ? '/template' : '/spec/template', value: template }];
}

function gone({ metadata }: Rollout, sets: readonly ReplicaSet[], revision: number): Error {
  const name = metadata.name ?? '';
  const there = sets.map(revisionOf).join(', ') || 'none';
  return failure(noRevision, {
    message: `${name} has no ${revision === 0 ? 'earlier revision' : `revision ${revision}`} to go back to`,
    place: { object: `Rollout ${metadata.namespace ?? ''}/${name}` },
    evidence: { 'revisions that are there': there },
    remedies: [
      revision === 0
        ? 'give the earlier template, for instance by a commit that takes the change back'
        : 'name one of the revisions that are there',
      'raise spec.revisionHistoryLimit, so that more of them are kept',
    ],
  });
}
