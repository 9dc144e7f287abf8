import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskSecrets } from './mask-secrets.ts';

const secret = (data: Record<string, string>, annotations: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', annotations },
  data,
});

test('values are hidden, and whether they differ stays visible', () => {
  const [live, target] = maskSecrets([
    secret({ same: 'TUFSS0VS', other: 'YQ==' }),
    secret({ same: 'TUFSS0VS', other: 'Yg==' }),
  ]);
  assert.deepEqual(live?.data, { same: '++++++++', other: '++++++++' });
  assert.deepEqual(target?.data, { same: '++++++++', other: '++++++++++++' });
});

test('no copy of a value is left in annotations (CVE-2026-45737)', () => {
  const nested = JSON.stringify({ ...secret({ k: 'TUFSS0VS' }), stringData: { k: 'MARKER' } });
  const masked = maskSecrets(
    [
      secret(
        { k: 'TUFSS0VS' },
        { 'kubectl.kubernetes.io/last-applied-configuration': nested, token: 'MARKER', broken: 'x' },
      ),
    ],
    ['token'],
  );
  const text = JSON.stringify(masked);
  assert.ok(!text.includes('MARKER') && !text.includes('TUFSS0VS'), text);
  const unreadable = maskSecrets([
    secret({}, { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"k":"MARKER"' }),
  ]);
  assert.ok(!JSON.stringify(unreadable).includes('MARKER'));
});

test('a Secret whose data is no object shows nothing either', () => {
  const odd = { ...secret({}), data: 'MARKER' as unknown as Record<string, string> };
  assert.ok(!JSON.stringify(maskSecrets([odd])).includes('MARKER'));
});

test('stringData is shown as the data that it becomes', () => {
  const written = { ...secret({}), stringData: { k: 'hello' } };
  const [target, live] = maskSecrets([written, secret({ k: 'aGVsbG8=' })]);
  assert.deepEqual(
    [target?.data, (target as { stringData?: unknown }).stringData, live?.data],
    [{ k: '++++++++' }, undefined, { k: '++++++++' }],
  );
});

test('other kinds are left alone', () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { k: 'v' } };
  assert.deepEqual(maskSecrets([config])[0], config);
});
