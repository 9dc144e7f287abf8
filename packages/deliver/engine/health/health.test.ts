import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { parse } from 'yaml';
import { healthOf } from './health.ts';
import { podTrouble } from './pod-trouble.ts';

const rows: [name: string, yaml: string, expected: string | undefined][] = [
  ['paused Deployment', 'apps/v1 Deployment {spec: {paused: true}}', 'Suspended: Deployment is paused'],
  [
    'unobserved Deployment',
    'apps/v1 Deployment {metadata: {generation: 2}, status: {observedGeneration: 1}}',
    'Progressing: Waiting for rollout to finish: observed deployment generation less than desired generation',
  ],
  [
    'Deployment past its deadline',
    'apps/v1 Deployment {metadata: {name: x}, spec: {replicas: 1}, status: {conditions: [{type: Progressing, reason: ProgressDeadlineExceeded}]}}',
    'Degraded: Deployment "x" exceeded its progress deadline',
  ],
  [
    'Deployment that updates',
    'apps/v1 Deployment {spec: {replicas: 2}, status: {updatedReplicas: 1, replicas: 2}}',
    'Progressing: Waiting for rollout to finish: 1 out of 2 new replicas have been updated...',
  ],
  [
    'Deployment with old replicas',
    'apps/v1 Deployment {spec: {replicas: 1}, status: {updatedReplicas: 1, replicas: 3}}',
    'Progressing: Waiting for rollout to finish: 2 old replicas are pending termination...',
  ],
  [
    'Deployment not available',
    'apps/v1 Deployment {spec: {replicas: 1}, status: {updatedReplicas: 1, replicas: 1}}',
    'Progressing: Waiting for rollout to finish: 0 of 1 updated replicas are available...',
  ],
  [
    'healthy Deployment',
    'apps/v1 Deployment {spec: {replicas: 1}, status: {updatedReplicas: 1, replicas: 1, availableReplicas: 1}}',
    'Healthy',
  ],
  [
    'old Deployment',
    'apps/v1beta1 Deployment {}',
    'Unknown: unsupported Deployment GVK: apps/v1beta1, Kind=Deployment',
  ],
  [
    'ReplicaSet that cannot create',
    'apps/v1 ReplicaSet {status: {conditions: [{type: ReplicaFailure, status: "True", message: quota}]}}',
    'Degraded: quota',
  ],
  [
    'StatefulSet unobserved',
    'apps/v1 StatefulSet {}',
    'Progressing: Waiting for statefulset spec update to be observed...',
  ],
  [
    'StatefulSet not ready',
    'apps/v1 StatefulSet {spec: {replicas: 3}, status: {observedGeneration: 1, readyReplicas: 1}}',
    'Progressing: Waiting for 2 pods to be ready...',
  ],
  [
    'StatefulSet OnDelete',
    'apps/v1 StatefulSet {spec: {replicas: 1, updateStrategy: {type: OnDelete}}, status: {observedGeneration: 1, readyReplicas: 1}}',
    'Healthy: statefulset has 1 ready pods',
  ],
  [
    'StatefulSet partitioned',
    'apps/v1 StatefulSet {spec: {replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}}, status: {observedGeneration: 1, readyReplicas: 3, updatedReplicas: 1}}',
    'Progressing: Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...',
  ],
  [
    'StatefulSet done',
    'apps/v1 StatefulSet {spec: {replicas: 1}, status: {observedGeneration: 1, readyReplicas: 1, currentReplicas: 1, currentRevision: r, updateRevision: r}}',
    'Healthy: statefulset rolling update complete 1 pods at revision r...',
  ],
  [
    'DaemonSet not available',
    'apps/v1 DaemonSet {metadata: {name: d}, status: {desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1}}',
    'Progressing: Waiting for daemon set "d" rollout to finish: 1 of 2 updated pods are available...',
  ],
  [
    'Pod in a crash loop',
    'v1 Pod {spec: {restartPolicy: Always}, status: {phase: Running, containerStatuses: [{name: c, state: {waiting: {reason: CrashLoopBackOff, message: back-off}}}]}}',
    'Degraded: back-off',
  ],
  [
    'Pod ready',
    'v1 Pod {spec: {restartPolicy: Always}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}',
    'Healthy',
  ],
  ['Pod that runs to its end', 'v1 Pod {spec: {restartPolicy: Never}, status: {phase: Running}}', 'Progressing'],
  [
    'Pod killed for memory',
    'v1 Pod {status: {phase: Failed, containerStatuses: [{name: c, state: {terminated: {reason: OOMKilled, exitCode: 137}}}]}}',
    'Degraded: OOMKilled',
  ],
  [
    'Pod failed',
    'v1 Pod {status: {phase: Failed, containerStatuses: [{name: c, state: {terminated: {exitCode: 3}}}]}}',
    'Degraded: container "c" failed with exit code 3',
  ],
  [
    'Pod being deleted',
    'v1 Pod {metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}}',
    'Progressing: Pending deletion',
  ],
  [
    'hook being deleted',
    'batch/v1 Job {metadata: {deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [argocd.argoproj.io/hook-finalizer]}, status: {conditions: [{type: Complete, status: "True"}]}}',
    'Healthy',
  ],
  ['Job running', 'batch/v1 Job {status: {active: 1}}', 'Progressing'],
  [
    'Job failed',
    'batch/v1 Job {status: {conditions: [{type: Failed, status: "True", message: backoff limit}]}}',
    'Degraded: backoff limit',
  ],
  [
    'Job suspended',
    'batch/v1 Job {status: {conditions: [{type: Suspended, status: "True", message: m}]}}',
    'Suspended',
  ],
  ['CronJob new', 'batch/v1 CronJob {status: {}}', 'Healthy: CronJob has not been scheduled yet'],
  [
    'CronJob failed',
    'batch/v1 CronJob {status: {lastScheduleTime: "2026-01-02T00:00:00Z", lastSuccessfulTime: "2026-01-01T00:00:00Z"}}',
    'Degraded: CronJob has not completed its last execution successfully',
  ],
  ['claim pending', 'v1 PersistentVolumeClaim {status: {phase: Pending}}', 'Progressing'],
  ['claim lost', 'v1 PersistentVolumeClaim {status: {phase: Lost}}', 'Degraded'],
  ['plain Service', 'v1 Service {spec: {type: ClusterIP}}', 'Healthy'],
  ['Service without address', 'v1 Service {spec: {type: LoadBalancer}}', 'Progressing'],
  [
    'Ingress with address',
    'networking.k8s.io/v1 Ingress {status: {loadBalancer: {ingress: [{ip: 1.2.3.4}]}}}',
    'Healthy',
  ],
  [
    'autoscaler without metrics',
    'autoscaling/v2 HorizontalPodAutoscaler {status: {conditions: [{type: AbleToScale, status: "True"}, {type: ScalingActive, status: "False", reason: FailedGetResourceMetric, message: no metrics}]}}',
    'Degraded: no metrics',
  ],
  [
    'autoscaler of v1',
    `autoscaling/v1 HorizontalPodAutoscaler {metadata: {annotations: {autoscaling.alpha.kubernetes.io/conditions: '[{"type":"AbleToScale","status":"True","message":"ok"}]'}}}`,
    'Healthy: ok',
  ],
  [
    'autoscaler of v1 with a broken annotation',
    'autoscaling/v1 HorizontalPodAutoscaler {metadata: {annotations: {autoscaling.alpha.kubernetes.io/conditions: nope}}}',
    'Unknown',
  ],
  ['autoscaler new', 'autoscaling/v2 HorizontalPodAutoscaler {}', 'Progressing: Waiting to Autoscale'],
  [
    'APIService up',
    'apiregistration.k8s.io/v1 APIService {status: {conditions: [{type: Available, status: "True", reason: Local, message: ok}]}}',
    'Healthy: Local: ok',
  ],
  ['Workflow failed', 'argoproj.io/v1alpha1 Workflow {status: {phase: Error, message: m}}', 'Degraded: m'],
  ['ConfigMap', 'v1 ConfigMap {}', undefined],
  ['Application', 'argoproj.io/v1alpha1 Application {status: {health: {status: Healthy}}}', undefined],
];

function object(text: string): KubeObject {
  const [apiVersion = '', kind = '', ...rest] = text.split(' ');
  const body = parse(rest.join(' ')) as Partial<KubeObject>;
  return { metadata: {}, ...body, apiVersion, kind };
}

describe('health', () => {
  for (const [name, text, expected] of rows) {
    it(`${name}: ${expected ?? 'none'}`, () => {
      const found = healthOf(object(text));
      const shown = found && [found.status, found.message].filter(Boolean).join(': ');
      if (expected === 'Unknown') assert.equal(found?.status, 'Unknown');
      else assert.equal(shown, expected);
    });
  }
});

const waiting = (reason: string, message: string) =>
  object(
    `v1 Pod {metadata: {name: p, namespace: shop}, spec: {containers: [{name: c, image: "r.example/x:nope", resources: {limits: {memory: 16Mi}}}]}, status: {containerStatuses: [{name: c, image: "r.example/x:nope", restartCount: 4, ready: false, state: {waiting: {reason: ${reason}, message: ${JSON.stringify(message)}}}}]}}`,
  );

describe('the cause of a pod that does not run', () => {
  const causes: [string, string, string, RegExp][] = [
    ['ImagePullBackOff', 'manifest unknown', 'S10', /no such image or tag/],
    ['ErrImagePull', 'unauthorized: authentication required', 'S10', /refuses the credential/],
    ['ErrImagePull', 'toomanyrequests: rate limit', 'S10', /limits the rate/],
    ['ImagePullBackOff', 'no match for platform in manifest', 'S10', /architecture/],
    ['CreateContainerConfigError', 'secret "x" not found', 'S15', /secret "x" not found/],
    ['CrashLoopBackOff', 'back-off 5m0s', 'S11', /again and again/],
  ];
  for (const [reason, message, cause, text] of causes) {
    it(`${reason} with "${message}" is ${cause}`, () => {
      const found = podTrouble(waiting(reason, message));
      assert.equal(found?.cause, cause);
      assert.match(found?.message ?? '', text);
      assert.equal(found?.place?.object, 'Pod shop/p');
    });
  }

  it('names exit code and limit of a container that was killed for memory', () => {
    const pod = waiting('CrashLoopBackOff', 'back-off') as KubeObject & {
      status: { containerStatuses: Record<string, unknown>[] };
    };
    pod.status.containerStatuses[0]!['lastState'] = { terminated: { reason: 'OOMKilled', exitCode: 137 } };
    const found = podTrouble(pod);
    assert.equal(found?.cause, 'S12');
    assert.match(found?.message ?? '', /limit of 16Mi/);
    assert.equal(found?.evidence.find(({ name }) => name === 'exit code')?.value, '137');
  });

  it('is nothing for a pod that only starts', () => {
    assert.equal(podTrouble(waiting('ContainerCreating', '')), undefined);
  });
});
