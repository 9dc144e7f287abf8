import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Client } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { accountToken, type ServiceAccount } from './common/account-token.ts';

/** The Secret that says whose events are taken, with a key for each ServiceAccount. */
const clients = 'argo-workflows-webhook-clients';
/** Bytes of a body that is looked at. */
export const largestWebhook = 2 * 1024 * 1024;

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Matcher = (secret: string, headers: Headers, body: Buffer) => boolean;

const matchers: Readonly<Record<string, Matcher>> = {
  github: (secret, headers, body) =>
    hasEvent(headers, 'x-github-event') &&
    isSigned(headers['x-hub-signature-256'] ?? headers['x-hub-signature'], secret, body),
  gitlab: (secret, headers) => hasEvent(headers, 'x-gitlab-event') && isSame(headers['x-gitlab-token'], secret),
  bitbucket: (secret, headers) => hasEvent(headers, 'x-event-key') && isSame(headers['x-hook-uuid'], secret),
  bitbucketserver: (secret, headers, body) =>
    hasEvent(headers, 'x-event-key') && isSigned(headers['x-hub-signature'], secret, body),
};

/**
 * The token of the ServiceAccount that a signed event of a Git host belongs to; undefined if it is nobody's. `namespace` is that of the
 * path. Throws what keeps it from being found out.
 */
export async function webhookToken(
  client: Client,
  request: { namespace: string; headers: Headers; body: Buffer },
): Promise<string | undefined> {
  const { namespace, headers, body } = request;
  const secret = await client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name: clients });
  for (const [account, data] of Object.entries((secret?.data ?? {}) as Record<string, string>)) {
    const text = Buffer.from(data, 'base64').toString('utf8');
    const [document] = parseDocuments(text, { file: `Secret ${clients}: ${account}` }).documents;
    const { type = '', secret: shared = '' } = (document?.value ?? {}) as { type?: string; secret?: string };
    const matches = Object.hasOwn(matchers, type) ? matchers[type] : undefined;
    if (!shared || !matches?.(shared, headers, body)) continue;
    const found = await client.get<ServiceAccount>({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      namespace,
      name: account,
    });
    return await accountToken(client, found);
  }
  return undefined;
}

function hasEvent(headers: Headers, name: string): boolean {
  return typeof headers[name] === 'string' && headers[name] !== '';
}

function isSame(given: string | string[] | undefined, wanted: string): boolean {
  return typeof given === 'string' && equal(given, wanted);
}

function isSigned(given: string | string[] | undefined, secret: string, body: Buffer): boolean {
  const [algorithm = '', signature = ''] = typeof given === 'string' ? given.split('=') : [];
  if (algorithm !== 'sha1' && algorithm !== 'sha256') return false;
  return equal(signature, createHmac(algorithm, secret).update(body).digest('hex'));
}

function equal(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHmac('sha256', 'length').update(text).digest());
  return timingSafeEqual(left as Buffer, right as Buffer);
}
