import { objectsAt, textAt, valueAt } from '../../model/fields.ts';
import type { HealthCode } from '../../model/model.ts';
import { health } from '../conditions.ts';
import { type Check, type Checks, conditions, field, firstOf, hasStatus, numberOr, ready } from './check.ts';

const virtualMachine: Check = (object) => {
  const list = objectsAt(object, 'status', 'conditions');
  const isPaused = list.findIndex(({ type, status }) => type === 'Paused' && status === 'True');
  if (isPaused >= 0) return health('Suspended', 'Paused');
  const state = list.findLast(({ type }) => type === 'Ready');
  const shown = textAt(object, 'status', 'printableStatus');
  if (!state) return health('Progressing', shown || 'No status available');
  if (state.status === 'True') return health('Healthy', shown || 'Running');
  return valueAt(object, 'status', 'created')
    ? health('Progressing', shown || 'Starting')
    : health('Suspended', shown || 'Stopped');
};

const instancePhases: Readonly<Record<string, HealthCode>> = {
  Failed: 'Degraded',
  Pending: 'Progressing',
  Scheduling: 'Progressing',
  Scheduled: 'Progressing',
  Succeeded: 'Suspended',
  Unknown: 'Unknown',
};

const virtualMachineInstance: Check = (object) => {
  const phase = textAt(object, 'status', 'phase');
  const code = instancePhases[phase];
  if (code) return health(code, phase);
  const list = objectsAt(object, 'status', 'conditions');
  const paused = list.find(({ type, status }) => type === 'Paused' && status === 'True');
  if (paused) return health('Suspended', textAt(paused, 'message'));
  const state = list.findLast(({ type }) => type === 'Ready');
  if (!state) return health('Progressing', phase || 'No status available');
  return state.status === 'True' ? health('Healthy', 'Running') : health('Degraded', textAt(state, 'message'));
};

const flink: Check = (object) => {
  const job = textAt(object, 'status', 'jobManagerDeploymentStatus');
  const state = valueAt(object, 'status', 'reconciliationStatus');
  if (state !== undefined) {
    if (valueAt(state, 'success') || textAt(state, 'state') === 'DEPLOYED') return health('Healthy');
    if (job === 'DEPLOYED_NOT_READY' || job === 'DEPLOYING') return health('Progressing', 'Waiting for deploying');
    if (job === 'ERROR') return health('Degraded', textAt(state, 'error'));
  }
  return health('Progressing', 'Waiting for Flink operator');
};

/** How many executors there may be; undefined if their number is not dynamic. */
function executorRange(spec: unknown): readonly [number, number] | undefined {
  const range = (read: (name: string) => unknown): readonly [number, number] => [
    Number(read('minExecutors') ?? 0),
    Number(read('maxExecutors') ?? Number.POSITIVE_INFINITY),
  ];
  if (valueAt(spec, 'dynamicAllocation', 'enabled')) return range((name) => valueAt(spec, 'dynamicAllocation', name));
  for (const prefix of ['spark.streaming.dynamicAllocation', 'spark.dynamicAllocation'])
    if (valueAt(spec, 'sparkConf', `${prefix}.enabled`) === 'true')
      return range((name) => valueAt(spec, 'sparkConf', `${prefix}.${name}`));
  return undefined;
}

const sparkRunning: Check = ({ spec, status }) => {
  const executors = valueAt(status, 'executorState') as Record<string, unknown> | undefined;
  if (!executors) return undefined;
  const count = Object.values(executors).filter((state) => state === 'RUNNING').length;
  const fixed = valueAt(spec, 'executor', 'instances');
  const range = executorRange(spec);
  const unset = valueAt(spec, 'dynamicAllocation') === undefined && fixed === undefined;
  const enough = fixed === count || (range ? count >= range[0] && count <= range[1] : unset && count >= 1);
  return enough ? health('Healthy', 'SparkApplication is Running') : undefined;
};

const spark: Check = (object) => {
  const error = textAt(object, 'status', 'applicationState', 'errorMessage');
  const state = valueAt(object, 'status', 'applicationState', 'state');
  const running = state === 'RUNNING' ? sparkRunning : () => undefined;
  return firstOf(
    ['Progressing', 'Waiting for Executor pods'],
    running,
    field(['status', 'applicationState', 'state'], {
      '': ['Progressing', 'SparkApplication was added, enqueuing it for submission'],
      SUBMITTED: ['Progressing', 'SparkApplication was submitted successfully'],
      COMPLETED: ['Healthy', 'SparkApplication was Completed'],
      FAILED: ['Degraded', error],
      SUBMISSION_FAILED: ['Degraded', error],
      PENDING_RERUN: ['Progressing', 'SparkApplication is Pending Rerun'],
      INVALIDATING: ['Missing', 'SparkApplication is in InvalidatingState'],
      SUCCEEDING: ['Progressing', 'The driver pod has been completed successfully; the executor pods are cleaned up'],
      FAILING: ['Degraded', error],
      UNKNOWN: [
        'Progressing',
        'SparkApplication is in UnknownState because either driver pod or one or all executor pods in unknown state  ',
      ],
    }),
  )(object);
};

/** Reason and message of the first condition that is True and means something. */
const nodeNetwork: Check = (object) => {
  const codes: Readonly<Record<string, HealthCode>> = {
    Available: 'Healthy',
    Degraded: 'Degraded',
    Progressing: 'Progressing',
    Ignored: 'Suspended',
  };
  const found = objectsAt(object, 'status', 'conditions').find(
    ({ type, status }) => status === 'True' && Object.hasOwn(codes, String(type)),
  );
  if (!found) return health('Progressing', 'Waiting for policy to be applied');
  const [reason, message] = [textAt(found, 'reason'), textAt(found, 'message')];
  return health(codes[String(found.type)] as HealthCode, message ? `${reason}: ${message}` : reason);
};

const dnsService: Check = (object) => {
  const last = (type: string) => objectsAt(object, 'status', 'conditions').findLast((one) => one.type === type);
  const [adopted, advertised, discovered] = [last('Adopted'), last('Advertised'), last('Discoverable')];
  if (adopted?.status === 'False') return health('Degraded', textAt(adopted, 'message'));
  if (['AdvertiseError', 'UnadvertiseError'].includes(textAt(advertised, 'reason')))
    return health('Degraded', textAt(advertised, 'message'));
  const told = textAt(discovered, 'message');
  if (textAt(discovered, 'reason') === 'DiscoveryError') return health('Unknown', told);
  return health(discovered?.status === 'True' ? 'Healthy' : 'Progressing', told);
};

/** Config Connector: what the cloud said of the last change. */
export const configConnector: Check = (object) => {
  const waiting = health('Progressing', 'Update in progress');
  const observed = valueAt(object, 'status', 'observedGeneration');
  if (!hasStatus(object) || (observed !== undefined && observed !== object.metadata.generation)) return waiting;
  const own = valueAt(object, 'status', 'healthy');
  if ((object.kind === 'ConfigConnector' || object.kind === 'ConfigConnectorContext') && own !== undefined)
    return own === true
      ? health('Healthy', `${object.kind} is healthy`)
      : health('Degraded', `${object.kind} is not healthy`);
  const found = conditions(
    { reason: 'UpToDate', status: 'True', code: 'Healthy' },
    { reason: ['UpdateFailed', 'DependencyNotFound'], code: 'Degraded' },
    { reason: 'DependencyNotReady', code: 'Suspended' },
  )(object);
  return found ?? waiting;
};

export const victoriaMetrics: Check = (object) => {
  const waiting = health('Progressing', 'Waiting for the operator to reconcile');
  const { generation } = object.metadata;
  const observed = numberOr(generation ?? 0, object, 'status', 'observedGeneration');
  if (!hasStatus(object) || (generation !== undefined && observed !== generation)) return waiting;
  const told = (missing: string) => textAt(object, 'status', 'reason') || missing;
  return firstOf(
    ['Progressing', 'Waiting for the operator to report status'],
    field(['status', 'updateStatus'], {
      operational: ['Healthy', 'All components are operational'],
      expanding: ['Progressing', told('Reconciliation in progress')],
      paused: ['Suspended', told('Reconciliation is paused')],
      failed: ['Degraded', told('Reconciliation failed')],
    }),
  )(object);
};

/** Kinds of no other group. */
export const otherKinds: Checks = {
  'camel.apache.org/Integration': ready('Waiting for Integration'),
  'flink.apache.org/FlinkDeployment': flink,
  'kubevirt.io/VirtualMachine': virtualMachine,
  'kubevirt.io/VirtualMachineInstance': virtualMachineInstance,
  'nmstate.io/NodeNetworkConfigurationPolicy': nodeNetwork,
  'proclaim.dogmatiq.io/DNSSDServiceInstance': dnsService,
  'sparkoperator.k8s.io/SparkApplication': spark,
};
