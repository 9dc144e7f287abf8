import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow } from '../../model/types.ts';
import { packNodes, unpackNodes } from '../persistence/nodes-codec.ts';
import { parseSettings } from './controller-settings.ts';

const settingsOf = (env: Record<string, string>) => parseSettings(new Map(), { env, executorImage: 'argoexec' });

const large = {
  metadata: { name: 'w' },
  spec: {},
  status: { nodes: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`n${index}`, { id: `n${index}` }])) },
} as unknown as Workflow;

test('nodes are packed as the variables of upstream say, and unpacked however they were packed', () => {
  for (const [algorithm, levels] of [
    ['gzip', ['1', '9']],
    ['zstd', ['1', '4']],
    ['brotli', ['0', '11']],
  ] as const)
    for (const level of ['', ...levels]) {
      const { settings, problems } = settingsOf({
        WORKFLOW_COMPRESSION_ALGORITHM: algorithm,
        WORKFLOW_COMPRESSION_LEVEL: level,
        MAX_WORKFLOW_SIZE: '2000',
      });
      assert.deepEqual(problems, []);
      const packed = packNodes(large, settings.packing);
      assert.equal(packed.status?.nodes, undefined);
      const { status } = unpackNodes(packed);
      assert.deepEqual(status?.nodes, large.status?.nodes, `${algorithm} ${level}`);
    }
  assert.equal(packNodes(large), large, 'it is small by default');
});

test('variables that mean nothing are told, and their defaults apply', () => {
  const { settings, problems } = settingsOf({
    WORKFLOW_COMPRESSION_ALGORITHM: 'lz4',
    WORKFLOW_COMPRESSION_LEVEL: '12',
    WF_DEL_PROPAGATION_POLICY: 'Never',
    WORKFLOW_USER_OVERRIDE_ALLOWLIST: 'podSpecPatch, nodeselector',
  });
  assert.deepEqual(
    problems.map(({ place }) => place?.field),
    [
      'WORKFLOW_USER_OVERRIDE_ALLOWLIST',
      'WORKFLOW_COMPRESSION_ALGORITHM',
      'WORKFLOW_COMPRESSION_LEVEL',
      'WF_DEL_PROPAGATION_POLICY',
    ],
  );
  assert.deepEqual(settings.packing, { algorithm: 'gzip', largest: 1024 * 1024 });
  assert.equal(settings.deletePropagation, 'Background');
  assert.deepEqual(settings.userOverrides, ['podSpecPatch']);
});
