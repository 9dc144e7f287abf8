import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Informer, InformerChange } from '@tiphys/kubernetes';
import { isSamePod, keptPod } from './containers/kept-pod.ts';
import type { PodObject } from './containers/pod-object.ts';
import { KeptByWorkflow } from './kept-by-workflow.ts';

function pod(version: number, status: PodObject['status'] = {}, annotations?: Record<string, string>): PodObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'w-1',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: String(version),
      labels: { 'workflows.argoproj.io/workflow': 'w' },
      ...(annotations ? { annotations } : {}),
    },
    spec: {
      nodeName: 'node-1',
      volumes: [{ name: 'v' }],
      containers: [{ name: 'main', image: 'alpine', command: ['true'], resources: { limits: { cpu: '1' } } }],
    },
    status,
  } as PodObject;
}

/** An informer that a test speaks for. */
function scripted() {
  let tell: (change: InformerChange<PodObject>) => void = () => undefined;
  const informer = { subscribe: (subscriber: typeof tell) => (tell = subscriber) } as unknown as Informer<PodObject>;
  const told: string[] = [];
  const missed = new Set<string>(['u']);
  const kept = new KeptByWorkflow(informer, {
    changed: (key) => told.push(key),
    kept: keptPod,
    isSame: isSamePod,
    isMissed: ({ metadata }) => missed.has(metadata.uid ?? ''),
  });
  return {
    kept,
    told,
    missed,
    seen: (type: 'added' | 'updated' | 'deleted', object: PodObject) => tell({ type, object: keptPod(object) }),
  };
}

test('of a pod is kept what decisions read, and what they do not read is no news', () => {
  const { kept, told, seen } = scripted();
  kept.note(pod(1));
  seen('added', pod(1));
  assert.deepEqual(told.splice(0), [], 'this process has made it');
  assert.deepEqual(kept.of('shop/w')[0]?.spec, {
    nodeName: 'node-1',
    containers: [{ name: 'main', resources: { limits: { cpu: '1' } } }],
  });
  const conditions = [{ type: 'Initialized', status: 'True' }];
  seen('updated', pod(2, { conditions }));
  assert.deepEqual(told.splice(0), []);
  seen('updated', pod(3, { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }));
  seen('updated', pod(4, { phase: 'Running' }));
  seen('updated', pod(5, { phase: 'Running' }, { 'workflows.argoproj.io/progress': '1/2' }));
  assert.deepEqual(told.splice(0), ['shop/w', 'shop/w', 'shop/w']);
  seen('updated', pod(4, { phase: 'Pending' }));
  assert.deepEqual([told.splice(0), kept.of('shop/w')[0]?.status?.phase], [[], 'Running'], 'never back');
});

test('that a pod is gone is news, unless nobody misses it', () => {
  const { kept, told, missed, seen } = scripted();
  seen('added', pod(1));
  seen('deleted', pod(2));
  assert.deepEqual(told.splice(0), ['shop/w', 'shop/w']);
  seen('added', pod(3));
  missed.clear();
  told.length = 0;
  seen('deleted', pod(4));
  assert.deepEqual([told, kept.of('shop/w')], [[], []]);
});

test('a pod that was there before it was to be made has its workflow looked at again: what it has become is no news of the watch', () => {
  const { kept, told, seen } = scripted();
  seen('added', pod(2, { phase: 'Succeeded' }));
  told.length = 0;
  kept.adopt(pod(2, { phase: 'Succeeded' }));
  assert.deepEqual(told, ['shop/w']);
  seen('updated', pod(2, { phase: 'Succeeded' }));
  assert.deepEqual(told, ['shop/w']);
});
