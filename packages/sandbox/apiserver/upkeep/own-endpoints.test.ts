import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startSandbox } from '@tiphys/sandbox';

it('The service kubernetes leads to where the server listens, also after a restart on another port', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'own-endpoints-'));
  try {
    for (let start = 0; start < 2; start++) {
      const sandbox = await startSandbox({ dataDir, controllers: false, nodes: 0 });
      const read = async (path: string) => {
        const headers = { authorization: `Bearer ${sandbox.config.bearerToken}` };
        return (await (
          await fetch(
            `${sandbox.url}${path}/namespaces/default/${path.endsWith('api/v1') ? 'endpoints' : 'endpointslices'}/kubernetes`,
            { headers },
          )
        ).json()) as Record<string, unknown>;
      };
      const ports = [{ name: 'https', port: Number(new URL(sandbox.url).port), protocol: 'TCP' }];
      const { subsets } = await read('/api/v1');
      assert.deepEqual(subsets, [{ addresses: [{ ip: '127.0.0.1' }], ports }]);
      const slice = await read('/apis/discovery.k8s.io/v1');
      assert.deepEqual(slice.endpoints, [{ addresses: ['127.0.0.1'], conditions: { ready: true } }]);
      assert.deepEqual(slice.ports, ports);
      await sandbox.close();
    }
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
