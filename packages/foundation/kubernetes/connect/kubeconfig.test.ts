import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { ClusterConfig } from './client.ts';
import { formatKubeconfig, inClusterConfig, kubeconfigContexts, loadKubeconfig } from './kubeconfig.ts';

const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const text = `apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: one
  cluster:
    server: https://one.example.com:6443
    certificate-authority-data: ${base64(pem)}
    tls-server-name: kubernetes
    proxy-url: http://proxy:3128
- name: two
  cluster: { server: 'https://two.example.com', insecure-skip-tls-verify: true }
users:
- name: token
  user: { token: abc, as: jane, as-groups: [dev] }
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./login
      args: [--cluster, two]
      env: [{ name: A, value: b }]
      installHint: Install login
contexts:
- name: dev
  context: { cluster: one, user: token, namespace: shop }
- name: ops
  context: { cluster: two, user: plugin }
- name: broken
  context:
    cluster: three
    user: token
`;

test('the current context gives server, TLS, credential, identity and namespace', () => {
  assert.deepEqual(loadKubeconfig(text), {
    name: 'dev',
    server: 'https://one.example.com:6443',
    proxyUrl: 'http://proxy:3128',
    tls: { ca: pem, serverName: 'kubernetes' },
    bearerToken: 'abc',
    impersonate: { name: 'jane', groups: ['dev'] },
    namespace: 'shop',
  } satisfies ClusterConfig);
});

test('another context can be chosen; file names count from the folder of the kubeconfig', () => {
  const config = loadKubeconfig(text, { context: 'ops', baseDir: '/home/jane/.kube' });
  assert.deepEqual(config.tls, { insecure: true });
  assert.deepEqual(config.exec, {
    command: '/home/jane/.kube/login',
    apiVersion: 'client.authentication.k8s.io/v1',
    args: ['--cluster', 'two'],
    env: { A: 'b' },
    installHint: 'Install login',
  });
  assert.deepEqual(kubeconfigContexts(text), { current: 'dev', names: ['dev', 'ops', 'broken'] });
});

test('certificates are read from files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  writeFileSync(join(folder, 'ca.crt'), pem);
  const config = loadKubeconfig(text.replace(/certificate-authority-data: .*/, 'certificate-authority: ca.crt'), {
    baseDir: folder,
  });
  assert.equal(config.tls?.ca, pem);
  rmSync(folder, { recursive: true });
});

test('what is formatted reads back as the same', () => {
  for (const context of ['dev', 'ops']) {
    const { name, ...config } = loadKubeconfig(text, { context, baseDir: '/x' });
    const again = loadKubeconfig(formatKubeconfig({ ...config, name: context }), { baseDir: '/x' });
    assert.deepEqual(again, { name, ...config });
  }
});

const faults: {
  name: string;
  from: RegExp | string;
  to: string;
  context?: string;
  message: RegExp;
  line: number;
  field?: string;
}[] = [
  {
    name: 'missing cluster',
    from: '',
    to: '',
    context: 'broken',
    message: /no cluster three/,
    line: 31,
    field: 'contexts[2].context.cluster',
  },
  {
    name: 'missing context',
    from: 'current-context: dev',
    to: 'current-context: prod',
    message: /no context prod/,
    line: 3,
  },
  {
    name: 'URL without scheme',
    from: 'https://one.example.com:6443',
    to: 'one.example.com:6443',
    message: /not an http\(s\) URL/,
    line: 7,
  },
  {
    name: 'bad base64',
    from: /certificate-authority-data: .*/,
    to: 'certificate-authority-data: zzz',
    message: /not PEM/,
    line: 8,
  },
  {
    name: 'absent file',
    from: /certificate-authority-data: .*/,
    to: 'certificate-authority: /nope/ca.crt',
    message: /cannot be read: \/nope\/ca\.crt/,
    line: 8,
  },
  { name: 'YAML syntax', from: 'kind: Config', to: 'kind: [Config', message: /not YAML/, line: 2 },
  {
    name: 'certificate without key',
    from: 'token: abc',
    to: `client-certificate-data: ${base64(pem)}`,
    message: /certificate without key/,
    line: 15,
  },
  {
    name: 'removed auth-provider',
    from: 'token: abc',
    to: 'auth-provider: { name: gcp }',
    message: /removed in 1\.26/,
    line: 15,
  },
];

for (const { name, from, to, context, message, line, field } of faults) {
  test(`a fault names file and line: ${name}`, () => {
    const load = () => loadKubeconfig(text.replace(from, to), { file: 'kubeconfig', ...(context ? { context } : {}) });
    assert.throws(load, (error) => {
      assert.ok(error instanceof DiagnosisError);
      assert.equal(error.diagnosis.code, 'KubeconfigInvalid');
      assert.match(error.diagnosis.message, message);
      assert.equal(error.diagnosis.place?.file, 'kubeconfig');
      assert.equal(error.diagnosis.place?.line, line);
      if (field) assert.equal(error.diagnosis.place?.field, field);
      return true;
    });
  });
}

test('a pod finds its cluster by its service account', () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-account-'));
  writeFileSync(join(folder, 'ca.crt'), pem);
  writeFileSync(join(folder, 'token'), 'abc\n');
  writeFileSync(join(folder, 'namespace'), 'argocd');
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  const config = inClusterConfig(env, folder);
  assert.equal(config?.server, 'https://[fd00::1]:443');
  assert.equal(config?.bearerToken, 'abc');
  assert.equal(config?.namespace, 'argocd');
  assert.equal(inClusterConfig({}, folder), undefined);
  rmSync(folder, { recursive: true });
});
