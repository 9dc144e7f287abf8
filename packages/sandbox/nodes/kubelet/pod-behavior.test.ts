import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@tiphys/kube-controllers';
import { behaviorAnnotation, containerBehavior, fullImageName, unknownBehaviors } from './pod-behavior.ts';

const defaults = { startDelay: 0, stopDelay: 0 };

function behaviorOf(image: string, annotation?: string) {
  const container = { name: 'main', image };
  const annotations = annotation ? { annotations: { [behaviorAnnotation]: annotation } } : {};
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...annotations },
    spec: { containers: [container] },
  };
  return { behavior: containerBehavior(pod, container, defaults), unknown: unknownBehaviors(pod) };
}

const images: Record<string, string | undefined> = {
  nginx: undefined,
  'nginx:1.27': undefined,
  'registry.example.com:5000/team/app@sha256:0000': undefined,
  'quay.io/argoproj/rollouts-demo:blue': undefined,
  'nginx:does-not-exist': 'ErrImagePull',
  'example.com/no-such-image:1': 'ErrImagePull',
  'registry.invalid/app:1': 'ErrImagePull',
  'Not An Image': 'InvalidImageName',
  'shop/UPPER:1': 'InvalidImageName',
};

for (const [image, reason] of Object.entries(images))
  test(`the image ${image} ${reason ? `is refused with ${reason}` : 'is there'}`, () => {
    assert.equal(behaviorOf(image).behavior.pullError?.reason, reason);
  });

test('images have full names', () => {
  assert.deepEqual(['nginx', 'a/b:1', 'localhost:5000/x', 'quay.io/a/b@sha256:1'].map(fullImageName), [
    'docker.io/library/nginx:latest',
    'docker.io/a/b:1',
    'localhost:5000/x:latest',
    'quay.io/a/b@sha256:1',
  ]);
});

test('words of the annotation that are not known are named', () => {
  assert.deepEqual(behaviorOf('nginx', 'oom, explode, run:5, main=exit:300, slow:2m').unknown, ['explode', 'run:5']);
});
