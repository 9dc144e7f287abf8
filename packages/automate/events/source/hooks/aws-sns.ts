import { createVerify } from 'node:crypto';
import { ConfirmSubscriptionCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import { awsConfig } from '../../wire/aws.ts';
import { sendRequest } from '../../wire/http-request.ts';
import { eventData, type Metadata, RawJson } from '../event-data.ts';
import type { Listen } from '../source.ts';
import { hookUrl } from './hook-api.ts';
import { fieldsOf, jsonBody } from './webhook.ts';
import { BadRequest, type Hook, serveWebhook, type WebhookSpec, webhookProblem } from './webhook-route.ts';

export interface SnsSpec {
  readonly webhook?: WebhookSpec;
  readonly topicArn?: string;
  readonly region?: string;
  readonly accessKey?: KeySelector;
  readonly secretKey?: KeySelector;
  readonly roleARN?: string;
  readonly endpoint?: string;
  readonly validateSignature?: boolean;
  readonly metadata?: Metadata;
}

export function snsProblem({ topicArn, region, webhook }: SnsSpec): SpecProblem | undefined {
  if (!topicArn) return missing('topicArn', 'must specify topic arn');
  if (!region) return missing('region', 'must specify region');
  return within('webhook', webhookProblem(webhook));
}

/** Hears of a topic of SNS: it subscribes, and confirms the subscription by itself. */
export const listen: Listen<SnsSpec> = async (context, ready) => {
  const { spec, keys } = context;
  const client = new SNSClient(await awsConfig({ ...spec, region: spec.region ?? '' }, keys));
  const receive = async ({ headers, body }: Hook) => {
    const text = jsonBody(body);
    const note = fieldsOf(text) as Notification;
    if (spec.validateSignature) await verify(note);
    if (note.Type === 'SubscriptionConfirmation') {
      await client.send(new ConfirmSubscriptionCommand({ TopicArn: spec.topicArn, Token: note.Token }));
      return { status: 200, text: '' };
    }
    if (note.Type !== 'Notification') return { status: 200, text: '' };
    return { events: [eventData({ header: headers, body: new RawJson(text) }, spec.metadata)] };
  };
  try {
    await serveWebhook(context, spec.webhook ?? {}, receive, ready, async () => {
      if (!spec.webhook?.url) return undefined;
      const Endpoint = hookUrl(spec.webhook);
      await client.send(
        new SubscribeCommand({
          TopicArn: spec.topicArn,
          Endpoint,
          Protocol: Endpoint.startsWith('https:') ? 'https' : 'http',
        }),
      );
      return undefined;
    });
  } finally {
    client.destroy();
  }
};

interface Notification {
  readonly Type?: string;
  readonly Token?: string;
  readonly SigningCertURL?: string;
  readonly Signature?: string;
  readonly SignatureVersion?: string;
  readonly [field: string]: string | undefined;
}

const signedFields: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']],
]);

/** Certificates come from AWS' own hosts alone. */
async function verify(note: Notification): Promise<void> {
  const given = String(note.SigningCertURL);
  const url = URL.canParse(given) ? new URL(given) : new URL('http://none');
  if (url.protocol !== 'https:' || !/^sns\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/.test(url.hostname))
    throw new BadRequest('the signing certificate is of no host of SNS');
  const { status, body } = await sendRequest({
    url: url.href,
    method: 'GET',
    headers: [],
    timeout: 10_000,
    signal: AbortSignal.timeout(10_000),
  });
  if (status !== 200) throw new BadRequest('the signing certificate could not be read');
  const fields = (signedFields.get(note.Type) ?? []).filter((name) => note[name] !== undefined);
  const text = fields.map((name) => `${name}\n${note[name]}\n`).join('');
  const verifier = createVerify(note.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1').update(text);
  if (!verifier.verify(body, String(note.Signature), 'base64'))
    throw new BadRequest('the signature of the notification is not valid');
}
