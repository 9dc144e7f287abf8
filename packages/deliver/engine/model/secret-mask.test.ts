import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { maskSecret, maskSecrets } from './secret-mask.ts';

const secret = (value: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 's',
    annotations: {
      note: value,
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
        kind: 'Secret',
        metadata: { annotations: { note: value } },
        data: { a: value },
        stringData: { b: value },
      }),
    },
  },
  data: { a: value },
  stringData: { b: value },
});

describe('masking', () => {
  it('leaves no value of a Secret anywhere, the last applied configuration included', () => {
    const text = JSON.stringify(maskSecret(secret('MARKER'), ['note']));
    assert.ok(!text.includes('MARKER'), text);
  });

  it('shows stringData of the last applied configuration as the data that it became', () => {
    const last = maskSecret(secret('x')).metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'];
    const { data, stringData } = JSON.parse(String(last)) as { data: unknown; stringData?: unknown };
    assert.deepEqual([data, stringData], [{ a: '++++++++', b: '++++++++' }, undefined]);
  });

  it('hides an annotation whose last applied configuration cannot be read', () => {
    const broken = secret('MARKER');
    broken.metadata.annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{MARKER' };
    assert.ok(!JSON.stringify(maskSecret(broken)).includes('MARKER'));
  });

  it('shows whether two values differ, and no more', () => {
    const [a, b, same] = maskSecrets([secret('one'), secret('two'), secret('one')]);
    assert.notDeepEqual(a?.['data'], b?.['data']);
    assert.deepEqual(a?.['data'], same?.['data']);
  });

  it('decides by the object itself', () => {
    const config: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } };
    assert.deepEqual(maskSecret(config), config);
  });
});
