import { randomUUID } from 'node:crypto';
import { type Attributes, admissionRequest, inVersion, type Webhook } from '@tiphys/admission-rules';
import { badRequest, type Resource, type Status, StatusError } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import { callWebhook, WebhookCallError } from './webhook-call.ts';

interface Response {
  uid?: string;
  allowed?: boolean;
  status?: Partial<Status>;
  patch?: string;
  patchType?: string;
  warnings?: string[];
  auditAnnotations?: Record<string, string>;
}

/** What a webhook allowed, and the JSON patch that it wants. */
export interface Verdict {
  readonly patch: unknown[] | undefined;
}

/**
 * Asks one webhook about a request. Throws WebhookCallError when it could not be asked, the StatusError of a refusal
 * when it said no.
 */
export async function review(
  attributes: Attributes,
  webhook: Webhook,
  shown: Resource,
  mutating: boolean,
): Promise<Verdict> {
  if (attributes.dryRun && !['None', 'NoneOnDryRun'].includes(webhook.sideEffects ?? ''))
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  const version = (webhook.admissionReviewVersions ?? []).find(
    (candidate) => candidate === 'v1' || candidate === 'v1beta1',
  );
  if (!version)
    throw new WebhookCallError(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    );
  const uid = randomUUID();
  const { object, old } = attributes;
  const raw = (value: KubeObject | undefined) => (value ? withType(inVersion(value, attributes, shown)) : null);
  const body = {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...admissionRequest(attributes, shown),
      object: attributes.operation === 'DELETE' ? null : raw(object),
      oldObject: raw(old),
    },
  };
  const answer = (await callWebhook(attributes.server, {
    config: webhook.clientConfig,
    body,
    timeoutSeconds: webhook.timeoutSeconds,
  })) as { kind?: string; apiVersion?: string; response?: Response } | null;
  const response = verified(answer, { uid, version, mutating });
  for (const [key, value] of Object.entries(response.auditAnnotations ?? {}))
    attributes.annotate(`${webhook.name}/${key}`, value);
  for (const text of response.warnings ?? []) attributes.warn(text);
  if (!response.allowed) throw refusal(webhook.name, response.status);
  return { patch: patchOf(response) };
}

/** Kind first, as the API server writes objects. */
function withType({ kind, apiVersion, ...rest }: KubeObject): KubeObject {
  return { kind, apiVersion, ...rest } as KubeObject;
}

function verified(
  answer: { kind?: string; apiVersion?: string; response?: Response } | null,
  { uid, version, mutating }: { uid: string; version: string; mutating: boolean },
): Response {
  const fail = (why: string) => new WebhookCallError(`received invalid webhook response: ${why}`);
  const response = answer?.response;
  if (!response) throw fail('webhook response was absent');
  if (version === 'v1beta1') return response;
  if (response.uid !== uid)
    throw fail(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  const [group = '', given = ''] = (answer.apiVersion ?? '').split('/');
  if (answer.kind !== 'AdmissionReview' || answer.apiVersion !== 'admission.k8s.io/v1')
    throw fail(
      `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${group}/${given}, Kind=${answer.kind ?? ''}`,
    );
  const { patch, patchType } = response;
  if (mutating) {
    if (patch && patchType === undefined) throw fail('webhook returned response.patch but not response.patchType');
    if (!patch && patchType !== undefined) throw fail('webhook returned response.patchType but not response.patch');
    if (patchType === '') throw fail('webhook returned invalid response.patchType of ""');
    if (patchType !== undefined && patchType !== 'JSONPatch')
      throw new WebhookCallError(`unsupported patch type ${JSON.stringify(patchType)}`);
  } else {
    if (patch) throw fail('validating webhook may not return response.patch');
    if (patchType !== undefined) throw fail('validating webhook may not return response.patchType');
  }
  return response;
}

function patchOf({ patch }: Response): unknown[] | undefined {
  if (!patch) return undefined;
  try {
    const operations = JSON.parse(Buffer.from(patch, 'base64').toString()) as unknown;
    if (Array.isArray(operations)) return operations.length ? operations : undefined;
    throw new WebhookCallError(
      'received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    );
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new WebhookCallError(`received undecodable patch in webhook response: ${error.message}`);
  }
}

/** The refusal as the webhook words it, with its code and reason. */
function refusal(name: string, result: Partial<Status> | undefined): StatusError {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { message, reason = '', code = 0, details } = result ?? {};
  const text = message ? `${denied}: ${message}` : reason ? `${denied}: ${reason}` : `${denied} without explanation`;
  return new StatusError(Math.max(code, 400), reason, text, details);
}
