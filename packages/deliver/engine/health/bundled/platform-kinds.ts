import type { KubeObject } from '@tiphys/kubernetes';
import { objectsAt, textAt, valueAt } from '../../model/fields.ts';
import { health } from '../conditions.ts';
import {
  type Check,
  type Checks,
  conditions,
  field,
  firstOf,
  forKinds,
  hasStatus,
  numberOr,
  own,
  when,
} from './check.ts';

const last = (object: KubeObject, type: string, status: string) =>
  objectsAt(object, 'status', 'conditions').findLast(
    (condition) => condition.type === type && condition.status === status,
  );

/** KEDA: the last of the conditions of a type tells, and what is degraded goes before all. */
function scaled(waiting: string, degraded: readonly (readonly [type: string, status: string])[]): Check {
  return (object) => {
    const list = objectsAt(object, 'status', 'conditions');
    const is = (condition: (typeof list)[number], pairs: typeof degraded) =>
      pairs.some(([type, status]) => condition.type === type && condition.status === status);
    const good = [
      ['Ready', 'True'],
      ['Paused', 'True'],
    ] as const;
    const told = textAt(
      list.findLast((one) => is(one, degraded) || is(one, good)),
      'message',
    );
    if (list.some((one) => is(one, degraded))) return health('Degraded', told);
    if (!last(object, 'Ready', 'True')) return health('Progressing', waiting);
    return health(last(object, 'Paused', 'True') ? 'Suspended' : 'Healthy', told);
  };
}

/** The list of the conditions, one a line, with their numbers. */
const numbered = (list: readonly Readonly<Record<string, unknown>>[]) =>
  list.map(({ type, status }, i) => `${i + 1}: ${type} | ${status}\n`).join('');

function knativeComponent(kind: string, needed: readonly string[], blocking: readonly string[]): Check {
  return (object) => {
    if (!Array.isArray(valueAt(object, 'status', 'conditions'))) return health('Progressing', `Waiting for ${kind}`);
    const list = objectsAt(object, 'status', 'conditions');
    const waits = ({ type, status }: (typeof list)[number]) =>
      status === 'Unknown' || (status === 'False' && blocking.includes(String(type)));
    if (list.some(waits)) return health('Progressing', numbered(list));
    const good = list.filter(({ type, status }) => status === 'True' && needed.includes(String(type))).length;
    return good === needed.length ? health('Healthy', `${kind} is healthy.`) : health('Degraded', numbered(list));
  };
}

const knativeService: Check = (object) => {
  if (!Array.isArray(valueAt(object, 'status', 'conditions')))
    return health('Progressing', 'Waiting for status update.');
  const list = objectsAt(object, 'status', 'conditions');
  const needed = ['ConfigurationsReady', 'RoutesReady', 'Ready'];
  const good = list.filter(({ type, status }) => status === 'True' && needed.includes(String(type))).length;
  const bad = list.filter(({ status }) => status === 'False' || status === 'Unknown');
  if (good === 3 && bad.length === 0) return health('Healthy', 'Knative Service is healthy.');
  const told = bad.map((one) => {
    const [reason, message] = [textAt(one, 'reason'), textAt(one, 'message')];
    return `${one.type} is ${one.status}${reason ? `, since ${reason}.` : ''}${message ? ` ${message}` : ''}\n`;
  });
  return health(bad.some(({ status }) => status === 'False') ? 'Degraded' : 'Progressing', told.join(''));
};

const inferenceService: Check = (object) => {
  const waiting = health('Progressing', 'Waiting for InferenceService to report status...');
  if (!Array.isArray(valueAt(object, 'status', 'conditions'))) return waiting;
  const list = objectsAt(object, 'status', 'conditions');
  if (last(object, 'Stopped', 'True')) return health('Suspended', 'InferenceService is Stopped');
  const transition = textAt(object, 'status', 'modelStatus', 'transitionStatus');
  const open = [...list.entries()].filter(([, { type, status }]) => status !== 'True' && type !== 'Stopped');
  const told = open.map(([i, one]) => {
    const [reason, message] = [textAt(one, 'reason'), textAt(one, 'message')];
    return ` | ${i + 1}: ${one.type} | ${one.status}${reason ? ` | ${reason}` : ''}${message ? ` | ${message}` : ''}`;
  });
  const moving = transition !== '' && transition !== 'UpToDate';
  const message = `${moving ? `0: transitionStatus | ${transition}` : ''}${told.join('')}`;
  if (moving && transition !== 'InProgress') return health('Degraded', message);
  const counted = list.some(({ type, status }) => status === 'Unknown' || (status === 'False' && type !== 'Stopped'));
  return moving || counted ? health('Progressing', message) : health('Healthy', 'InferenceService is healthy.');
};

/** Operator Lifecycle Manager: an approval by hand that is missing is no trouble once a version is installed. */
const subscription: Check = (object) => {
  if (!Array.isArray(valueAt(object, 'status', 'conditions')))
    return health('Progressing', 'An install plan for a subscription is pending installation');
  const list = [...objectsAt(object, 'status', 'conditions').entries()];
  const approval = list.some(
    ([, { type, status, reason }]) =>
      type === 'InstallPlanPending' && status === 'True' && reason === 'RequiresApproval',
  );
  const byHand = textAt(object, 'spec', 'installPlanApproval') === 'Manual';
  const waits = byHand && approval && valueAt(object, 'status', 'installedCSV') !== undefined;
  const counted = list.filter(([, { type }]) => !(waits && type === 'InstallPlanPending'));
  const is = (types: readonly string[]) =>
    counted.some(([, { type, status }]) => status === 'True' && types.includes(String(type)));
  const missing = counted.some(
    ([, { type, reason }]) => type === 'InstallPlanMissing' && reason !== 'ReferencedInstallPlanNotFound',
  );
  const state = valueAt(object, 'status', 'state');
  const degraded =
    is(['CatalogSourcesUnhealthy', 'InstallPlanFailed', 'ResolutionFailed']) || missing || state === 'UpgradeFailed';
  const upgrading = state === undefined || state === '' || state === 'UpgradeAvailable';
  const pending = is(['InstallPlanPending']) || upgrading || (state === 'UpgradePending' && !waits);
  const excused =
    state === 'UpgradePending' && waits ? ' (manual InstallPlan approval pending; treated as healthy)' : '';
  const told = counted.map(([i, { type, status }]) => `${i + 1}: ${type} | ${status}\n`).join('');
  const stateTold = state === undefined ? '.status.state not yet known' : `.status.state is '${state}'${excused}`;
  return health(degraded ? 'Degraded' : pending ? 'Progressing' : 'Healthy', `${told}${stateTold}\n`);
};

const keptn = (kind: string, name: string): Check =>
  firstOf(
    ['Progressing', `${kind} is progressing`],
    field(['status', name], {
      Succeeded: ['Healthy', `${kind} is healthy`],
      Failed: ['Degraded', `${kind} is degraded`],
    }),
  );

const keptnAnalysis: Check = ({ status }) => {
  if (valueAt(status, 'pass') === true) return health('Healthy', 'Analysis is healthy');
  if (valueAt(status, 'warning') === true) return health('Healthy', 'Analysis is healthy with warnings');
  return valueAt(status, 'pass') === false
    ? health('Degraded', 'Analysis is degraded')
    : health('Progressing', 'Analysis is progressing');
};

const keptnMetric: Check = ({ status }) => {
  if (textAt(status, 'errMsg')) return health('Degraded', 'KeptnMetric is degraded');
  return valueAt(status, 'value') === undefined
    ? health('Progressing', 'KeptnMetric is progressing')
    : health('Healthy', 'KeptnMetric is healthy');
};

/** Flagger; the lines of the message are joined with a separator. */
const canary: Check = (object) => {
  if (!hasStatus(object)) return health('Unknown', 'No status');
  const phase = textAt(object, 'status', 'phase');
  const weight = numberOr(0, object, 'status', 'canaryWeight');
  const told = objectsAt(object, 'status', 'conditions').map((one) => textAt(one, 'message'));
  if (weight > 0) told.unshift(`Canary Weight: ${weight} %`);
  const code = ['Progressing', 'Finalising', 'Promoting'].includes(phase)
    ? 'Progressing'
    : phase === 'Succeeded' || phase === 'Initialized'
      ? 'Healthy'
      : phase === 'Failed'
        ? 'Degraded'
        : 'Unknown';
  return health(code, `${phase}${separator}${told.join(separator)}`);
};
const separator = ' --- ';

const openFaas: Check = (object) => {
  const found = conditions(
    when('Ready', 'False', 'Degraded'),
    when('Stalled', 'True', 'Degraded'),
    when('Ready', 'True', 'Healthy'),
  )(object);
  if (found?.status === 'Healthy' && numberOr(0, object, 'status', 'replicas') === 0)
    return health('Suspended', 'No replicas available');
  return found ?? health('Progressing', 'Waiting for Function');
};

const spinApp: Check = (object) => {
  if (!hasStatus(object)) return health('Progressing', 'Waiting for status to be available');
  const list = objectsAt(object, 'status', 'conditions');
  const failed = list.find(
    (one) =>
      one.type === 'Progressing' &&
      one.status === 'False' &&
      (one.reason === 'ProgressDeadlineExceeded' || /timeout|failed/i.test(textAt(one, 'message'))),
  );
  if (failed) return health('Degraded', own('Application deployment has failed')(failed));
  const available = list.findLast(({ type }) => type === 'Available');
  if (available?.status !== 'True')
    return health('Degraded', available ? own('Application is not available')(available) : '');
  const [good, wanted] = [numberOr(0, object, 'status', 'readyReplicas'), numberOr(1, object, 'spec', 'replicas')];
  if (good < wanted) return health('Progressing', `Waiting for replicas to be ready (${good}/${wanted})`);
  const moving = last(object, 'Progressing', 'True');
  if (moving) return health('Progressing', own('Application progress status')(moving));
  return health('Healthy', `Application is healthy with ${good}/${wanted} replicas ready`);
};

const istioStates = [
  ['Unknown', 'Component is not present.'],
  ['Progressing', 'Component is being updated to a different version.'],
  ['Progressing', 'Controller has started but not yet completed reconciliation loop for the component.'],
  ['Healthy', 'Component is healthy.'],
  ['Degraded', 'Component is in an error state.'],
] as const;
const istioNames = ['NONE', 'UPDATING', 'RECONCILING', 'HEALTHY', 'ERROR'];

/** Kinds of platforms on which applications run. */
export const platformKinds: Checks = {
  'core.spinkube.dev/SpinApp': spinApp,
  'flagger.app/Canary': canary,
  'install.istio.io/IstioOperator': firstOf(
    ['Progressing', 'Waiting for Istio Control Plane'],
    field(
      ['status', 'status'],
      Object.fromEntries(
        istioStates.flatMap((state, i) => [[String(i), state] as const, [istioNames[i] ?? '', state] as const]),
      ),
    ),
  ),
  'keda.sh/ScaledJob': scaled('Waiting for ScaledJob', [
    ['Ready', 'False'],
    ['Ready', 'Unknown'],
  ]),
  'keda.sh/ScaledObject': scaled('Creating HorizontalPodAutoscaler Object', [
    ['Ready', 'False'],
    ['Fallback', 'True'],
  ]),
  ...forKinds(
    'lifecycle.keptn.sh',
    ['KeptnAppVersion', 'KeptnTask', 'KeptnWorkloadInstance', 'KeptnWorkloadVersion'],
    (kind) => keptn(kind, 'status'),
  ),
  'lifecycle.keptn.sh/KeptnEvaluation': keptn('KeptnEvaluation', 'overallStatus'),
  'metrics.keptn.sh/Analysis': keptnAnalysis,
  'metrics.keptn.sh/KeptnMetric': keptnMetric,
  'openfaas.com/Function': openFaas,
  'operator.knative.dev/KnativeEventing': knativeComponent('KnativeEventing', ['Ready', 'InstallSucceeded'], ['Ready']),
  'operator.knative.dev/KnativeServing': knativeComponent(
    'KnativeServing',
    ['Ready', 'InstallSucceeded', 'DependenciesInstalled', 'DeploymentsAvailable'],
    ['Ready', 'DeploymentsAvailable'],
  ),
  'operators.coreos.com/Subscription': subscription,
  'serving.knative.dev/Service': knativeService,
  'serving.kserve.io/InferenceService': inferenceService,
};
