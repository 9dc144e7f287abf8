import { rolloutArguments } from '@tiphys/analysis';
import type { AnalysisRunArgument, CanaryStep, CanaryStrategy, Rollout, StringMatch } from '@tiphys/api';
import { maxTrafficWeight, pauseSeconds } from '../objects/rollout.ts';
import { type FieldError, invalid, required } from './field-error.ts';

const invalidStep = 'Step must have one of the following set: experiment, setWeight, setCanaryScale, plugin or pause';

interface StepPlace {
  readonly rollout: Rollout;
  readonly canary: CanaryStrategy;
  readonly path: string;
}

export function validateSteps(rollout: Rollout, canary: CanaryStrategy): FieldError[] {
  return (canary.steps ?? []).flatMap((step, index) => {
    const place = { rollout, canary, path: `spec.strategy.steps[${index}]` };
    return [
      ...validateKinds(step, place),
      ...validateNumbers(step, place),
      ...validateHeaderRoute(step, place),
      ...validateMirrorRoute(step, place),
      ...validateManagedRoutes(step, place),
      ...validateExperiment(step, place),
      ...validateArguments(step, place),
    ];
  });
}

function validateKinds(step: CanaryStep, { path }: StepPlace): FieldError[] {
  const errors: FieldError[] = [];
  const exclusive = [step.setWeight, step.pause, step.experiment, step.analysis];
  if (exclusive.filter((kind) => kind !== undefined).length > 1) {
    const [weight, pause, experiment, analysis] = exclusive.map((kind) => kind !== undefined);
    const found = `step.Experiment: ${experiment} step.Pause: ${pause} step.SetWeight: ${weight} step.Analysis: ${analysis}`;
    errors.push(invalid(path, found, invalidStep));
  }
  const kinds = {
    Experiment: step.experiment,
    Pause: step.pause,
    SetWeight: step.setWeight,
    Analysis: step.analysis,
    SetCanaryScale: step.setCanaryScale,
    SetHeaderRoute: step.setHeaderRoute,
    SetMirrorRoute: step.setMirrorRoute,
    Plugin: step.plugin,
  };
  if (Object.values(kinds).every((kind) => kind === undefined))
    errors.push(
      invalid(
        path,
        Object.keys(kinds)
          .map((kind) => `step.${kind}: true`)
          .join(' '),
        invalidStep,
      ),
    );
  return errors;
}

function validateNumbers(step: CanaryStep, { rollout, canary, path }: StepPlace): FieldError[] {
  const errors: FieldError[] = [];
  const most = maxTrafficWeight(rollout);
  if (step.setWeight !== undefined && (step.setWeight < 0 || step.setWeight > most))
    errors.push(invalid(`${path}.setWeight`, step.setWeight, `SetWeight needs to be between 0 and ${most}`));
  if (step.pause && pauseSeconds(step.pause) < 0)
    errors.push(invalid(`${path}.pause.duration`, pauseSeconds(step.pause), 'Duration needs to be greater than 0'));
  if (step.setCanaryScale && !canary.trafficRouting)
    errors.push(
      required('spec.strategy.trafficRouting', 'SetCanaryScale requires TrafficRouting to be set', {
        remedies: [
          'Add spec.strategy.canary.trafficRouting, or use setWeight, by which pods are counted without a router',
        ],
      }),
    );
  return errors;
}

function hasPlugins({ trafficRouting }: CanaryStrategy): boolean {
  return Object.keys(trafficRouting?.plugins ?? {}).length > 0;
}

function validateHeaderRoute({ setHeaderRoute: route }: CanaryStep, { canary, path }: StepPlace): FieldError[] {
  if (!route) return [];
  const routing = canary.trafficRouting;
  if (!(routing?.istio || routing?.alb || routing?.apisix || hasPlugins(canary)))
    return [
      invalid(
        `${path}.setHeaderRoute`,
        route,
        'SetHeaderRoute requires TrafficRouting, supports Istio and ALB and Apisix',
      ),
    ];
  return (route.match ?? []).flatMap(({ headerValue }, index) => {
    const at = `${path}.setHeaderRoute.match[${index}]`;
    return routing?.alb ? validateAlbMatch(headerValue, at) : validateMatch(headerValue, at);
  });
}

function validateMirrorRoute({ setMirrorRoute: route }: CanaryStep, { canary, path }: StepPlace): FieldError[] {
  if (!route) return [];
  const errors: FieldError[] = [];
  if (!(canary.trafficRouting?.istio || hasPlugins(canary)))
    errors.push(
      invalid(`${path}.setMirrorRoute`, route, 'SetMirrorRoute requires TrafficRouting, supports Istio and Plugins'),
    );
  const matches = (route.match ?? []).flatMap(({ method, path: target }, index) =>
    [method, target]
      .filter((match) => match !== undefined)
      .flatMap((match) => validateMatch(match, `${path}.setMirrorRoute.match[${index}]`)),
  );
  return [...errors, ...matches];
}

const noValue = 'StringMatch value missed, match value must have one of the following: exact, regex, prefix';

function validateAlbMatch(match: StringMatch | undefined, path: string): FieldError[] {
  if (!match) return [invalid(path, match, noValue)];
  if (match.exact && !match.regex && !match.prefix) return [];
  return [invalid(path, match, "SetHeaderRoute match value invalid. ALB supports 'exact' value only")];
}

function validateMatch(match: StringMatch | undefined, path: string): FieldError[] {
  const given = [match?.exact, match?.regex, match?.prefix].filter(Boolean).length;
  if (given === 0) return [invalid(path, match, noValue)];
  if (given === 1) return [];
  return [invalid(path, match, 'StringMatch match value must have exactly one of the following: exact, regex, prefix')];
}

function validateManagedRoutes(step: CanaryStep, { canary, path }: StepPlace): FieldError[] {
  const routing = canary.trafficRouting;
  const named = [
    step.setHeaderRoute && { field: 'setHeaderRoute', name: step.setHeaderRoute.name ?? '' },
    step.setMirrorRoute && { field: 'setMirrorRoute', name: step.setMirrorRoute.name },
  ].filter((route) => route !== undefined);
  if (!routing || named.length === 0) return [];
  const managed = routing.managedRoutes;
  if (!managed)
    return [
      required(
        'spec.strategy.trafficRouting.managedRoutes',
        "Rollout has missing field 'spec.strategy.canary.trafficRouting.managedRoutes'",
      ),
    ];
  return named
    .filter(({ name }) => !managed.some((route) => route.name === name))
    .map(({ field, name }) =>
      invalid(
        `${path}.${field}`,
        name,
        'Steps define a route that does not exist in spec.strategy.canary.trafficRouting.managedRoutes',
        { remedies: [`Add {name: ${name}} to spec.strategy.canary.trafficRouting.managedRoutes`] },
      ),
    );
}

function validateExperiment({ experiment }: CanaryStep, { canary, path }: StepPlace): FieldError[] {
  const routing = canary.trafficRouting;
  if (!experiment || routing?.alb || routing?.smi || routing?.istio || hasPlugins(canary)) return [];
  const message = routing
    ? 'Experiment template weight is only available for TrafficRouting with SMI, ALB, Istio and Plugins at this time'
    : 'Experiment template weight cannot be set unless TrafficRouting is enabled';
  return (experiment.templates ?? []).flatMap(({ weight }, index) =>
    weight === undefined ? [] : [invalid(`${path}.experiment.templates[${index}].weight`, weight, message)],
  );
}

function validateArguments(step: CanaryStep, { rollout, path }: StepPlace): FieldError[] {
  const args: AnalysisRunArgument[] = [
    ...(step.experiment?.analyses ?? []).flatMap((analysis) => analysis.args ?? []),
    ...(step.analysis?.args ?? []),
  ];
  const wrong = args.filter(
    (arg) => arg.valueFrom?.fieldRef?.fieldPath.startsWith('metadata') && !canBeRead(arg, rollout),
  );
  return wrong.map(() =>
    invalid(
      `${path}.analyses`,
      args,
      'Analyses arguments must refer to valid object metadata supported by downwardAPI',
    ),
  );
}

function canBeRead(arg: AnalysisRunArgument, rollout: Rollout): boolean {
  try {
    rolloutArguments([arg], { rollout, stableHash: '', latestHash: '' });
    return true;
  } catch {
    return false;
  }
}
