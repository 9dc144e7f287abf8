import type { Case } from './run-case.ts';
import { apps, batch, core, get, TABLE } from './steps.ts';
import { condition, LONG_AGO, type Made, main, named, selector, table } from './table-steps.ts';

const template = (more: object = {}, containers: object[] = [main, { name: 'log', image: 'l' }]) => ({
  metadata: { labels: { app: 'a' } },
  spec: { containers, ...more },
});
const workload = (name: string, spec: object = {}, status?: object): Made =>
  named(name, { spec: { selector, template: template(), ...spec }, ...(status ? { status } : {}) });
const several = { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] };
const workloadTables: Case = {
  name: 'tables-workloads',
  steps: [
    ...table(`${apps}/deployments`, [
      workload('new'),
      workload(
        'old',
        { replicas: 5, selector: several },
        { replicas: 6, readyReplicas: 4, updatedReplicas: 3, availableReplicas: 2, unavailableReplicas: 1 },
      ),
    ]),
    get(`${apps}/deployments/old/scale`, {}, { accept: TABLE }),
    ...table(`${apps}/replicasets`, [
      workload('new'),
      workload('old', { replicas: 0, selector: several }, { replicas: 6, readyReplicas: 4, availableReplicas: 2 }),
    ]),
    ...table(`${apps}/statefulsets`, [
      workload('new', { serviceName: 's' }),
      workload('old', { serviceName: 's', replicas: 3 }, { replicas: 6, readyReplicas: 4 }),
    ]),
    ...table(`${apps}/daemonsets`, [
      workload('new'),
      workload(
        'old',
        { template: template({ nodeSelector: { b: '1', a: '' } }), selector: several },
        {
          desiredNumberScheduled: 6,
          currentNumberScheduled: 5,
          numberReady: 4,
          updatedNumberScheduled: 3,
          numberAvailable: 2,
          numberMisscheduled: 1,
        },
      ),
    ]),
    ...table(`${core}/replicationcontrollers`, [
      named('new', { spec: { template: template() } }),
      named('old', {
        spec: { replicas: 3, selector: { app: 'a' }, template: template() },
        status: { replicas: 6, readyReplicas: 4 },
      }),
    ]),
    ...table(`${core}/podtemplates`, [
      named('a', { template: template() }),
      named('b', { template: { spec: { containers: [main] } } }),
    ]),
    ...table(`${apps}/controllerrevisions`, [
      named('free', { revision: 3, data: {} }),
      ...(['apps/v1', 'v1', 'example.com/v1'] as const).map(
        (apiVersion, index): Made => ({
          metadata: {
            name: `owned-${index}`,
            ownerReferences: [{ apiVersion, kind: 'Some', name: 'owner', uid: 'u', controller: true }],
          } as never,
          revision: index,
          data: {},
        }),
      ),
      {
        metadata: {
          name: 'not-controlled',
          ownerReferences: [{ apiVersion: 'v1', kind: 'Some', name: 'owner', uid: 'u' }],
        } as never,
        revision: 1,
        data: {},
      },
    ]),
  ],
};

const jobSpec = (more: object = {}) => ({
  template: { spec: { containers: [main], restartPolicy: 'Never' } },
  ...more,
});
const finished = (type: string) => [
  condition(type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget'),
  condition(type),
];
const jobTables: Case = {
  name: 'tables-jobs',
  steps: [
    ...table(`${batch}/jobs`, [
      named('new', { spec: jobSpec() }),
      named('several', {
        spec: jobSpec({ completions: 5, parallelism: 2 }),
        status: { startTime: LONG_AGO, active: 2, succeeded: 3, ready: 1 },
      }),
      named('queue', {
        spec: { ...jobSpec({ parallelism: 3 }), completions: undefined },
        status: { startTime: LONG_AGO, active: 2 },
      }),
      named('one-queue', { spec: jobSpec({ parallelism: 1 }) }),
      named('suspended', { spec: jobSpec({ suspend: true }), status: { conditions: [condition('Suspended')] } }),
      named('done', {
        spec: jobSpec(),
        status: {
          startTime: LONG_AGO,
          completionTime: '2010-01-01T00:03:21Z',
          succeeded: 1,
          conditions: finished('Complete'),
        },
      }),
      named('failed', { spec: jobSpec(), status: { startTime: LONG_AGO, failed: 1, conditions: finished('Failed') } }),
      named('failing', {
        spec: jobSpec(),
        status: { startTime: LONG_AGO, failed: 1, conditions: [condition('FailureTarget')] },
      }),
      named('succeeding', {
        spec: jobSpec(),
        status: { startTime: LONG_AGO, conditions: [condition('SuccessCriteriaMet')] },
      }),
    ]),
    ...table(`${batch}/cronjobs`, [
      named('new', { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: jobSpec() } } }),
      named('busy', {
        spec: { schedule: '@daily', timeZone: 'Europe/Berlin', suspend: true, jobTemplate: { spec: jobSpec() } },
        status: { lastScheduleTime: LONG_AGO, active: [{ name: 'a' }, { name: 'b' }] },
      }),
    ]),
  ],
};

const target = (type: string, more: object) => ({ type, ...more });
const metric = (type: string, source: string, more: object) => ({ type, [source]: more });
const resource = (name: string, to: object) => metric('Resource', 'resource', { name, target: to });
const byContainer = (to: object) =>
  metric('ContainerResource', 'containerResource', { name: 'cpu', container: 'main', target: to });
const pods = (averageValue: string) =>
  metric('Pods', 'pods', { metric: { name: 'm' }, target: target('AverageValue', { averageValue }) });
const external = (to: object) => metric('External', 'external', { metric: { name: 'm' }, target: to });
const described = (to: object) =>
  metric('Object', 'object', {
    metric: { name: 'm' },
    describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' },
    target: to,
  });
const utilization = (averageUtilization: number) => target('Utilization', { averageUtilization });
const autoscaler = (name: string, metrics: object[], currentMetrics?: object[]) =>
  named(name, {
    spec: { maxReplicas: 9, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, metrics },
    ...(currentMetrics ? { status: { currentReplicas: 3, desiredReplicas: 4, currentMetrics, conditions: [] } } : {}),
  });
const now = (type: string, source: string, current: object, more: object = { metric: { name: 'm' } }) =>
  metric(type, source, { ...more, current });
const cpuNow = (current: object) => now('Resource', 'resource', current, { name: 'cpu' });
const scalingTables: Case = {
  name: 'tables-scaling',
  steps: [
    ...table('/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers', [
      autoscaler('default', []),
      autoscaler('unknown', [resource('cpu', utilization(50))]),
      autoscaler(
        'known',
        [resource('cpu', utilization(50))],
        [cpuNow({ averageUtilization: 30, averageValue: '300m' })],
      ),
      autoscaler(
        'known-value',
        [resource('memory', target('AverageValue', { averageValue: '1000Mi' }))],
        [now('Resource', 'resource', { averageValue: '1536Ki' }, { name: 'memory' })],
      ),
      autoscaler('unknown-value', [resource('memory', target('AverageValue', { averageValue: '2000m' }))]),
      autoscaler('no-utilization', [resource('cpu', utilization(50))], [cpuNow({ averageValue: '300m' })]),
      autoscaler(
        'container',
        [byContainer(utilization(60))],
        [
          now(
            'ContainerResource',
            'containerResource',
            { averageUtilization: 10, averageValue: '1' },
            { name: 'cpu', container: 'main' },
          ),
        ],
      ),
      autoscaler('container-value', [byContainer(target('AverageValue', { averageValue: '1' }))]),
      autoscaler('pods', [pods('10')], [now('Pods', 'pods', { averageValue: '5500m' })]),
      autoscaler('pods-unknown', [pods('10k')]),
      autoscaler(
        'object',
        [described(target('Value', { value: '5' }))],
        [
          now(
            'Object',
            'object',
            { value: '7' },
            { metric: { name: 'm' }, describedObject: { kind: 'Service', name: 's' } },
          ),
        ],
      ),
      autoscaler(
        'object-average',
        [described(target('AverageValue', { averageValue: '5' }))],
        [
          now(
            'Object',
            'object',
            { value: '0', averageValue: '7' },
            { metric: { name: 'm' }, describedObject: { kind: 'Service', name: 's' } },
          ),
        ],
      ),
      autoscaler('object-unknown', [described(target('AverageValue', { averageValue: '5' }))]),
      autoscaler(
        'external',
        [external(target('Value', { value: '5' }))],
        [now('External', 'external', { value: '7' })],
      ),
      autoscaler(
        'external-average',
        [external(target('AverageValue', { averageValue: '5' }))],
        [now('External', 'external', { value: '0', averageValue: '700m' })],
      ),
      autoscaler('external-unknown', [external(target('Value', { value: '5' }))]),
      autoscaler('two', [resource('cpu', utilization(50)), pods('10')], [cpuNow({ averageUtilization: 30 })]),
      autoscaler(
        'three',
        [resource('cpu', utilization(50)), pods('10'), external(target('Value', { value: '5' }))],
        [cpuNow({ averageUtilization: 30 }), now('Pods', 'pods', { averageValue: '1' })],
      ),
      autoscaler(
        'swapped',
        [resource('cpu', utilization(50)), pods('10')],
        [now('Pods', 'pods', { averageValue: '1' }), cpuNow({ averageUtilization: 30 })],
      ),
      named('least', { spec: { minReplicas: 2, maxReplicas: 3, scaleTargetRef: { kind: 'Other', name: 'o' } } }),
    ]),
    get('/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers', { includeObject: 'None' }, { accept: TABLE }),
    ...table('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', [
      named('none', { spec: { selector } }),
      named('least', { spec: { minAvailable: 1, selector } }),
      named('percent', {
        spec: { minAvailable: '50%', selector },
        status: { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 },
      }),
      named('most', { spec: { maxUnavailable: 0, selector } }),
      named('most-percent', { spec: { maxUnavailable: '0%', selector } }),
    ]),
  ],
};

/** What `kubectl get -o wide` prints of workloads, jobs and what scales them. */
export const tableWorkloadCases: readonly Case[] = [workloadTables, jobTables, scalingTables];
