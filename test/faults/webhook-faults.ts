import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createPlainServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../packages/sources/git/testing/index.ts';
import { configMap } from '../e2e/support/manifests.ts';
import type { Fault, Stage } from './fault.ts';

type Kind = 'Validating' | 'Mutating';

const apiVersion = 'admissionregistration.k8s.io/v1';

/** An admission webhook that is asked for ConfigMaps of the stage's namespace alone. */
async function webhook(stage: Stage, clientConfig: object, kind: Kind = 'Validating'): Promise<void> {
  await stage.create({
    apiVersion,
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: stage.name },
    webhooks: [
      {
        name: `guard.${stage.name}.example.com`,
        clientConfig,
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': stage.namespace } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 2,
      },
    ],
  });
}

const remove =
  (kind: Kind = 'Validating') =>
  ({ world, name }: Stage) =>
    world.client.delete({ apiVersion, kind: `${kind}WebhookConfiguration`, name });

type Certificate = NonNullable<Parameters<typeof makeCertificate>[1]>;

const certificate = (options: Certificate = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-tls-'));
  try {
    return makeCertificate(folder, options);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

/** A webhook at a server with the certificate, which its configuration trusts. */
async function served(stage: Stage, answer: RequestListener, of: Certificate = {}, kind?: Kind): Promise<void> {
  const pair = certificate(of);
  const port = await portOf(createServer(pair, answer));
  await webhook(
    stage,
    { url: `https://127.0.0.1:${port}/v`, caBundle: Buffer.from(pair.cert).toString('base64') },
    kind,
  );
}

type Response = (uid: string) => object;

/** Answers reviews. */
const reviewing =
  (answerOf: Response): RequestListener =>
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { uid } = (JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string } }).request;
      json(response, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answerOf(uid) });
    });
  };

const json = (response: ServerResponse, value: unknown, code = 200): void => {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

const never: RequestListener = () => undefined;

type Row = Pick<Fault, 'title' | 'code' | 'contains'> & Partial<Fault>;

/** A fault of a webhook that ends when the webhook goes. */
const row = (fault: Row, set: (stage: Stage) => Promise<void>, kind?: Kind): Fault => ({
  id: fault.code === 'WebhookCertificate' ? 'C3' : fault.code === 'WebhookUnavailable' ? 'C4' : fault.code,
  excludes: [/Commit a correction/],
  ...fault,
  inject: async (stage) => {
    await set(stage);
    stage.commit({ 'app/a.yaml': configMap('a', 'two') });
  },
  mend: remove(kind),
});

const patch = Buffer.from(JSON.stringify([{ op: 'replace', path: '/spec/nope/x', value: 1 }])).toString('base64');

/** Webhooks of admission that keep a sync from its end. */
export const webhookFaults: readonly Fault[] = [
  row(
    {
      title: 'an admission webhook that is down',
      code: 'WebhookUnavailable',
      contains: [/guard\.c4/, /failurePolicy/, /app\/a\.yaml/, /Start the server of the webhook/],
    },
    (stage) => webhook(stage, { url: 'https://127.0.0.1:1/validate' }),
  ),
  row(
    {
      title: 'an admission webhook whose service has no endpoints',
      code: 'WebhookUnavailable',
      contains: [/guard/, /endpoints/],
    },
    async (stage) => {
      await stage.create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'guard', namespace: stage.namespace },
        spec: { selector: { app: 'guard' }, ports: [{ port: 443 }] },
      });
      await webhook(stage, { service: { name: 'guard', namespace: stage.namespace, path: '/' } });
    },
  ),
  row(
    {
      title: 'an admission webhook whose service was removed with its operator',
      slow: true,
      code: 'WebhookUnavailable',
      contains: [/service \\"gone\\" not found/, /delete the configuration of a webhook that is not used any more/],
    },
    (stage) => webhook(stage, { service: { name: 'gone', namespace: stage.namespace } }),
  ),
  row(
    {
      title: 'an admission webhook that does not answer in its time',
      code: 'WebhookUnavailable',
      contains: [/context deadline exceeded/, /raise timeoutSeconds/],
    },
    (stage) => served(stage, never),
  ),
  row(
    {
      title: 'an admission webhook that answers with an error',
      slow: true,
      code: 'WebhookUnavailable',
      contains: [/an error on the server/, /Read the log of the server of the webhook/],
    },
    (stage) => served(stage, (_request, response) => json(response, { oops: 1 }, 500)),
  ),
  row(
    {
      title: 'an admission webhook that answers with a page',
      slow: true,
      code: 'WebhookUnavailable',
      contains: [/json parse error/, /no AdmissionReview/],
    },
    (stage) => served(stage, (_request, response) => void response.end('<html>')),
  ),
  row(
    {
      title: 'an admission webhook that answers another question',
      slow: true,
      code: 'WebhookUnavailable',
      contains: [/response\.uid/, /no AdmissionReview/],
    },
    (stage) =>
      served(
        stage,
        reviewing(() => ({ uid: 'another', allowed: true })),
      ),
  ),
  row(
    {
      title: 'an admission webhook that speaks no TLS',
      slow: true,
      code: 'WebhookUnavailable',
      contains: [/HTTP response to HTTPS client/, /Let the server of the webhook speak TLS/],
    },
    async (stage) =>
      webhook(stage, {
        url: `https://127.0.0.1:${await portOf(createPlainServer((_q, response) => void response.end('hi')))}/v`,
      }),
  ),
  row(
    {
      title: 'a webhook whose patch does not fit the object',
      slow: true,
      code: 'WebhookUnavailable',
      contains: [/a patch that does not fit the object/, /spec\/nope\/x/, /mutatingwebhookconfigurations/],
    },
    (stage) =>
      served(
        stage,
        reviewing((uid) => ({ uid, allowed: true, patchType: 'JSONPatch', patch })),
        {},
        'Mutating',
      ),
    'Mutating',
  ),
  row(
    {
      title: 'an admission webhook that denies',
      code: 'AdmissionDenied',
      contains: [/guard\./, /every object names its team/, /Change the object to what the webhook asks for/],
    },
    (stage) =>
      served(
        stage,
        reviewing((uid) => ({ uid, allowed: false, status: { message: 'every object names its team' } })),
      ),
  ),
  row(
    {
      title: 'an admission webhook that denies as if it were busy',
      slow: true,
      code: 'AdmissionDenied',
      contains: [/not in this hour/],
      excludes: [/ClusterBusy/],
    },
    (stage) =>
      served(
        stage,
        reviewing((uid) => ({ uid, allowed: false, status: { message: 'not in this hour', code: 429 } })),
      ),
  ),
  row(
    {
      title: 'an admission webhook with a certificate of another authority',
      code: 'WebhookCertificate',
      contains: [
        /guard\.c3/,
        /this is not the connection to the cluster/,
        /app\/a\.yaml/,
        /Set caBundle of the webhook/,
      ],
    },
    async (stage) => {
      const port = await portOf(createServer(certificate(), (_request, response) => void response.end('{}')));
      const caBundle = Buffer.from(certificate().cert).toString('base64');
      await webhook(stage, { url: `https://127.0.0.1:${port}/validate`, caBundle });
    },
  ),
  row(
    {
      title: 'an admission webhook whose certificate has expired',
      code: 'WebhookCertificate',
      contains: [/has expired/, /is after 2024-02-01T00:00:00Z/, /Renew the certificate of the webhook/],
    },
    (stage) => served(stage, never, { notBefore: '20240101000000Z', notAfter: '20240201000000Z' }),
  ),
  row(
    {
      title: 'an admission webhook whose certificate is for another name',
      slow: true,
      code: 'WebhookCertificate',
      contains: [/127\.0\.0\.1/, /Issue the certificate of the webhook for the name that is called/],
    },
    (stage) => served(stage, never, { names: 'DNS:elsewhere.example' }),
  ),
];
