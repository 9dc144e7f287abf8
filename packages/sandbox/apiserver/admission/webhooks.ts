import { isDeepStrictEqual } from 'node:util';
import {
  type Attributes,
  admissionForbidden,
  admissionVariables,
  type ConfiguredWebhook,
  conditionsMatch,
  inVersion,
  isExempt,
  matchedResource,
  replaceContent,
  type Webhook,
  webhooksOf,
} from '@tiphys/admission-rules';
import { type Resource, StatusError } from '@tiphys/apimachinery';
import { applyJsonPatch, type KubeObject, PatchError } from '@tiphys/kubernetes';
import { WebhookCallError } from './webhook-call.ts';
import { review } from './webhook-review.ts';

/** Which webhooks are to be called again when a later one has changed the object. */
export class Reinvocation {
  round = 0;
  changed = false;
  readonly #invoked = new Set<string>();
  readonly #again = new Set<string>();
  /** The object as the last webhook left it. */
  last: KubeObject | undefined;

  invoked(id: string): void {
    this.#invoked.add(id);
  }

  requireAll(): void {
    for (const id of this.#invoked) this.#again.add(id);
    this.#invoked.clear();
  }

  wanted(id: string): boolean {
    return this.#again.has(id);
  }
}

/** The version in which a webhook wants to see the request; undefined if it is not called. */
function calledFor(attributes: Attributes, webhook: Webhook): Resource | undefined {
  const shown = matchedResource(attributes, webhook);
  if (!shown || !webhook.matchConditions?.length) return shown;
  const result = conditionsMatch(
    webhook.matchConditions,
    admissionVariables(attributes, shown),
    { authorizer: true },
    webhook.failurePolicy,
  );
  if ('error' in result) throw admissionForbidden(attributes, result.error);
  return result.matches ? shown : undefined;
}

/** Calls the mutating webhooks one after the other; undefined at once when none is configured. */
export function mutateByWebhooks(attributes: Attributes, reinvocation: Reinvocation): Promise<void> | undefined {
  if (isExempt(attributes)) return undefined;
  const webhooks = webhooksOf(attributes.server, 'mutatingwebhookconfigurations');
  return webhooks.length ? callMutating(attributes, webhooks, reinvocation) : undefined;
}

async function callMutating(
  attributes: Attributes,
  webhooks: readonly ConfiguredWebhook[],
  reinvocation: Reinvocation,
): Promise<void> {
  if (reinvocation.round > 0 && !isDeepStrictEqual(reinvocation.last, attributes.object)) reinvocation.requireAll();
  for (const [index, configured] of webhooks.entries()) {
    const { webhook, id } = configured;
    const shown = calledFor(attributes, webhook);
    if (!shown || (reinvocation.round > 0 && !reinvocation.wanted(id))) continue;
    const place = `round_${reinvocation.round}_index_${index}`;
    let changed = false;
    try {
      const { patch } = await review(attributes, webhook, shown, true);
      if (patch) changed = applyPatch(attributes, patch, { configured, shown, place });
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      if (webhook.failurePolicy !== 'Ignore') throw callFailed(webhook, error);
      attributes.annotate(`failed-open.mutation.webhook.admission.k8s.io/${place}`, webhook.name);
    } finally {
      const { configuration } = configured;
      const note = { configuration, webhook: webhook.name, mutated: changed };
      attributes.annotate(`mutation.webhook.admission.k8s.io/${place}`, JSON.stringify(note));
    }
    if (changed) {
      reinvocation.requireAll();
      reinvocation.changed = true;
    }
    if (webhook.reinvocationPolicy === 'IfNeeded') reinvocation.invoked(id);
  }
  reinvocation.last = structuredClone(attributes.object);
}

/** A failed patch in the words of the library that the API server has for it. */
function patchProblem({ detail }: PatchError): string {
  const [, op = '', path = ''] = /^operation \d+ \((\w+) (.*?)\): /.exec(detail) ?? [];
  if (op === 'test') return `testing value ${path} failed: test failed`;
  const shown = op === 'replace' ? path : JSON.stringify(path);
  return op ? `${op} operation does not apply: doc is missing path: ${shown}: missing value` : detail;
}

/** True when the patch changed anything. */
function applyPatch(
  attributes: Attributes,
  patch: unknown[],
  { configured, shown, place }: { configured: ConfiguredWebhook; shown: Resource; place: string },
): boolean {
  const { object, resource, kind } = attributes;
  const { webhook, configuration } = configured;
  if (!object || attributes.operation === 'DELETE')
    throw internal(
      `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  const before = inVersion(object, attributes, shown);
  let next: KubeObject;
  try {
    next = applyJsonPatch(structuredClone(before), patch) as KubeObject;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw internal(patchProblem(error));
  }
  if (kind.kind === resource.kind) {
    next = shown.decode(next as unknown as Record<string, unknown>, { unknown: [] });
    shown.strategy.defaults?.(next);
    if (shown !== resource) next = resource.fromStored(shown.toStored(next));
  }
  const note = { configuration, webhook: webhook.name, patch, patchType: 'JSONPatch' };
  attributes.annotate(`patch.webhook.admission.k8s.io/${place}`, JSON.stringify(note));
  const changed = !isDeepStrictEqual(next, object);
  replaceContent(object, next);
  return changed;
}

/** Calls the validating webhooks, all at once; undefined when none is meant. */
export function validateByWebhooks(attributes: Attributes): Promise<void> | undefined {
  if (isExempt(attributes)) return undefined;
  const called = webhooksOf(attributes.server, 'validatingwebhookconfigurations').flatMap(({ webhook }, index) => {
    const shown = calledFor(attributes, webhook);
    return shown ? [{ webhook, shown, index }] : [];
  });
  return called.length ? callValidating(attributes, called) : undefined;
}

async function callValidating(
  attributes: Attributes,
  called: readonly { webhook: Webhook; shown: Resource; index: number }[],
): Promise<void> {
  const results = await Promise.allSettled(
    called.map(async ({ webhook, shown }, index) => {
      try {
        await review(attributes, webhook, shown, false);
      } catch (error) {
        if (!(error instanceof WebhookCallError)) throw error;
        if (webhook.failurePolicy !== 'Ignore') throw callFailed(webhook, error);
        attributes.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, webhook.name);
      }
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function callFailed(webhook: Webhook, error: WebhookCallError): StatusError {
  return internal(`failed calling webhook ${JSON.stringify(webhook.name)}: ${error.message}`);
}

function internal(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message } as { message: string; reason: string }],
  });
}
