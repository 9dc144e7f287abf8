import type { AntiAffinity, IntOrString, LabelSelector, Rollout } from '@tiphys/api';
import { progressDeadlineSeconds, replicasOf, revisionHistoryLimit } from '../objects/rollout.ts';
import { type FieldError, internal, invalid, nonNegative, required } from './field-error.ts';
import { validateRouting } from './validate-routing.ts';
import { validateSteps } from './validate-steps.ts';

/** What is wrong with a Rollout by itself, in upstream's words and order; `rollout` has its template resolved. */
export function validateSpec(rollout: Rollout, options: { templateIsBorrowed: boolean }): FieldError[] {
  const { spec } = rollout;
  return [
    ...nonNegative('spec.replicas', replicasOf(rollout)),
    ...(spec.workloadRef ? [] : validateSelector(spec.selector)),
    ...(!options.templateIsBorrowed && spec.workloadRef && hasTemplateMetadata(rollout)
      ? [internal('spec.template', 'template must be empty for workload reference rollout')]
      : []),
    ...(options.templateIsBorrowed || !spec.workloadRef ? validateTemplate(rollout) : []),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds ?? 0),
    ...nonNegative('spec.revisionHistoryLimit', revisionHistoryLimit(rollout)),
    ...validateDeadline(rollout),
    ...validateStrategy(rollout),
  ];
}

/** Whether a Rollout that borrows its template brings one of its own. */
export function hasTemplateMetadata({ spec: { template } }: Rollout): boolean {
  const { labels = {}, annotations = {} } = template?.metadata ?? {};
  return Object.keys(labels).length + Object.keys(annotations).length > 0;
}

function validateSelector(selector: LabelSelector | undefined): FieldError[] {
  if (!selector) return [required('spec.selector', "Rollout has missing field '.spec.selector'")];
  if (Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length > 0) return [];
  return [invalid('spec.selector', selector, 'empty selector is invalid for deployment')];
}

function validateTemplate({ spec: { selector, template, workloadRef } }: Rollout): FieldError[] {
  const labels = template?.metadata?.labels;
  const errors: FieldError[] = [];
  if (selector ? !selects(selector, labels ?? {}) : !workloadRef)
    errors.push(
      invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`', {
        remedies: [
          `Give the template the labels that spec.selector asks for: ${JSON.stringify(selector?.matchLabels ?? selector)}`,
        ],
      }),
    );
  const containers = template?.spec?.containers;
  if (!Array.isArray(containers) || containers.length === 0) errors.push(required('spec.template.spec.containers', ''));
  return errors.map((error) => ({ ...error, message: error.message.replace(/: $/, '') }));
}

/** Whether a selector matches labels. */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Record<string, string>,
): boolean {
  if (Object.entries(matchLabels).some(([key, value]) => labels[key] !== value)) return false;
  return matchExpressions.every(({ key, operator, values = [] }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    const isIn = value !== undefined && values.includes(value);
    return operator === 'In' ? isIn : !isIn;
  });
}

function validateDeadline(rollout: Rollout): FieldError[] {
  const path = 'spec.progressDeadlineSeconds';
  const seconds = progressDeadlineSeconds(rollout);
  if (seconds > (rollout.spec.minReadySeconds ?? 0)) return nonNegative(path, seconds);
  const wait = rollout.spec.minReadySeconds ?? 0;
  return [
    ...nonNegative(path, seconds),
    invalid(path, seconds, 'must be greater than minReadySeconds', {
      remedies: [`Set ${path} to more than ${wait}, or spec.minReadySeconds to less than ${seconds}`],
    }),
  ];
}

function validateStrategy(rollout: Rollout): FieldError[] {
  const { blueGreen, canary } = rollout.spec.strategy;
  const path = 'spec.strategy';
  if (!blueGreen && !canary)
    return [
      required(`${path}.strategy`, "Rollout has missing field '.spec.strategy.canary or .spec.strategy.blueGreen'", {
        remedies: ['Set spec.strategy.canary or spec.strategy.blueGreen'],
      }),
    ];
  if (blueGreen && canary)
    return [
      invalid(`${path}.strategy`, 'blueGreen: true canary: true', 'Multiple Strategies can not be listed', {
        remedies: ['Remove one of spec.strategy.canary and spec.strategy.blueGreen'],
      }),
    ];
  return blueGreen ? validateBlueGreen(rollout) : validateCanary(rollout);
}

function validateBlueGreen(rollout: Rollout): FieldError[] {
  const {
    activeService,
    previewService,
    scaleDownDelayRevisionLimit: limit,
    antiAffinity,
  } = rollout.spec.strategy.blueGreen ?? { activeService: '' };
  const errors: FieldError[] = [];
  if ((activeService ?? '') === (previewService ?? ''))
    errors.push(
      invalid(
        'spec.strategy.activeService',
        activeService ?? '',
        'This rollout uses the same service for the active and preview services, but two different services are required.',
        {
          remedies: [
            activeService
              ? `Create a second Service like ${activeService}, and name it in spec.strategy.blueGreen.previewService`
              : 'Name the Service of users in spec.strategy.blueGreen.activeService',
          ],
        },
      ),
    );
  if (limit !== undefined && revisionHistoryLimit(rollout) < limit)
    errors.push(
      invalid(
        'spec.strategy.scaleDownDelayRevisionLimit',
        limit,
        "This rollout's revision history limit can not be smaller than the rollout's scale down limit",
      ),
    );
  return [...errors, ...validateAntiAffinity(antiAffinity)];
}

function validateCanary(rollout: Rollout): FieldError[] {
  const { canary } = rollout.spec.strategy;
  if (!canary) return [];
  return [
    ...validateSurge(canary.maxSurge, canary.maxUnavailable),
    ...validateRouting(rollout, canary),
    ...validateSteps(rollout, canary),
    ...validateAntiAffinity(canary.antiAffinity),
  ];
}

function validateSurge(surge: IntOrString = '25%', unavailable: IntOrString = '25%'): FieldError[] {
  if (plainNumber(surge) !== 0 || plainNumber(unavailable) !== 0) return [];
  return [
    invalid('spec.strategy.maxSurge', surge, 'MaxSurge and MaxUnavailable both can not be zero', {
      remedies: [
        'Set spec.strategy.canary.maxSurge or spec.strategy.canary.maxUnavailable to 1 or more, or to a percentage',
      ],
    }),
  ];
}

function plainNumber(value: IntOrString): number {
  return typeof value === 'number' ? value : Number.parseInt(value, 10) || 0;
}

function validateAntiAffinity(rule: AntiAffinity | undefined): FieldError[] {
  if (!rule) return [];
  const path = 'spec.strategy.antiAffinity';
  const {
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
    requiredDuringSchedulingIgnoredDuringExecution: demanded,
  } = rule;
  const errors: FieldError[] = [];
  if (Boolean(preferred) === Boolean(demanded))
    errors.push(
      invalid(
        path,
        `antiAffinity.PreferredDuringSchedulingIgnoredDuringExecution: ${Boolean(preferred)} antiAffinity.RequiredDuringSchedulingIgnoredDuringExecution: ${Boolean(demanded)}`,
        'AntiAffinity must have exactly one strategy listed',
      ),
    );
  if (preferred && (preferred.weight < 1 || preferred.weight > 100))
    errors.push(invalid(`${path}.weight`, preferred.weight, 'AntiAffinity weight must be between 1-100'));
  return errors;
}
