import {
  type AnalysisTemplate,
  analysisRunFromTemplates,
  gatherTemplates,
  rolloutArguments,
  type TemplateSet,
} from '@tiphys/analysis';
import { type Rollout, type RolloutAnalysis, rolloutNames } from '@tiphys/api';
import { DiagnosisError, diagnosisOf } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Service } from '../objects/kinds.ts';
import { type FieldError, invalid } from './field-error.ts';

/** Looks up what a Rollout refers to, in its namespace. */
export interface References {
  service(name: string): Service | undefined;
  template(name: string, clusterScope: boolean): AnalysisTemplate | undefined;
}

/** What is wrong with what a Rollout refers to: missing first, then what does not fit. */
export function validateReferences(rollout: Rollout, references: References): FieldError[] {
  return [...validateServices(rollout, references), ...validateAnalyses(rollout, references)];
}

/** The Services of a Rollout's strategy, by the fields that name them. */
export function servicesOf({ spec: { strategy } }: Rollout): { path: string; name: string }[] {
  const { blueGreen, canary } = strategy;
  const named = blueGreen
    ? { 'blueGreen.activeService': blueGreen.activeService, 'blueGreen.previewService': blueGreen.previewService }
    : {
        'canary.stableService': canary?.stableService,
        'canary.canaryService': canary?.canaryService,
        'canary.pingPong.pingService': canary?.pingPong?.pingService,
        'canary.pingPong.pongService': canary?.pingPong?.pongService,
      };
  return Object.entries(named).flatMap(([field, name]) => (name ? [{ path: `spec.strategy.${field}`, name }] : []));
}

function validateServices(rollout: Rollout, references: References): FieldError[] {
  const found = servicesOf(rollout).map((named) => ({ ...named, service: references.service(named.name) }));
  const missing = found.find(({ service }) => !service);
  if (missing)
    return [
      invalid(missing.path, missing.name, `service "${missing.name}" not found`, {
        isMissing: true,
        remedies: [
          `Create Service ${missing.name} in namespace ${rollout.metadata.namespace}, or correct the name in ${missing.path}`,
        ],
      }),
    ];
  const labels = rollout.spec.template?.metadata?.labels ?? {};
  return found.flatMap(({ path, service }) => validateService(rollout, { path, service: service as Service, labels }));
}

/** What is wrong with a Service that a field of a Rollout names. */
export function validateService(
  rollout: Rollout,
  { path, service, labels }: { path: string; service: Service; labels: Record<string, string> },
): FieldError[] {
  const name = service.metadata.name ?? '';
  const errors = Object.entries(service.spec.selector ?? {})
    .filter(([key, value]) => key !== rolloutNames.labels.podTemplateHash && labels[key] !== value)
    .map(([key, value]) =>
      invalid(path, name, `Service "${name}" has unmatch label "${key}" in rollout`, {
        remedies: [
          `Set spec.template.metadata.labels.${key} to ${JSON.stringify(value)}, or correct the selector of Service ${name}: it leads to no pod of the Rollout`,
        ],
      }),
    );
  const managedBy = service.metadata.annotations?.[rolloutNames.annotations.managedByRollouts];
  if (managedBy !== undefined && managedBy !== rollout.metadata.name)
    errors.push(
      invalid(path, name, `Service "${name}" is managed by another Rollout`, {
        remedies: [
          `Name a Service that Rollout ${managedBy} does not have, or, where that Rollout is no more, take the annotation off: kubectl annotate service ${name} -n ${rollout.metadata.namespace} ${rolloutNames.annotations.managedByRollouts}-`,
        ],
      }),
    );
  return errors;
}

interface NamedAnalysis {
  readonly path: string;
  readonly analysis: RolloutAnalysis;
  readonly isBackground?: boolean;
}

function analysesOf({ spec: { strategy } }: Rollout): NamedAnalysis[] {
  const { blueGreen, canary } = strategy;
  const base = 'spec.strategy';
  if (blueGreen)
    return [
      { path: `${base}.blueGreen.prePromotionAnalysis.templates`, analysis: blueGreen.prePromotionAnalysis },
      { path: `${base}.blueGreen.postPromotionAnalysis.templates`, analysis: blueGreen.postPromotionAnalysis },
    ].filter((named): named is NamedAnalysis => named.analysis !== undefined);
  const inline = (canary?.steps ?? []).flatMap(({ analysis }, index) =>
    analysis ? [{ path: `${base}.canary.steps[${index}].analysis.templates`, analysis }] : [],
  );
  const background = canary?.analysis;
  return background
    ? [...inline, { path: `${base}.canary.analysis.templates`, analysis: background, isBackground: true }]
    : inline;
}

function validateAnalyses(rollout: Rollout, references: References): FieldError[] {
  return analysesOf(rollout).flatMap((named) => {
    let missing = '';
    let set: TemplateSet;
    try {
      set = gatherTemplates(named.analysis.templates ?? [], (name, clusterScope) => {
        const template = references.template(name, clusterScope);
        if (!template) missing = name;
        return template;
      });
    } catch (error) {
      return [
        invalid(named.path, missing, sentenceOf(error), {
          isMissing: missing !== '',
          remedies:
            missing === ''
              ? remediesOf(error, named.path)
              : [
                  `Create the template ${missing} in namespace ${rollout.metadata.namespace}, or correct the name in ${named.path}`,
                ],
        }),
      ];
    }
    return validateAnalysis(rollout, named, set);
  });
}

function validateAnalysis(
  rollout: Rollout,
  { path, analysis, isBackground }: NamedAnalysis,
  set: TemplateSet,
): FieldError[] {
  const names = [...set.templates, ...set.clusterTemplates].map(({ metadata }) => metadata.name);
  const args = readableArguments(rollout, analysis);
  try {
    if (names.length > 0)
      analysisRunFromTemplates({
        ...set,
        args,
        dryRun: analysis.dryRun ?? [],
        measurementRetention: analysis.measurementRetention ?? [],
        metadata: {},
      });
  } catch (error) {
    return [
      invalid(path, `templateNames: [${names.join(' ')}]`, sentenceOf(error), { remedies: remediesOf(error, path) }),
    ];
  }
  return isBackground ? [] : [...set.templates, ...set.clusterTemplates].flatMap((template) => endless(path, template));
}

/** The arguments as far as they can be read before there is anything to read them of. */
function readableArguments(rollout: Rollout, { args = [] }: RolloutAnalysis) {
  return args.map((arg) => {
    try {
      const [read] = rolloutArguments([arg], {
        rollout,
        stableHash: 'dummy-stable-hash',
        latestHash: 'dummy-new-hash',
      });
      return read ?? { name: arg.name, value: '' };
    } catch {
      return { name: arg.name, value: '' };
    }
  });
}

/** An analysis that something waits for must end. */
function endless(path: string, { metadata, spec }: AnalysisTemplate): FieldError[] {
  const name = metadata.name ?? '';
  return (spec.metrics ?? [])
    .filter(({ count, interval }) => interval && Number(count ?? 0) === 0)
    .map((metric) =>
      invalid(
        path,
        name,
        `AnalysisTemplate ${name} has metric ${metric.name} which runs indefinitely. Invalid value for count: ${metric.count ?? '<nil>'}`,
        {
          remedies: [
            `Give metric ${metric.name} of AnalysisTemplate ${name} a count, or name the template in spec.strategy.canary.analysis, which runs beside the steps without end`,
          ],
        },
      ),
    );
}

function remediesOf(error: unknown, path: string): string[] {
  const told = diagnosisOf(error).remedies.map(({ text }) => text);
  return told.length > 0 ? told : [`Correct the templates that ${path} names, or the arguments that it gives them`];
}

function sentenceOf(error: unknown): string {
  return error instanceof DiagnosisError ? error.diagnosis.message : diagnosisOf(error).message;
}

/** Whether a backend of an Ingress' rules is a Service. */
export function hasRuleWithService(ingress: KubeObject, service: string): boolean {
  const rules = ((ingress.spec as { rules?: unknown[] } | undefined)?.rules ?? []) as {
    http?: { paths?: { backend?: { service?: { name?: string } } }[] };
  }[];
  return rules.some(({ http }) => (http?.paths ?? []).some(({ backend }) => backend?.service?.name === service));
}
