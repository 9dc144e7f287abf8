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
  judge,
  own,
  ranked,
  when,
} from './check.ts';

const updating = ['Progressing', 'Update in progress'] as const;

const humioPart = firstOf(
  updating,
  field(['status', 'state'], {
    Exists: ['Healthy', 'Component state: Exists.'],
    NotFound: ['Missing', 'Component state: NotFound.'],
    ConfigError: ['Degraded', 'Component state: ConfigError.'],
    Unknown: ['Unknown', 'Component state: Unknown.'],
  }),
);

const humioCluster: Check = (object) => {
  const told = (missing: string) => textAt(object, 'status', 'message') || missing;
  return firstOf(
    updating,
    field(['status', 'state'], {
      Running: ['Healthy', told('Cluster is in a healthy running state')],
      Restarting: ['Progressing', told('Cluster pods are being restarted')],
      Upgrading: ['Progressing', told('Cluster pods are being upgraded')],
      ConfigError: ['Degraded', told('User-provided cluster specification resulted in a configuration error')],
      Pending: ['Progressing', told('Cluster is waiting on resources to be provisioned')],
      Unknown: ['Unknown', told('Component state: Unknown.')],
    }),
  )(object);
};

const coralogix = firstOf(
  ['Progressing', 'Waiting for status to be updated'],
  conditions(when('RemoteSynced', 'True', 'Healthy', 'Resource is ready'), when('RemoteSynced', 'False', 'Degraded')),
);

const datadogMetric = firstOf(
  ['Healthy', 'DatadogMetric is healthy'],
  ranked(
    when('Error', 'True', 'Degraded', (one) => {
      const reason = textAt(one, 'reason');
      return `${reason ? `${reason}: ` : ''}${own('DatadogMetric reported an error')(one)}`;
    }),
    when('Valid', 'False', 'Degraded', own('DatadogMetric is not valid')),
  ),
);

const grafana: Check = (object) => {
  const [stage, state] = [textAt(object, 'status', 'stage'), valueAt(object, 'status', 'stageStatus')];
  if (state === undefined) return health('Progressing', 'Waiting for Grafana status info');
  if (state === 'failed') return health('Degraded', `Failed at stage ${stage}`);
  return stage === 'complete' && state === 'success' ? health('Healthy') : health('Progressing', stage);
};

const grafanaDatasource: Check = (object) => {
  if (!hasStatus(object) || valueAt(object, 'status', 'uid') === '') return health('Progressing');
  return valueAt(object, 'status', 'NoMatchingInstances')
    ? health('Degraded', "can't find matching grafana instance")
    : health('Healthy');
};

/** What all conditions say, up to the first that is False. */
const grafanaPart: Check = (object) => {
  const list = objectsAt(object, 'status', 'conditions').filter(({ status }) => status !== undefined);
  const failed = list.findIndex(({ status }) => status === 'False');
  const told = list.slice(0, failed < 0 ? list.length : failed + 1).map((one) => {
    const [reason, type, message] = [textAt(one, 'reason'), textAt(one, 'type'), textAt(one, 'message')];
    if (!reason || !type) return reason;
    return `${reason} for ${type}${message ? ` because ${message}` : ''}`;
  });
  if (failed >= 0) return health('Degraded', told.join(', '));
  return health(list.some(({ status }) => status === 'True') ? 'Healthy' : 'Progressing', told.join(', '));
};

const jaeger = firstOf(
  ['Progressing', 'Waiting for Jaeger'],
  field(['status', 'phase'], {
    Running: ['Healthy', 'Jaeger is Running'],
    Failed: ['Degraded', 'Jaeger Failed For Some Reason'],
  }),
);

/** The last `Available` counts. */
const prometheus: Check = (object) => {
  const list = objectsAt(object, 'status', 'conditions').filter(({ type }) => type === 'Available');
  const last = list.at(-1);
  if (!last) return health('Progressing', 'Waiting for initialization');
  if (last.status === 'True') return health('Healthy', 'All instances are available');
  const told = textAt(last, 'message') || textAt(last, 'reason');
  return health(last.reason === 'SomePodsNotReady' ? 'Progressing' : 'Degraded', told);
};

const collector: Check = (object) => {
  const replicas = valueAt(object, 'status', 'scale', 'statusReplicas');
  const mode = textAt(object, 'spec', 'mode');
  if (!hasStatus(object)) return health('Progressing', 'Waiting for OpenTelemetry Collector status');
  if (replicas === undefined)
    return mode === 'sidecar'
      ? health('Healthy', 'Collector is running in sidecar mode')
      : health('Progressing', 'Scale status not available');
  const [, good, all] = /(\d+)\/(\d+)/.exec(String(replicas)) ?? [];
  if (good === undefined) return health('Progressing', `Unable to parse replica status: ${replicas}`);
  if (Number(good) === 0)
    return mode === 'daemonset' && Number(all) === 0
      ? health('Healthy', 'DaemonSet has no eligible nodes (0/0)')
      : health('Degraded', 'No replicas are ready');
  return Number(good) === Number(all)
    ? health('Healthy', 'All replicas are ready')
    : health('Progressing', 'Replicas are starting up');
};

const kiali: Check = (object) => {
  const list = objectsAt(object, 'status', 'conditions');
  const found = judge(list, [
    when('Successful', 'True', 'Healthy'),
    when('Failure', 'True', 'Degraded'),
    { type: 'Running', reason: 'Running', code: 'Progressing' },
  ]);
  return found ?? health('Progressing', 'Waiting for Kiali');
};

/** Kinds that watch and measure. */
export const observabilityKinds: Checks = {
  ...forKinds(
    'core.humio.com',
    ['HumioAction', 'HumioAlert', 'HumioIngestToken', 'HumioParser', 'HumioRepository', 'HumioView'],
    () => humioPart,
  ),
  'core.humio.com/HumioCluster': humioCluster,
  ...forKinds('coralogix.com', ['Alert', 'RecordingRuleGroupSet'], () => coralogix),
  'datadoghq.com/DatadogMetric': datadogMetric,
  'grafana.integreatly.org/Grafana': grafana,
  'grafana.integreatly.org/GrafanaDatasource': grafanaDatasource,
  ...forKinds('grafana.integreatly.org', ['GrafanaDashboard', 'GrafanaFolder'], () => grafanaPart),
  'jaegertracing.io/Jaeger': jaeger,
  'kiali.io/Kiali': kiali,
  'monitoring.coreos.com/Prometheus': prometheus,
  'opentelemetry.io/OpenTelemetryCollector': collector,
};
