import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, Workflow } from '../model/types.ts';
import { collectArtifacts, type Facts, type GCTask, isCollecting, MissingFact } from './index.ts';
import { bareFacts } from './testing/bare-facts.ts';

const finalizer = 'workflows.argoproj.io/artifact-gc';

function workflow(more: Partial<Workflow['spec']> = {}): Workflow {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'build', namespace: 'jobs', uid: 'u1', finalizers: [finalizer] },
    spec: {
      entrypoint: 'main',
      artifactGC: { strategy: 'OnWorkflowCompletion' },
      templates: [{ name: 'main', container: { image: 'busybox' } }],
      ...more,
    },
    status: {
      phase: 'Succeeded',
      startedAt: null,
      finishedAt: null,
      nodes: {
        build: {
          id: 'build',
          name: 'build',
          type: 'Pod',
          templateName: 'main',
          templateScope: 'local/build',
          phase: 'Succeeded',
          startedAt: null,
          finishedAt: null,
          outputs: {
            artifacts: [
              { name: 'log', s3: { key: 'log' } },
              { name: 'kept', artifactGC: { strategy: 'Never' } },
            ],
          },
        },
      },
    },
  };
}

function facts(more: Partial<Facts> = {}): Facts {
  return bareFacts(1_000, {
    gcTasks: (namespace, name) => {
      throw new MissingFact({ kind: 'gc-tasks', namespace, name });
    },
    ...more,
  });
}

function started(given = workflow()) {
  const { workflow: next, actions } = collectArtifacts(given, facts());
  const [action] = actions;
  assert.equal(action?.kind, 'collect-artifacts');
  return { next, task: action.task, pod: action.pod };
}

test('a pod deletes the artifacts that are not kept, once', () => {
  const { next, task, pod } = started();
  assert.deepEqual(Object.keys(task.spec.artifactsByNode.build?.artifacts ?? {}), ['log']);
  assert.match(pod.metadata.name ?? '', /^build-artgc-wfcomp-\d+$/);
  assert.ok(isCollecting(next));
  assert.deepEqual(collectArtifacts(next, facts()).actions, []);
});

test('what the pod reports is noted, and the workflow let go', () => {
  const { next, task, pod } = started();
  const ended: Pod = { ...pod, status: { phase: 'Succeeded' } };
  assert.throws(() => collectArtifacts(next, facts({ pods: [ended] })), MissingFact);
  const reported: GCTask = {
    ...task,
    status: { artifactResultsByNode: { build: { artifactResults: { log: { success: true } } } } },
  };
  const { workflow: done, actions } = collectArtifacts(next, facts({ pods: [ended], gcTasks: () => [reported] }));
  assert.deepEqual(done.metadata.finalizers, []);
  assert.equal(done.status?.nodes?.build?.outputs?.artifacts?.[0]?.deleted, true);
  assert.deepEqual(actions, [{ kind: 'delete-gc-task', name: task.metadata.name }]);
});

test('a pod that fails keeps the workflow unless its finalizer is to be removed by force', () => {
  for (const forceFinalizerRemoval of [false, true]) {
    const given = workflow({ artifactGC: { strategy: 'OnWorkflowCompletion', forceFinalizerRemoval } });
    const { next, pod } = started(given);
    const ended: Pod = { ...pod, status: { phase: 'Failed' } };
    const { workflow: done, actions } = collectArtifacts(next, facts({ pods: [ended], gcTasks: () => [] }));
    assert.equal(done.metadata.finalizers?.length, forceFinalizerRemoval ? 0 : 1);
    assert.equal(done.status?.conditions?.[0]?.type, 'ArtifactGCError');
    assert.equal(actions[0]?.kind, 'event');
  }
});
