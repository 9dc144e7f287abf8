import type { ApplicationSet, ApplicationSetRolloutStep } from '@tiphys/api';
import { type Diagnosis, diagnose, nearestName, type Remedy } from '@tiphys/diagnosis';
import { strategyIgnored, strategyStepInvalid } from '../diagnoses/diagnoses.ts';
import { maxUpdateOf } from './steps.ts';

const types = ['AllAtOnce', 'RollingSync'] as const;
const operators = ['In', 'NotIn'];

/** What of `spec.strategy` is set and is not followed. */
export function strategyNotices(set: ApplicationSet, { progressiveSyncs }: { progressiveSyncs: boolean }): Diagnosis[] {
  const { strategy } = set.spec;
  if (!strategy) return [];
  const { type = '', rollingSync } = strategy;
  if (type !== '' && !types.some((known) => known === type))
    return [
      ignored(`spec.strategy is ignored: there is no type ${JSON.stringify(type)}`, 'spec.strategy.type', [
        `Write ${nearestName(type, types) ?? types.join(' or ')} as spec.strategy.type`,
      ]),
    ];
  if (type !== 'RollingSync')
    return rollingSync
      ? [
          ignored('spec.strategy.rollingSync is ignored: the type of the strategy is another', 'spec.strategy.type', [
            'Set spec.strategy.type: RollingSync, or remove rollingSync',
          ]),
        ]
      : [];
  if (!progressiveSyncs)
    return [
      ignored(
        'spec.strategy is ignored: progressive syncs are switched off, so that each Application syncs by itself',
        'spec.strategy',
        [
          {
            text: 'Switch progressive syncs on in the ConfigMap argocd-cmd-params-cm',
            paste: 'data:\n  applicationsetcontroller.enable.progressive.syncs: "true"',
          },
          'Or remove spec.strategy',
        ],
      ),
    ];
  return (rollingSync?.steps ?? []).flatMap(stepNotices);
}

/** A RollingSync without steps. The conditions of such a set are upstream's alone, so that no Notice tells this one. */
export function stepsNotice({ spec: { strategy } }: ApplicationSet): Diagnosis[] {
  if (strategy?.type !== 'RollingSync' || strategy.rollingSync?.steps?.length) return [];
  return [
    ignored(
      'spec.strategy is ignored: the RollingSync has no steps, so that each Application syncs by itself',
      'spec.strategy.rollingSync.steps',
      ['Add steps whose matchExpressions select the Applications, or remove spec.strategy'],
    ),
  ];
}

function ignored(message: string, field: string, remedies: readonly (Remedy | string)[]): Diagnosis {
  return diagnose(strategyIgnored, { message, place: { field }, remedies });
}

function stepNotices(step: ApplicationSetRolloutStep, index: number): Diagnosis[] {
  const field = `spec.strategy.rollingSync.steps[${index}]`;
  const odd = (step.matchExpressions ?? []).find(({ operator = '' }) => !operators.includes(operator));
  return [
    ...(odd
      ? [
          diagnose(strategyStepInvalid, {
            message: `Step ${index + 1} of the RollingSync has the operator ${JSON.stringify(odd.operator ?? '')}, which is none`,
            place: { field: `${field}.matchExpressions` },
            remedies: ['Use In or NotIn with values'],
          }),
        ]
      : []),
    // of a thousand Applications any share that is not nothing is at least one
    ...(maxUpdateOf(step, 1000) === 0
      ? [
          diagnose(strategyStepInvalid, {
            message: `Step ${index + 1} of the RollingSync never syncs anything: maxUpdate is ${JSON.stringify(step.maxUpdate)}`,
            place: { field: `${field}.maxUpdate` },
            remedies: [
              'Write a whole number above 0, or a share such as 25%; without maxUpdate all are synced at once',
            ],
          }),
        ]
      : []),
  ];
}
