import type { WebhookEvent } from './event.ts';
import { azureDevOps, bitbucketCloud, bitbucketServer, github, gitlab, gogs } from './git-senders.ts';
import { JsonView } from './json-view.ts';
import { ghcr, harbor } from './registry-senders.ts';
import type { Sender, WebhookRequest, WebhookSecrets } from './sender.ts';

export type { WebhookSecrets } from './sender.ts';

/** What a request turned out to be. Refusals carry what the sender is told, and for our log why. */
export type Parsed =
  | {
      readonly kind: 'events';
      readonly sender: string;
      readonly secured: boolean;
      readonly events: readonly WebhookEvent[];
    }
  | {
      readonly kind: 'refused';
      readonly sender: string;
      readonly status: number;
      readonly answer: string;
      readonly reason: string;
    };

/** Gogs comes before GitHub, whose headers it sends too; Bitbucket Cloud before Server for the same reason. */
const senders: readonly Sender[] = [harbor, azureDevOps, gogs, github, gitlab, bitbucketCloud, bitbucketServer, ghcr];

/**
 * Reads a webhook as Argo CD does: the headers name the sender, its secret is checked in constant time, then its events are
 * taken from the body. `body` is called only for a request whose headers are in order; it may throw to end the reading.
 */
export async function readWebhook(
  request: WebhookRequest & { readonly method: string },
  secrets: WebhookSecrets,
  body: () => Promise<Buffer | undefined>,
): Promise<Parsed> {
  const sender = senders.find((candidate) => candidate.claims(request, secrets));
  if (!sender) return refusal('', 400, 'Unknown webhook event', 'no header of a known sender');
  const refused = (status: number, reason: string) => refusal(sender.name, status, 'Webhook processing failed', reason);
  if (request.method !== 'POST') return refused(405, `the method is ${request.method}`);
  const unproven = (reason: string) =>
    sender.refusalStatus === 401
      ? refusal(sender.name, 401, 'Unauthorized', reason)
      : refused(sender.refusalStatus ?? 400, reason);
  const headers = sender.refuseHeaders?.(request, secrets);
  if (headers !== undefined) return unproven(headers);
  const bytes = await body();
  if (bytes === undefined || bytes.length === 0)
    return refusal(sender.name, bytes ? 400 : 413, '', bytes ? 'the body is empty' : 'the body is too large');
  const signature = sender.refuseBody?.(request, bytes, secrets);
  if (signature !== undefined) return unproven(signature);
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    return refused(400, `the body is not JSON: ${(error as Error).name}`);
  }
  if (typeof json !== 'object' || json === null) return refused(400, 'the body is no JSON object');
  const events = sender.read(request, new JsonView(json));
  if (!events) return refused(400, 'the event is not one of those that are served');
  return { kind: 'events', sender: sender.name, secured: sender.isSecured(secrets), events };
}

function refusal(sender: string, status: number, answer: string, reason: string): Parsed {
  return { kind: 'refused', sender, status, answer, reason };
}
