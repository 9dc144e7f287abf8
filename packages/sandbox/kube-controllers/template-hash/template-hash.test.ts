import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { PodTemplate } from '../machinery/workload-model.ts';
import { templateHash } from './template-hash.ts';

interface HashedTemplate {
  name: string;
  /** As the API server gives it back. */
  template: PodTemplate;
  /** What kube-controller-manager 1.34.4 labelled the ReplicaSet with. */
  hash: string;
}

const hashed = JSON.parse(
  readFileSync(new URL('./testdata/hashed-templates.json', import.meta.url), 'utf8'),
) as HashedTemplate[];

describe('the hash of a pod template is the one of kube-controller-manager', () => {
  for (const { name, template, hash } of hashed) test(name, () => assert.equal(templateHash(template), hash));

  test('with a count of collisions it is another one', () => {
    const [{ template, hash } = assert.fail('no template')] = hashed;
    assert.notEqual(templateHash(template, 1), hash);
    assert.notEqual(templateHash(template, 0), hash);
  });
});
