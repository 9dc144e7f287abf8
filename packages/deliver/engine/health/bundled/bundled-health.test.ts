import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import fc from 'fast-check';
import { parse } from 'yaml';
import { healthOf } from '../health.ts';
import { bundledHealth } from './bundled-health.ts';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });

type Row = readonly [fields: Record<string, unknown>, expected: string];

const file = join(import.meta.dirname, '../../testdata/bundled-health.yaml');
const table = parse(readFileSync(file, 'utf8')) as Record<string, Row[]>;

function objectOf(name: string, fields: Record<string, unknown>): KubeObject {
  const [group, kind = ''] = name.split('/');
  const metadata = { name: 'it', ...(fields.metadata as object | undefined) };
  return { apiVersion: `${group}/v1`, kind, ...fields, metadata };
}

describe('health of well-known kinds', () => {
  for (const [name, rows] of Object.entries(table)) {
    it(name, () => {
      for (const [fields, expected] of rows) {
        const health = healthOf(objectOf(name, fields));
        const found = health ? `${health.status}${health.message ? `: ${health.message}` : ''}` : '';
        assert.equal(found, expected, JSON.stringify(fields));
      }
    });
  }
});

test('each kind has cases, and one of them is Healthy', () => {
  assert.equal(Object.keys(table).length, 243);
  for (const [name, rows] of Object.entries(table))
    assert.ok(
      rows.some(([, expected]) => expected.startsWith('Healthy')),
      name,
    );
});

test('patterns of groups stand for the names below them alone', () => {
  assert.ok(bundledHealth('ec2.aws.crossplane.io', 'VPC'));
  assert.ok(bundledHealth('pubsub.cnrm.cloud.google.com', 'PubSubTopic'));
  assert.equal(bundledHealth('crossplane.io', 'Thing'), undefined);
  assert.equal(bundledHealth('', 'ConfigMap'), undefined);
  assert.equal(bundledHealth('cert-manager.io', 'Unknown'), undefined);
});

/** A status in which anything may be anything: controllers have bugs, and users edit objects. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, 3, '', 'True', 'False', 'Ready', 'Running', 'told'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        'conditions',
        'type',
        'status',
        'message',
        'reason',
        'phase',
        'state',
        'replicas',
        'environments',
      ),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).value;

test('no status, whatever it holds, makes a check throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(table)), anything, anything, (name, status, spec) => {
      healthOf(objectOf(name, { status, spec }));
    }),
    { numRuns: 3000 },
  );
});
