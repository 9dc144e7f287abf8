import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { parse } from 'yaml';
import { ResourceActions } from './resource-actions.ts';

const now = Date.UTC(2024, 0, 2, 3, 4, 5);
const actions = new ResourceActions([]);

/** Fields of an object; what is offered, with a `-` before what is disabled; and what running some of them changes. */
type Row = readonly [fields: string, offered: string, runs?: Readonly<Record<string, string>>];

const flux: readonly Row[] = [
  ['{spec: {}}', 'reconcile -resume suspend', { suspend: '{spec: {suspend: true}}' }],
  [
    '{spec: {suspend: true}}',
    '-reconcile resume -suspend',
    {
      resume: '{spec: {suspend: false}}',
      reconcile: '{metadata: {annotations: {reconcile.fluxcd.io/requestedAt: "By Argo CD at: 2024-01-02T03:04:05"}}}',
    },
  ],
];
const fluxSwitch: readonly Row[] = [
  ['{spec: {}}', '-resume suspend'],
  ['{spec: {suspend: true}}', 'resume -suspend', { resume: '{spec: {suspend: false}}' }],
];
const lifecycle = (holder: (phase: string) => string): readonly Row[] => [
  [holder('Running'), 'pause -unpause-fast -unpause-gradual'],
  [holder('Paused'), '-pause -unpause-fast unpause-gradual'],
];

const table: Readonly<Record<string, readonly Row[]>> = {
  'apps/Deployment': [
    [
      '{spec: {}}',
      'pause restart -resume scale',
      {
        pause: '{spec: {paused: true}}',
        restart:
          '{spec: {template: {metadata: {annotations: {kubectl.kubernetes.io/restartedAt: "2024-01-02T03:04:05Z"}}}}}',
        'scale replicas=3': '{spec: {replicas: 3}}',
        'scale replicas=x': 'refused: invalid number: x',
      },
    ],
    ['{spec: {paused: true}}', '-pause restart resume scale', { resume: '{spec: {paused: false}}' }],
  ],
  'apps/StatefulSet': [['{spec: {}}', 'restart scale']],
  'apps/DaemonSet': [['{spec: {}}', 'restart']],
  'batch/CronJob': [
    ['{spec: {suspend: true}}', 'create-job resume'],
    [
      '{spec: {jobTemplate: {metadata: {labels: {a: b}}, spec: {template: {spec: {volumes: [{emptyDir: {}}]}}}}}}',
      'create-job suspend',
      {
        'create-job':
          '{apiVersion: batch/v1, kind: Job, metadata: {name: it-202401020304, annotations: {cronjob.kubernetes.io/instantiate: manual}, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: it, uid: u, blockOwnerDeletion: true, controller: true}], namespace: n, labels: {a: b}}, spec: {template: {spec: {volumes: [{emptyDir: {}}]}}}}',
      },
    ],
  ],
  'batch/Job': [
    ['{spec: {}}', 'suspend'],
    [
      '{spec: {suspend: true}, status: {conditions: [{type: Suspended, status: "True"}]}}',
      'resume terminate',
      {
        terminate:
          '{status: {conditions: [{type: Suspended, status: "True"}, {type: FailureTarget, status: "True", reason: ManuallyTerminated, message: Job was terminated explicitly, lastTransitionTime: "2024-01-02T03:04:05Z"}]}}',
      },
    ],
    ['{spec: {}, status: {conditions: [{type: Complete, status: "True"}]}}', ''],
  ],
  'argoproj.io/AnalysisRun': [
    ['{spec: {}, status: {phase: Running}}', 'terminate', { terminate: '{spec: {terminate: true}}' }],
    ['{spec: {}, status: {phase: Failed}}', '-terminate'],
  ],
  'argoproj.io/Application': [
    ['{spec: {}}', 'toggle-auto-sync', { 'toggle-auto-sync': '{spec: {syncPolicy: {automated: {enabled: true}}}}' }],
    [
      '{spec: {syncPolicy: {automated: {}}}}',
      'toggle-auto-sync',
      { 'toggle-auto-sync': '{spec: {syncPolicy: {automated: {enabled: false}}}}' },
    ],
  ],
  'argoproj.io/CronWorkflow': [
    [
      '{spec: {workflowMetadata: {labels: {a: b}, finalizers: [f]}, workflowSpec: {entrypoint: e}}}',
      'create-workflow',
      {
        'create-workflow':
          '{apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: {name: it-202401020304, namespace: n, labels: {a: b, workflows.argoproj.io/cron-workflow: it}, annotations: {workflows.argoproj.io/scheduled-time: "2024-01-02T03:04:05Z"}, finalizers: [f], ownerReferences: [{apiVersion: argoproj.io/v1, kind: CronWorkflow, name: it, uid: u}]}, spec: {entrypoint: e}}',
      },
    ],
  ],
  'argoproj.io/WorkflowTemplate': [
    [
      '{spec: {}}',
      'create-workflow',
      {
        'create-workflow':
          '{apiVersion: argoproj.io/v1alpha1, kind: Workflow, metadata: {name: it-202401020304, namespace: n, labels: {workflows.argoproj.io/workflow-template: it}, ownerReferences: [{apiVersion: argoproj.io/v1, kind: WorkflowTemplate, name: it, uid: u}]}, spec: {workflowTemplateRef: {name: it}}}',
      },
    ],
  ],
  'argoproj.io/Rollout': [
    [
      '{metadata: {generation: 2}, spec: {strategy: {canary: {steps: [{}, {}]}}}, status: {observedGeneration: "2", currentPodHash: a, stableRS: b, currentStepIndex: 0, pauseConditions: [{reason: CanaryPauseStep}]}}',
      'abort pause promote-full restart resume -retry skip-current-step',
      {
        abort: '{status: {abort: true}}',
        'promote-full': '{status: {promoteFull: true}}',
        resume: '{status: {pauseConditions: null}}',
        restart: '{spec: {restartAt: "2024-01-02T03:04:05Z"}}',
        'skip-current-step': '{status: {pauseConditions: null, currentStepIndex: 1}}',
      },
    ],
    [
      '{metadata: {generation: 2}, spec: {strategy: {blueGreen: {}}, paused: true}, status: {observedGeneration: "2", currentPodHash: a, stableRS: b, abort: true}}',
      '-abort -pause promote-full restart resume retry -skip-current-step',
      { retry: '{status: {abort: null}}', resume: '{spec: {paused: false}}' },
    ],
    [
      '{metadata: {generation: 2}, spec: {strategy: {canary: {}}}, status: {observedGeneration: "2", currentPodHash: a, stableRS: a}}',
      '-abort -pause -promote-full restart -resume -retry -skip-current-step',
    ],
  ],
  'core.strimzi.io/StrimziPodSet': [
    ['{}', 'rolling-update'],
    ['{metadata: {annotations: {strimzi.io/manual-rolling-update: "true"}}}', '-rolling-update'],
  ],
  'external-secrets.io/ExternalSecret': [
    [
      '{spec: {refreshInterval: 1h}}',
      'refresh',
      { refresh: '{metadata: {annotations: {force-sync: "2024-01-02T03:04:05Z"}}}' },
    ],
    ['{spec: {refreshInterval: 0s}}', '-refresh'],
    ['{spec: {refreshInterval: "0", refreshPolicy: OnChange}}', 'refresh'],
  ],
  'external-secrets.io/PushSecret': [
    ['{spec: {}}', 'push'],
    ['{spec: {refreshInterval: 0m}}', '-push'],
  ],
  ...Object.fromEntries(
    [
      'helm.toolkit.fluxcd.io/HelmRelease',
      'image.toolkit.fluxcd.io/ImageRepository',
      'image.toolkit.fluxcd.io/ImageUpdateAutomation',
      'kustomize.toolkit.fluxcd.io/Kustomization',
      'notification.toolkit.fluxcd.io/Receiver',
      'source.toolkit.fluxcd.io/Bucket',
      'source.toolkit.fluxcd.io/GitRepository',
      'source.toolkit.fluxcd.io/HelmChart',
      'source.toolkit.fluxcd.io/HelmRepository',
      'source.toolkit.fluxcd.io/OCIRepository',
    ].map((kind) => [kind, flux]),
  ),
  'notification.toolkit.fluxcd.io/Alert': fluxSwitch,
  'notification.toolkit.fluxcd.io/Provider': fluxSwitch,
  'k8s.mariadb.com/MariaDB': [
    ['{spec: {}}', 'suspend', { suspend: '{spec: {suspend: true}}' }],
    ['{spec: {suspend: true}}', 'resume', { resume: '{spec: {suspend: false}}' }],
  ],
  'keda.sh/ScaledJob': [
    ['{}', 'pause -resume', { pause: '{metadata: {annotations: {autoscaling.keda.sh/paused: "true"}}}' }],
    [
      '{metadata: {annotations: {autoscaling.keda.sh/paused: "true"}}}',
      '-pause resume',
      { resume: '{metadata: {annotations: {autoscaling.keda.sh/paused: null}}}' },
    ],
  ],
  'keda.sh/ScaledObject': [
    [
      '{}',
      'pause paused-replicas -resume',
      {
        'paused-replicas replicas=2': '{metadata: {annotations: {autoscaling.keda.sh/paused-replicas: "2"}}}',
        'paused-replicas replicas=-2': 'refused: invalid number: -2 (must be >= 0)',
        'paused-replicas': 'refused: replicas parameter is required',
      },
    ],
    ['{metadata: {annotations: {autoscaling.keda.sh/paused-replicas: "2"}}}', '-pause paused-replicas resume'],
    ['{metadata: {annotations: {autoscaling.keda.sh/paused: "true"}}}', '-pause -paused-replicas resume'],
  ],
  'numaflow.numaproj.io/InterStepBufferService': [
    ['{}', '-force-promote'],
    ['{metadata: {labels: {numaplane.numaproj.io/upgrade-state: trial}}}', 'force-promote'],
  ],
  'numaflow.numaproj.io/MonoVertex': [
    [
      '{spec: {lifecycle: {desiredPhase: Paused}, metadata: {annotations: {numaflow.numaproj.io/allowed-resume-strategies: "slow, fast"}}}}',
      '-force-promote -pause unpause-fast unpause-gradual',
      {
        'unpause-fast': '{spec: {lifecycle: {desiredPhase: Running}}}',
        'unpause-gradual': '{spec: {lifecycle: {desiredPhase: Running}, replicas: null}}',
      },
    ],
  ],
  'numaflow.numaproj.io/Pipeline': [
    [
      '{metadata: {labels: {numaplane.numaproj.io/upgrade-state: recyclable}}, spec: {}}',
      'delete -force-promote pause -unpause-fast -unpause-gradual',
      {
        delete: '{metadata: {annotations: {numaplane.numaproj.io/marked-for-deletion: "true"}}}',
        'unpause-fast':
          '{spec: {lifecycle: {desiredPhase: Running}}, metadata: {annotations: {numaflow.numaproj.io/resume-strategy: fast}}}',
      },
    ],
  ],
  'numaplane.numaproj.io/MonoVertexRollout': lifecycle(
    (phase) => `{spec: {monoVertex: {spec: {lifecycle: {desiredPhase: ${phase}}}}}}`,
  ),
  'numaplane.numaproj.io/PipelineRollout': [
    [
      '{metadata: {annotations: {numaplane.numaproj.io/allow-data-loss: "true"}}, spec: {pipeline: {spec: {}}}, status: {upgradeInProgress: PipelinePauseAndDrain}}',
      'allow-data-loss disallow-data-loss pause -unpause-fast -unpause-gradual',
      {
        pause: '{spec: {pipeline: {spec: {lifecycle: {desiredPhase: Paused}}}}}',
        'unpause-fast':
          '{spec: {pipeline: {spec: {lifecycle: {desiredPhase: Running}}}, strategy: {pauseResume: {fastResume: true}}}}',
      },
    ],
  ],
  'postgresql.cnpg.io/Cluster': [
    [
      '{status: {currentPrimary: it-1, instancesStatus: {healthy: [it-1, it-2]}}}',
      'promote reload restart suspend',
      {
        'promote instance=any':
          '{status: {targetPrimary: it-2, targetPrimaryTimestamp: "2024-01-02T03:04:05Z", phase: Switchover in progress, phaseReason: Switching over to it-2}}',
        'promote instance=1':
          '{status: {targetPrimary: it-1, targetPrimaryTimestamp: "2024-01-02T03:04:05Z", phase: Switchover in progress, phaseReason: Switching over to it-1}}',
        'promote instance=gone': 'refused: Could not find a healthy instance matching the criteria: gone',
        suspend: '{metadata: {annotations: {cnpg.io/reconciliationLoop: disabled}}}',
      },
    ],
    [
      '{metadata: {annotations: {cnpg.io/reconciliationLoop: disabled}}, status: {}}',
      '-promote reload restart resume',
      { resume: '{metadata: {annotations: {cnpg.io/reconciliationLoop: null}}}' },
    ],
  ],
  'promoter.argoproj.io/PullRequest': [
    ['{spec: {state: open}}', 'merge', { merge: '{spec: {state: merged}}' }],
    ['{spec: {state: merged}}', '-merge'],
  ],
  'psmdb.percona.com/PerconaServerMongoDB': [
    ['{spec: {}}', 'pause -unpause', { pause: '{spec: {pause: true}}' }],
    ['{spec: {pause: true}}', '-pause unpause', { unpause: '{spec: {pause: false}}' }],
  ],
};

function objectOf(name: string, fields: string): KubeObject {
  const [group, kind = ''] = name.split('/');
  const value = parse(fields) as Record<string, unknown>;
  const metadata = { name: 'it', namespace: 'n', uid: 'u', ...(value.metadata as object | undefined) };
  return { apiVersion: `${group}/v1`, kind, ...value, metadata };
}

function run(object: KubeObject, command: string): unknown {
  const [name = '', parameter] = command.split(' ');
  const [key, value = ''] = parameter?.split('=') ?? [];
  const parameters = key ? { [key]: value } : {};
  try {
    const [effect] = actions.plan(object, name, { parameters, now });
    return effect?.operation === 'create' ? effect.object : effect?.patch;
  } catch (error) {
    return `refused: ${(error as { diagnosis: { message: string } }).diagnosis.message}`;
  }
}

describe('actions of well-known kinds', () => {
  for (const [name, rows] of Object.entries(table)) {
    it(name, () => {
      for (const [fields, offered, runs = {}] of rows) {
        const object = objectOf(name, fields);
        const found = actions.available(object, now).map((info) => `${info.disabled ? '-' : ''}${info.name}`);
        assert.equal(found.join(' '), offered, fields);
        for (const [command, expected] of Object.entries(runs)) {
          const wanted = expected.startsWith('{') ? parse(expected) : expected;
          assert.deepEqual(run(object, command), wanted, `${command} of ${fields}`);
        }
      }
    });
  }
});
