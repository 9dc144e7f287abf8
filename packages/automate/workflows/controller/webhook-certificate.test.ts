import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { issueCertificate } from '@tiphys/pki';
import { startSandbox } from '@tiphys/sandbox';
import type { NodeStatus, Workflow } from '../model/types.ts';
import { startSimulatedExecutor } from '../simulated-executor/simulated-executor.ts';
import { startWorkflows } from './start-workflows.ts';

const timeout = AbortSignal.timeout(120_000);
const namespace = 'incident';
const workflows = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace };
const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  name: 'pods.incident.example.com',
};
const authority = (commonName: string) => ({
  ...issueCertificate({ commonName, use: 'ca', now: Date.now() }),
  commonName,
});
const certificateOf = (issuer: ReturnType<typeof authority>) =>
  issueCertificate({ commonName: 'webhook', hosts: ['127.0.0.1'], use: 'server', now: Date.now(), issuer });
const [oldAuthority, newAuthority] = [authority('old'), authority('new')];

/** Admits every pod. Once it has admitted the first, it has the certificate of another authority. */
const webhook = createServer(certificateOf(oldAuthority), async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { uid } = (JSON.parse(text) as { request: { uid: string } }).request;
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
  webhook.setSecureContext(certificateOf(newAuthority));
  response.setHeader('Connection', 'close');
  response.end(JSON.stringify(review));
});

let client: Client;
const closers: (() => unknown)[] = [];

before(async () => {
  const sandbox = await startSandbox({ nodes: 1 });
  closers.unshift(() => sandbox.close());
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'webhook certificate' } });
  closers.unshift(() => client.close());
  const abort = new AbortController();
  closers.unshift(() => abort.abort(new Error('over')));
  const shared = { client, clock: systemClock, signal: abort.signal, onError: () => undefined };
  for (const name of ['argo', namespace])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  webhook.listen(0, '127.0.0.1');
  closers.unshift(() => webhook.close());
  await once(webhook, 'listening');
  await client.create({
    ...configuration,
    metadata: { name: configuration.name },
    webhooks: [
      {
        name: configuration.name,
        clientConfig: {
          url: `https://127.0.0.1:${(webhook.address() as AddressInfo).port}/`,
          caBundle: Buffer.from(oldAuthority.cert).toString('base64'),
        },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  const base = { env: {}, executorImage: 'argoexec', wrapsCommands: false };
  const runtime = await startWorkflows({ ...shared, namespace: 'argo', base });
  closers.unshift(() => runtime.close());
  await startSimulatedExecutor(shared);
});

after(async () => {
  for (const close of closers) await close();
});

const create = (name: string, retryStrategy: object, steps: object[][]) =>
  client.create({
    ...workflows,
    metadata: { name, namespace },
    spec: {
      entrypoint: 'main',
      templates: [
        { name: 'main', steps },
        { name: 'say', container: { image: 'alpine', command: ['echo', 'hello'] } },
        { name: 'tried', retryStrategy, container: { image: 'alpine', command: ['echo', 'hello'] } },
      ],
    },
  });

/** The workflow as soon as its nodes are as wanted. */
async function until(name: string, isWanted: (workflow: Workflow) => boolean): Promise<Workflow> {
  const { items, metadata } = await client.list<KubeObject & Workflow>(workflows);
  const seen = items.find((each) => each.metadata.name === name);
  if (seen && isWanted(seen)) return seen;
  const options = { resourceVersion: metadata.resourceVersion ?? '', signal: timeout };
  for await (const { object } of client.watch<KubeObject & Workflow>(workflows, options))
    if (object.metadata.name === name && isWanted(object)) return object;
  throw new Error('the watch ended');
}

const second = [{ name: 'second', template: 'tried' }];
const nodesOf = ({ status }: Workflow, displayName: RegExp): NodeStatus[] =>
  Object.values(status?.nodes ?? {}).filter((node) => displayName.test(node.displayName ?? ''));
const isCompleted = ({ metadata }: Workflow) => metadata.labels?.['workflows.argoproj.io/completed'] === 'true';
const cause =
  /^Admission webhook pods\.incident\.example\.com has a bad certificate: tls: failed to verify certificate: x509: certificate signed by unknown authority/;

test("a webhook's certificate changes under a workflow: its attempts say so, and it goes on when the certificate is right", async () => {
  const strategy = { limit: 1000, retryPolicy: 'OnError', backoff: { duration: '1s' } };
  await create('patient', strategy, [[{ name: 'first', template: 'say' }], second]);
  const blocked = await until('patient', (workflow) => nodesOf(workflow, /^second\(/).some((n) => n.phase === 'Error'));
  assert.equal(nodesOf(blocked, /^first$/)[0]?.phase, 'Succeeded', 'the workflow was under way');
  assert.match(nodesOf(blocked, /^second\(0\)$/)[0]?.message ?? '', cause);

  await create('plain', { limit: 1000 }, [second]);
  const ended = await until('plain', isCompleted);
  assert.equal(ended.status?.phase, 'Failed');
  const told = nodesOf(ended, /^second$/)[0]?.message ?? '';
  assert.match(told, cause);
  assert.match(
    told,
    /\(not tried again: retryPolicy OnFailure, which is the default, is for Failed nodes, this one is in Error\)$/,
  );

  await client.patch(configuration, 'json', [
    {
      op: 'replace',
      path: '/webhooks/0/clientConfig/caBundle',
      value: Buffer.from(newAuthority.cert).toString('base64'),
    },
  ] as never);
  const done = await until('patient', isCompleted);
  assert.equal(done.status?.phase, 'Succeeded', done.status?.message ?? '');
  const attempts = nodesOf(done, /^second\(/);
  assert.equal(attempts.filter(({ phase }) => phase === 'Succeeded').length, 1);
  for (const { phase, message } of attempts) if (phase === 'Error') assert.match(message ?? '', cause);
});
