import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type ClusterConfig, connect, loadKubeconfig } from '@tiphys/kubernetes';

/* How a connection to a real API server fails, and what is said then. Needs TIPHYS_TEST_KUBECONFIG. */

const file = process.env.TIPHYS_TEST_KUBECONFIG ?? '';
const config = loadKubeconfig(readFileSync(file, 'utf8'), { file });

async function list(changed: Partial<ClusterConfig>): Promise<unknown> {
  const client = connect({ ...config, ...changed }, { caller: { component: 'test', purpose: 'connect' } });
  try {
    return await client.list({ apiVersion: 'v1', kind: 'Namespace' });
  } finally {
    await client.close();
  }
}

const faults: { name: string; change: Partial<ClusterConfig>; code: string; shows?: RegExp }[] = [
  { name: 'no CA', change: { tls: {} }, code: 'ClusterCertificateUntrusted', shows: /issuer: CN=/ },
  {
    name: 'another name',
    change: { tls: { ...config.tls, serverName: 'other.example.com' } },
    code: 'ClusterCertificateName',
    shows: /names: .*127\.0\.0\.1/,
  },
  {
    name: 'HTTP instead of HTTPS',
    change: { server: config.server.replace('https', 'http') },
    code: 'ClusterTlsFailed',
  },
  { name: 'a wrong token', change: { bearerToken: 'wrong' }, code: 'ClusterUnauthorized' },
];

for (const { name, change, code, shows } of faults) {
  test(`${name} is told as ${code}`, async () => {
    await assert.rejects(list(change), (error) => {
      assert.ok(error instanceof DiagnosisError);
      assert.equal(error.diagnosis.code, code);
      assert.equal(error.diagnosis.cause, 'C17');
      if (shows) assert.match(error.diagnosis.evidence.map((item) => `${item.name}: ${item.value}`).join('\n'), shows);
      return true;
    });
  });
}

test('an exec plugin gives the token, and one that fails is named with what it said', async () => {
  const { bearerToken = '', ...anonymous } = config;
  const folder = mkdtempSync(join(tmpdir(), 'exec-plugin-'));
  const plugin = join(folder, 'login');
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: bearerToken },
  };
  writeFileSync(
    plugin,
    `#!/bin/sh\ncase "$KUBERNETES_EXEC_INFO" in *ExecCredential*) echo '${JSON.stringify(credential)}';; esac\n`,
    { mode: 0o755 },
  );
  const client = connect(
    { ...anonymous, exec: { command: plugin } },
    { caller: { component: 'test', purpose: 'connect' } },
  );
  assert.ok((await client.list({ apiVersion: 'v1', kind: 'Namespace' })).items.length > 0);
  await client.close();
  writeFileSync(plugin, '#!/bin/sh\necho "session expired" >&2\nexit 1\n', { mode: 0o755 });
  await assert.rejects(list({ ...anonymous, bearerToken: '', exec: { command: plugin } }), (error) => {
    assert.ok(error instanceof DiagnosisError);
    assert.equal(error.diagnosis.code, 'CredentialPluginFailed');
    assert.match(JSON.stringify(error.diagnosis.evidence), /session expired/);
    return true;
  });
  rmSync(folder, { recursive: true });
});
