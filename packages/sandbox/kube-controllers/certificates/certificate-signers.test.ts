import assert from 'node:assert/strict';
import { createSign, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { after, test } from 'node:test';
import { bitString, integer, objectId, sequence, tagged } from '@tiphys/der';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { name } from '../../pki/issue-certificate.ts';
import { eventually } from '../testing/eventually.ts';

const cluster = await startSandbox({ nodes: 0 });
const client = connect(cluster.config, { caller: { component: 'test', purpose: 'test' } });
after(async () => {
  await client.close();
  await cluster.close();
});

interface Request extends KubeObject {
  status?: { certificate?: string; conditions?: { type: string; reason: string; message: string }[] };
}

/** A key and a PKCS#10 request that it signs. */
function requestOf(commonName: string, organization: string): { key: string; pem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const info = sequence(
    integer(Buffer.from([0])),
    name(commonName, [organization]),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa0, Buffer.alloc(0)),
  );
  const signature = createSign('SHA256').update(info).sign(privateKey);
  const der = sequence(info, sequence(objectId('1.2.840.10045.4.3.2')), bitString(signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    pem: `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`,
  };
}

async function approved(requestName: string, pem: string, spec: object): Promise<void> {
  const made = await client.create<Request>({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: requestName },
    spec: { request: Buffer.from(pem).toString('base64'), signerName: 'kubernetes.io/kube-apiserver-client', ...spec },
  } as Request);
  const condition = { type: 'Approved', status: 'True', reason: 'Test', message: 'fine' };
  await client.update({ ...made, status: { conditions: [condition] } } as Request, { subresource: 'approval' });
}

const settled = (requestName: string) =>
  eventually<Request>(
    client,
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    requestName,
    (found) => Boolean(found?.status?.certificate) || (found?.status?.conditions?.length ?? 0) > 1,
  );

test('an approved request gets a certificate by which the server knows its owner', async () => {
  const { key, pem } = requestOf('jane', 'team');
  await approved('jane', pem, { usages: ['client auth', 'digital signature'], expirationSeconds: 3600 });
  const { status } = await settled('jane');
  const cert = Buffer.from(status?.certificate ?? '', 'base64').toString();
  const { validTo } = new X509Certificate(cert);
  assert.ok(Math.abs(Date.parse(validTo) - Date.now() - 3600_000) < 60_000, validTo);
  const { ca } = JSON.parse(JSON.stringify({ ca: cluster.kubeconfig })) as { ca: string };
  const authority = Buffer.from(/certificate-authority-data: (\S+)/.exec(ca)?.[1] ?? '', 'base64').toString();
  const server = cluster.url.replace('http:', 'https:');
  const jane = connect(
    { name: 'jane', server, tls: { ca: authority, cert, key } },
    { caller: { component: 'test', purpose: 'test' } },
  );
  try {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    const { status: who } = await jane.create<KubeObject>(review);
    assert.deepEqual(who, { userInfo: { username: 'jane', groups: ['team', 'system:authenticated'] } });
  } finally {
    await jane.close();
  }
});

test('a request for more than its signer gives fails', async () => {
  await approved('greedy', requestOf('greedy', 'team').pem, { usages: ['server auth', 'client auth'] });
  const { status } = await settled('greedy');
  const failed = status?.conditions?.find(({ type }) => type === 'Failed');
  assert.equal(failed?.reason, 'SignerValidationFailure');
  assert.equal(failed?.message, 'invalid usage for client certificate: server auth');
});
