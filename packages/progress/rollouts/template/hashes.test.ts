import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { CanaryStep, PodTemplate } from '@tiphys/api';
import { olderPodTemplateHash, podTemplateHash, readablePodTemplate, stepHash } from './hashes.ts';

interface Recorded {
  readonly name: string;
  readonly template: PodTemplate;
  readonly count?: number;
  readonly steps?: CanaryStep[];
  readonly templateHash: string;
  readonly stepHash: string;
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'testdata', 'hashes.json'), 'utf8')) as Recorded[];

for (const { name, template, count, steps, ...expected } of recorded)
  test(`hashes of a template and of steps are those that Argo Rollouts gives: ${name}`, () => {
    assert.equal(podTemplateHash(template, count), expected.templateHash);
    assert.equal(stepHash(steps), expected.stepHash);
  });

test('readablePodTemplate() leaves out what Kubernetes could not read and keeps the rest', () => {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: {
      containers: [
        { name: 'web', image: 'web:1', resources: { requests: { memory: 'invalid', cpu: '1000m' } }, odd: 1 },
      ],
    },
  } as unknown as PodTemplate;
  assert.deepEqual(readablePodTemplate(template), {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '1' } } }] },
  });
});

test('olderPodTemplateHash() differs: controllers before Kubernetes 1.34 wrote a creationTimestamp', () => {
  const template: PodTemplate = { metadata: { labels: { app: 'web' } } };
  assert.notEqual(olderPodTemplateHash(template), podTemplateHash(template));
});
