import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import forge from 'node-forge';
import { type ConversionReview, convertedReview } from './conversion-webhook.ts';

/** What an admission webhook is asked. */
interface Review {
  apiVersion: string;
  kind: string;
  request: {
    uid: string;
    object: { metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> } } | null;
    [field: string]: unknown;
  };
}

/** A webhook that does what its path says; `ca` is its authority in base64, `other` one that has not signed it. */
export interface WebhookServer {
  readonly url: string;
  readonly ca: string;
  readonly other: string;
  close(): Promise<void>;
}

/** Answers by path. */
const ANSWERS: Record<string, (review: Review) => unknown> = {
  '/allow': () => ({ allowed: true }),
  '/warn': () => ({ allowed: true, warnings: ['first warning', 'second warning'] }),
  '/deny': () => ({ allowed: false }),
  '/deny-message': () => ({ allowed: false, status: { message: 'not today' } }),
  '/deny-status': () => ({
    allowed: false,
    status: {
      code: 422,
      reason: 'Invalid',
      message: 'bad field',
      details: { causes: [{ field: 'spec.x', message: 'bad' }] },
    },
  }),
  '/deny-reason': () => ({ allowed: false, status: { reason: 'Because' } }),
  '/label': (review) => patched([label(review, 'hooked', 'yes')]),
  '/second': (review) =>
    patched([label(review, 'second', review.request.object?.metadata?.labels?.hooked ?? 'unseen')]),
  '/unknown-field': () => patched([{ op: 'add', path: '/bogus', value: 1 }]),
  '/bad-patch': () => patched([{ op: 'replace', path: '/nope/x', value: 1 }]),
  '/no-patch-type': () => ({ allowed: true, patch: encode([]) }),
  '/wrong-uid': () => ({ uid: 'wrong', allowed: true }),
  '/echo': ({ request }) => ({
    allowed: false,
    status: { message: JSON.stringify({ ...request, uid: '', userInfo: '', object: undefined, oldObject: undefined }) },
  }),
  '/echo-object': ({ request }) => ({
    allowed: false,
    status: { message: JSON.stringify({ object: request.object, oldObject: request.oldObject }, ordered) },
  }),
};

/** Keys in one order, without what no two servers have in common. */
function ordered(key: string, value: unknown): unknown {
  if (key === 'resourceVersion') return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function encode(patch: unknown): string {
  return Buffer.from(JSON.stringify(patch)).toString('base64');
}

function patched(patch: unknown[]): unknown {
  return { allowed: true, patchType: 'JSONPatch', patch: encode(patch) };
}

function label({ request }: Review, key: string, value: string): unknown {
  if (!request.object?.metadata?.labels) return { op: 'add', path: '/metadata/labels', value: { [key]: value } };
  return { op: 'add', path: `/metadata/labels/${key}`, value };
}

/** Starts a webhook on loopback, with a certificate for 127.0.0.1 and localhost. */
export async function startWebhookServer(): Promise<WebhookServer> {
  const ca = issue('webhook-ca', undefined);
  const served = issue('webhook', ca);
  const server = createServer({ key: served.key, cert: served.cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = (request.url ?? '').replace(/\?.*$/, '');
      if (path === '/broken') return void response.writeHead(500, { 'content-type': 'text/plain' }).end('it broke');
      if (path === '/slow') return;
      const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
      if (path.startsWith('/convert')) {
        const converted = JSON.stringify(convertedReview(path, review as unknown as ConversionReview));
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(converted);
      }
      const answer = ANSWERS[path]?.(review);
      if (!answer) return void response.writeHead(404).end();
      const { apiVersion, kind } = review;
      const body = { apiVersion, kind, response: { uid: review.request.uid, ...(answer as object) } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: encoded(ca.cert),
    other: encoded(issue('another-ca', undefined).cert),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Issued {
  readonly cert: string;
  readonly key: string;
}

function issue(commonName: string, issuer: Issued | undefined): Issued {
  const pair = forge.pki.rsa.generateKeyPair(2048);
  const cert = forge.pki.createCertificate();
  cert.publicKey = pair.publicKey;
  cert.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(8))}`;
  cert.validity.notBefore = new Date(Date.now() - 3600_000);
  cert.validity.notAfter = new Date(Date.now() + 86400_000);
  cert.setSubject([{ name: 'commonName', value: commonName }]);
  cert.setIssuer(issuer ? forge.pki.certificateFromPem(issuer.cert).subject.attributes : cert.subject.attributes);
  cert.setExtensions([
    { name: 'basicConstraints', cA: !issuer, critical: true },
    ...(issuer
      ? [
          { name: 'extKeyUsage', serverAuth: true },
          {
            name: 'subjectAltName',
            altNames: [
              { type: 7, ip: '127.0.0.1' },
              { type: 2, value: 'localhost' },
            ],
          },
        ]
      : [{ name: 'keyUsage', keyCertSign: true, critical: true }]),
  ]);
  cert.sign(issuer ? forge.pki.privateKeyFromPem(issuer.key) : pair.privateKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(cert), key: forge.pki.privateKeyToPem(pair.privateKey) };
}
