import type { Case } from './run-case.ts';
import { core, del, get, merge, post, quiet, TABLE } from './steps.ts';
import { condition, LONG_AGO, type Made, main, named, side, table } from './table-steps.ts';

const pod = (name: string, status: object, spec: object = {}): Made =>
  named(name, { spec: { automountServiceAccountToken: false, containers: [main], ...spec }, status });
const state = (name: string, kind: object, more: object = {}) => ({
  name,
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: kind,
  ...more,
});
const running = { running: { startedAt: LONG_AGO } };
const waiting = (reason?: string) => ({ waiting: reason ? { reason } : {} });
const ended = (exitCode: number, more: object = {}) => ({
  terminated: { exitCode, startedAt: LONG_AGO, finishedAt: LONG_AGO, ...more },
});
const sidecars = { initContainers: [{ name: 'first', image: 'i' }, side] };

const inits = {
  initContainers: [
    { name: 'first', image: 'i' },
    { name: 'second', image: 'i' },
  ],
};
const podTables: Case = {
  name: 'tables-pods',
  steps: [
    ...table(`${core}/pods`, [
      pod('pending', { phase: 'Pending' }),
      pod('unschedulable', {
        phase: 'Pending',
        conditions: [condition('PodScheduled', 'False', { reason: 'Unschedulable' })],
      }),
      pod('gated', {
        phase: 'Pending',
        conditions: [condition('PodScheduled', 'False', { reason: 'SchedulingGated' })],
      }),
      pod('creating', { phase: 'Pending', containerStatuses: [state('main', waiting('ContainerCreating'))] }),
      pod('no-reason', { phase: 'Pending', containerStatuses: [state('main', waiting())] }),
      pod('running', {
        phase: 'Running',
        podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
        conditions: [condition('Ready')],
        containerStatuses: [state('main', running, { ready: true })],
      }),
      pod('crashing', {
        phase: 'Running',
        containerStatuses: [state('main', waiting('CrashLoopBackOff'), { restartCount: 7, lastState: ended(1) })],
      }),
      pod('restarted', {
        phase: 'Running',
        containerStatuses: [state('main', running, { ready: true, restartCount: 3, lastState: ended(137) })],
      }),
      pod('restarted-unknown', {
        phase: 'Running',
        containerStatuses: [state('main', running, { ready: true, restartCount: 3 })],
      }),
      pod('not-restarted', { phase: 'Running', containerStatuses: [state('main', running, { lastState: ended(1) })] }),
      pod('completed', { phase: 'Succeeded', containerStatuses: [state('main', ended(0, { reason: 'Completed' }))] }),
      pod('failed', { phase: 'Failed', containerStatuses: [state('main', ended(2, { reason: 'Error' }))] }),
      pod('exit-code', { phase: 'Failed', containerStatuses: [state('main', ended(3))] }),
      pod('signal', { phase: 'Failed', containerStatuses: [state('main', ended(0, { signal: 9 }))] }),
      pod('killed', { phase: 'Running', containerStatuses: [state('main', ended(137, { reason: 'OOMKilled' }))] }),
      pod('evicted', { phase: 'Failed', reason: 'Evicted' }),
      pod(
        'half-done',
        {
          phase: 'Running',
          conditions: [condition('Ready', 'False')],
          containerStatuses: [
            state('main', ended(0, { reason: 'Completed' })),
            state('other', running, { ready: true }),
          ],
        },
        { containers: [main, { name: 'other', image: 'i' }] },
      ),
      pod(
        'half-done-ready',
        {
          phase: 'Running',
          conditions: [condition('Ready')],
          containerStatuses: [
            state('main', ended(0, { reason: 'Completed' })),
            state('other', running, { ready: true }),
          ],
        },
        { containers: [main, { name: 'other', image: 'i' }] },
      ),
      pod(
        'init-waiting',
        {
          phase: 'Pending',
          initContainerStatuses: [
            state('first', waiting('PodInitializing')),
            state('second', waiting('PodInitializing')),
          ],
          containerStatuses: [state('main', waiting('PodInitializing'))],
        },
        inits,
      ),
      pod(
        'init-second',
        {
          phase: 'Pending',
          initContainerStatuses: [
            state('first', ended(0)),
            state('second', running, { restartCount: 2, lastState: ended(1) }),
          ],
        },
        inits,
      ),
      pod(
        'init-crashing',
        {
          phase: 'Pending',
          initContainerStatuses: [
            state('first', waiting('CrashLoopBackOff'), { restartCount: 4, lastState: ended(1) }),
          ],
        },
        inits,
      ),
      pod(
        'init-image',
        { phase: 'Pending', initContainerStatuses: [state('first', waiting('ImagePullBackOff'))] },
        inits,
      ),
      pod(
        'init-error',
        { phase: 'Pending', initContainerStatuses: [state('first', ended(1, { reason: 'Error' }))] },
        inits,
      ),
      pod('init-code', { phase: 'Pending', initContainerStatuses: [state('first', ended(5))] }, inits),
      pod(
        'init-signal',
        { phase: 'Pending', initContainerStatuses: [state('first', ended(0, { exitCode: 1, signal: 15 }))] },
        inits,
      ),
      pod(
        'init-done',
        {
          phase: 'Pending',
          initContainerStatuses: [state('first', ended(0)), state('second', ended(0))],
          containerStatuses: [state('main', waiting('PodInitializing'))],
        },
        inits,
      ),
      pod(
        'init-again',
        {
          phase: 'Running',
          conditions: [condition('Initialized')],
          initContainerStatuses: [state('first', running, { restartCount: 1 })],
          containerStatuses: [state('main', running, { ready: true, restartCount: 5 })],
        },
        inits,
      ),
      pod(
        'sidecar',
        {
          phase: 'Running',
          conditions: [condition('Ready'), condition('Initialized')],
          initContainerStatuses: [
            state('first', ended(0), { restartCount: 2 }),
            state('side', running, { ready: true, started: true, restartCount: 1, lastState: ended(1) }),
          ],
          containerStatuses: [state('main', running, { ready: true, restartCount: 1 })],
        },
        sidecars,
      ),
      pod(
        'sidecar-starting',
        {
          phase: 'Pending',
          initContainerStatuses: [state('first', ended(0)), state('side', running, { started: false })],
        },
        sidecars,
      ),
      pod(
        'sidecar-unready',
        {
          phase: 'Running',
          initContainerStatuses: [state('first', ended(0)), state('side', running, { started: true })],
          containerStatuses: [state('main', waiting('ContainerCreating'))],
        },
        sidecars,
      ),
      pod(
        'sidecar-unknown',
        { phase: 'Running', initContainerStatuses: [state('absent', running, { started: true, ready: true })] },
        sidecars,
      ),
      pod(
        'readiness',
        {
          phase: 'Running',
          nominatedNodeName: 'next',
          conditions: [condition('example.com/a'), condition('example.com/b', 'False')],
        },
        {
          nodeName: 'here',
          readinessGates: [
            { conditionType: 'example.com/a' },
            { conditionType: 'example.com/b' },
            { conditionType: 'example.com/c' },
          ],
        },
      ),
    ]),
    ...quiet(
      post(`${core}/pods`, { ...pod('leaving', {}), metadata: { name: 'leaving', finalizers: ['example.com/stay'] } }),
      post(`${core}/pods`, { ...pod('lost', {}), metadata: { name: 'lost', finalizers: ['example.com/stay'] } }),
      post(`${core}/pods`, { ...pod('over', {}), metadata: { name: 'over', finalizers: ['example.com/stay'] } }),
      merge(`${core}/pods/leaving/status`, {
        status: { phase: 'Running', containerStatuses: [state('main', running, { ready: true })] },
      }),
      merge(`${core}/pods/lost/status`, { status: { phase: 'Running', reason: 'NodeLost' } }),
      merge(`${core}/pods/over/status`, {
        status: { phase: 'Succeeded', containerStatuses: [state('main', ended(0, { reason: 'Completed' }))] },
      }),
      ...['leaving', 'lost', 'over'].map((name) => del(`${core}/pods/${name}`)),
    ),
    ...['leaving', 'lost', 'over'].map((name) =>
      get(`${core}/pods/${name}`, {}, { accept: TABLE, omit: ['managedFields'] }),
    ),
  ],
};

/** What `kubectl get pods -o wide` prints of pods in their states. */
export const tablePodCases: readonly Case[] = [podTables];
