import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiagnosisError, formatDiagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { clusterConfigOf, secretText } from './cluster-secret.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const secret = (data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'argocd', name: 'cluster-east' },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
});

test('a cluster Secret becomes a connection', () => {
  const config = {
    bearerToken: 'token',
    tlsClientConfig: { insecure: false, serverName: 'east', caData: base64('CA'), certData: base64('CERT') },
  };
  assert.deepEqual(
    clusterConfigOf(secret({ server: 'https://east:6443/', name: 'east', config: JSON.stringify(config) })),
    {
      server: 'https://east:6443',
      name: 'east',
      bearerToken: 'token',
      tls: { insecure: false, serverName: 'east', ca: 'CA', cert: 'CERT' },
    },
  );
  assert.deepEqual(clusterConfigOf(secret({ server: 'https://east' })), { server: 'https://east' });
  const exec = { execProviderConfig: { command: 'aws', args: ['eks'], apiVersion: 'client.authentication.k8s.io/v1' } };
  assert.deepEqual(
    clusterConfigOf(secret({ server: 'https://east', config: JSON.stringify(exec) }), ['aws']).exec,
    exec.execProviderConfig,
  );
});

test('a cluster names no program that was not allowed, and steers none that was', () => {
  const refused = (command: string, env: Record<string, string> = {}) => {
    const config = JSON.stringify({ execProviderConfig: { command, args: ['-c', 'id'], env } });
    assert.throws(
      () => clusterConfigOf(secret({ server: 'https://east', config }), ['aws']),
      (error) => error instanceof DiagnosisError && error.diagnosis.code === 'ExecProviderRefused',
      command,
    );
  };
  for (const command of ['sh', '/bin/sh', './aws', '/tmp/aws', 'aws ', 'aws;id', 'constructor']) refused(command);
  for (const name of ['PATH', 'LD_PRELOAD', 'NODE_OPTIONS', 'BASH_ENV', 'Python_Path']) refused('aws', { [name]: 'x' });
  const config = JSON.stringify({ execProviderConfig: { command: 'argocd-k8s-auth', args: ['aws'] } });
  assert.equal(clusterConfigOf(secret({ server: 'https://east', config })).exec?.command, 'argocd-k8s-auth');
});

test('a cluster of EKS gets its token from the AWS command line', () => {
  const awsAuthConfig = { clusterName: 'east', roleARN: 'arn:aws:iam::1:role/deliver', profile: 'work' };
  assert.deepEqual(
    clusterConfigOf(secret({ server: 'https://east', config: JSON.stringify({ awsAuthConfig }) })).exec?.args,
    [
      'eks',
      'get-token',
      '--output',
      'json',
      '--cluster-name=east',
      '--role-arn=arn:aws:iam::1:role/deliver',
      '--profile=work',
    ],
  );
});

test('what cannot be used is refused with the Secret and without its values', () => {
  for (const config of ['{"password": "hunter2', '{"awsAuthConfig": {"profile": "hunter2"}}']) {
    assert.throws(
      () => clusterConfigOf(secret({ server: 'https://east', config })),
      (error) => {
        assert.ok(error instanceof DiagnosisError);
        assert.equal(error.diagnosis.cause, 'C17');
        assert.equal(error.diagnosis.place?.object, 'Secret argocd/cluster-east');
        assert.ok(!formatDiagnosis(error.diagnosis).includes('hunter2'));
        return true;
      },
    );
  }
});

test('a key that is absent is empty', () => {
  assert.equal(secretText(secret({ name: 'east' }), 'name'), 'east');
  assert.equal(secretText(secret({}), 'name'), '');
});
