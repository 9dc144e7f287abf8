import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Application } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { World } from '../e2e/support/world.ts';
import { Terminal } from './terminal.ts';

/** An operator's chart as many are: its webhook's certificate, and the bundle that the API server trusts, are made at each render. */
const chart = (port: number, image: string): Record<string, string> => ({
  'operator/Chart.yaml': 'apiVersion: v2\nname: operator\nversion: 1.0.0\n',
  'operator/values.yaml': `image: operator:${image}\n`,
  'operator/templates/webhook.yaml': `{{- $ca := genCA "operator-ca" 3650 }}
{{- $cert := genSignedCert "operator" (list "127.0.0.1") (list "localhost") 365 $ca }}
apiVersion: v1
kind: Secret
metadata: {name: operator-tls}
type: kubernetes.io/tls
data:
  tls.crt: {{ $cert.Cert | b64enc }}
  tls.key: {{ $cert.Key | b64enc }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: operator}
data: {image: {{ .Values.image }}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: "operator-{{ .Release.Namespace }}"}
webhooks:
- name: guard.operator.example.com
  clientConfig: {url: "https://127.0.0.1:${port}/validate", caBundle: {{ $ca.Cert | b64enc }}}
  rules: [{apiGroups: [argoproj.io], apiVersions: [v1alpha1], resources: [workflows], operations: [CREATE]}]
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: {{ .Release.Namespace }}}}
  sideEffects: None
  admissionReviewVersions: [v1]
  timeoutSeconds: 5
`,
});

const allow = (body: string): string => {
  const { uid } = (JSON.parse(body) as { request: { uid: string } }).request;
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: true },
  });
};

/** The operator's pod: it reads its certificate from the Secret when it starts, and never again. */
class Operator {
  readonly server: Server;
  constructor(port: number, pair: { cert: string; key: string }) {
    this.server = createServer(pair, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(allow(Buffer.concat(chunks).toString()));
      });
    });
    this.server.listen(port, '127.0.0.1');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => void this.server.close(() => resolve()));
  }
}

const reservedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
};

test('a chart makes the certificate of its webhook: no cache that is lost, no commit and no restart changes it, and workflows go on', async (t) => {
  const world = await World.start({ workflows: true });
  t.after(() => world.close());
  const port = await reservedPort();
  const namespace = await world.targetNamespace();
  const repository = world.repository(chart(port, '1'));
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'operator-tls' };
  await world.createApplication('operator', repository, {
    path: 'operator',
    targetNamespace: namespace,
    syncPolicy: { automated: { prune: true, selfHeal: true } },
  });
  await world.healthy('operator');
  const pairOf = async () => {
    const data = (await world.client.get<KubeObject & { data: Record<string, string> }>(secret)).data;
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
    return { cert: text('tls.crt'), key: text('tls.key') };
  };
  const pair = await pairOf();
  let operator = new Operator(port, pair);
  t.after(() => operator.stop());

  /** A workflow comes to its end, through the webhook. */
  const runs = async (name: string) => {
    await world.client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { name, namespace },
      spec: { entrypoint: 'main', templates: [{ name: 'main', suspend: { duration: '0' } }] },
    } as KubeObject);
    await world.waitFor(
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace, name },
      'the end of the workflow',
      (object) => (object?.status as { phase?: string } | undefined)?.phase === 'Succeeded',
    );
  };
  const settled = (commit: string): Promise<Application> =>
    world.waitForApplication(
      'operator',
      `Synced at ${commit}`,
      ({ operation, status }) =>
        !operation &&
        status?.sync?.revision === commit &&
        status.sync.status === 'Synced' &&
        status.operationState?.phase === 'Succeeded',
    );
  await runs('before');

  // the incident: every cache is lost, and the chart is rendered again
  await world.restart();
  await world.rest('GET', '/api/v1/applications/operator?refresh=hard');
  await settled(repository.git('rev-parse', 'HEAD'));
  assert.equal((await world.application('operator')).status?.history?.length, 1, 'nothing was synced again');
  await runs('after-the-caches');

  // a commit that has nothing to do with the certificate is delivered, and leaves it
  const commit = repository.commit(chart(port, '2'));
  await world.rest('GET', '/api/v1/applications/operator?refresh=normal');
  await settled(commit);
  assert.deepEqual(await pairOf(), pair);
  await runs('after-a-commit');

  // on purpose: Secret and bundle change together, and until the operator reads its Secret the x509 is reported by its webhook's name
  const terminal = await Terminal.of(world);
  t.after(() => terminal.close());
  const rotated = await terminal.run('app', 'rotate-generated', 'operator');
  assert.equal(rotated.code, 0, rotated.text);
  const fresh = await pairOf();
  assert.notDeepEqual(fresh, pair);
  await assert.rejects(runs('between'), (error: Error) => {
    assert.match(error.message, /guard\.operator\.example\.com.*x509|x509.*guard\.operator\.example\.com/s);
    return true;
  });
  await operator.stop();
  operator = new Operator(port, fresh);
  await runs('after-the-rotation');
  const { text } = await terminal.run('app', 'get', 'operator');
  assert.match(text, /Sync Status: +Synced/);
  assert.doesNotMatch(text, /PRIVATE KEY/);
});
