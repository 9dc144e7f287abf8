import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Converter } from '@tiphys/apiextensions';
import {
  type ClientConfig,
  ConversionNeeded,
  type Definition,
  FieldErrors,
  type ServerContext,
  StatusError,
  validateAnnotations,
  validateLabels,
} from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import { callWebhook, WebhookCallError } from '../admission/webhook-call.ts';

interface ConversionReview {
  kind?: string;
  apiVersion?: string;
  response?: {
    uid?: string;
    result?: { status?: string; message?: string };
    convertedObjects?: unknown[];
  } | null;
}

const TIMEOUT_SECONDS = 30;

/**
 * Asks the conversion webhook of a CustomResourceDefinition. `convert` gives what the webhook has answered for the request
 * under way, or throws ConversionNeeded: anyone who handles the request waits for the webhook and tries again. Answers are
 * forgotten with the requests that wanted them, as kube-apiserver keeps none either.
 */
export class WebhookConverter implements Converter {
  readonly #server: ServerContext;
  readonly #config: ClientConfig;
  readonly #reviewVersion: string;
  /** By target version and content; how many requests hold each. */
  readonly #answers = new Map<string, { object: KubeObject; holders: number }>();

  constructor(server: ServerContext, { spec }: Definition) {
    const { clientConfig = {}, conversionReviewVersions = [] } = spec.conversion?.webhook ?? {};
    this.#server = server;
    this.#config = clientConfig;
    this.#reviewVersion = conversionReviewVersions.find((version) => ['v1', 'v1beta1'].includes(version)) ?? 'v1';
  }

  convert(object: KubeObject, to: string): KubeObject {
    const answer = this.#answers.get(keyOf(object, to));
    if (!answer) throw this.#needed([object], to);
    return restoreMetadata(object, structuredClone(answer.object), gvk(object));
  }

  /** Throws ConversionNeeded for all objects whose answer is not known. */
  needs(objects: readonly KubeObject[], to: string): void {
    const missing = objects.filter((object) => object.apiVersion !== to && !this.#answers.has(keyOf(object, to)));
    if (missing.length) throw this.#needed(missing, to);
  }

  #needed(objects: readonly KubeObject[], to: string): ConversionNeeded {
    return new ConversionNeeded(async () => {
      // The real server converts one object at a time, no matter who asks for them.
      const answers = await Promise.all(
        objects.map(async (object) => [keyOf(object, to), await this.#ask(object, to)] as const),
      );
      for (const [key, object] of answers) {
        const known = this.#answers.get(key);
        this.#answers.set(key, { object, holders: (known?.holders ?? 0) + 1 });
      }
      return () => {
        for (const [key] of answers) this.#release(key);
      };
    });
  }

  #release(key: string): void {
    const known = this.#answers.get(key);
    if (!known) return;
    if (known.holders > 1) this.#answers.set(key, { ...known, holders: known.holders - 1 });
    else this.#answers.delete(key);
  }

  async #ask(object: KubeObject, to: string): Promise<KubeObject> {
    const uid = randomUUID();
    const request = { uid, desiredAPIVersion: to, objects: [object] };
    const apiVersion = `apiextensions.k8s.io/${this.#reviewVersion}`;
    const body = {
      kind: 'ConversionReview',
      apiVersion,
      request,
      response: { uid: '', convertedObjects: null, result: { metadata: {} } },
    };
    const shown = gvk(object);
    let review: ConversionReview;
    try {
      const call = { config: this.#config, body, timeoutSeconds: TIMEOUT_SECONDS };
      review = (await callWebhook(this.#server, call)) as ConversionReview;
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      throw failure(`conversion webhook for ${shown} failed: ${error.message.replace('failed to call webhook: ', '')}`);
    }
    const problem = problemOf(review, { uid, reviewVersion: this.#reviewVersion });
    if (problem !== undefined) throw failure(`conversion webhook for ${shown} failed: ${problem}`);
    const objects = review.response?.convertedObjects ?? [];
    if (objects.length !== 1)
      throw failure(`conversion webhook for ${shown} returned ${objects.length} objects, expected 1`);
    return checked(object, objects[0], to);
  }
}

function keyOf({ metadata, ...rest }: KubeObject, to: string): string {
  const { labels, annotations } = metadata;
  return `${to} ${JSON.stringify([rest, labels, annotations])}`;
}

function failure(message: string): StatusError {
  return new StatusError(500, '', message);
}

function gvk({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string {
  return `${apiVersion}, Kind=${kind}`;
}

/** What is wrong with an answer as a whole. */
function problemOf(
  review: ConversionReview,
  { uid, reviewVersion }: { uid: string; reviewVersion: string },
): string | undefined {
  const wanted = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' };
  const got = { apiVersion: review.apiVersion ?? '', kind: review.kind ?? '' };
  const strict = reviewVersion === 'v1';
  if (got.apiVersion === wanted.apiVersion && got.kind !== wanted.kind)
    return `no kind ${JSON.stringify(got.kind)} is registered for version ${JSON.stringify(got.apiVersion)} in scheme "pkg/runtime/scheme.go:110"`;
  if (strict && gvk(got) !== gvk(wanted)) return `expected webhook response of ${gvk(wanted)}, got ${gvk(got)}`;
  const { response } = review;
  if (!response) return 'no response provided';
  if (strict && response.uid !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
  const { status = '', message } = response.result ?? {};
  if (status === 'Success') return undefined;
  return message || `response.result.status was '${status}', not 'Success'`;
}

/** The converted object, if it is still the same one. */
function checked(object: KubeObject, answer: unknown, to: string): KubeObject {
  const shown = gvk(object);
  const converted = answer as KubeObject;
  if (typeof answer !== 'object' || answer === null || !converted.kind)
    throw failure(`Object 'Kind' is missing in '${JSON.stringify(answer)}'`);
  const version = converted.apiVersion ?? '';
  if (version !== to)
    throw failure(
      `conversion webhook for ${shown} returned invalid object at index 0: invalid groupVersion (expected ${to}, received ${version})`,
    );
  if (converted.kind !== object.kind)
    throw failure(
      `conversion webhook for ${shown} returned invalid object at index 0: invalid kind (expected ${object.kind}, received ${converted.kind})`,
    );
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [before, after] = [object.metadata[field] ?? '', converted.metadata?.[field] ?? ''];
    if (before !== after)
      throw failure(
        `conversion webhook for ${shown} returned invalid object: must have the same ${name}: ${before} != ${after}`,
      );
  }
  restoreMetadata(object, converted, shown);
  return converted;
}

/** Of the converted metadata only labels and annotations are taken. */
function restoreMetadata(object: KubeObject, converted: KubeObject, shown: string): KubeObject {
  const invalid = (why: string) => failure(`conversion webhook for ${shown} returned invalid metadata: ${why}`);
  if (converted.metadata === undefined) throw invalid('missing metadata in converted object');
  const metadata = { ...object.metadata };
  for (const field of ['labels', 'annotations'] as const) {
    const given = converted.metadata[field];
    if (!given) {
      delete metadata[field];
      continue;
    }
    for (const [key, value] of Object.entries(given))
      if (typeof value !== 'string')
        throw invalid(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`);
    if (!isDeepStrictEqual(given, object.metadata[field])) {
      const errors = new FieldErrors();
      if (field === 'labels') validateLabels(given, 'metadata.labels', errors);
      else validateAnnotations(given, errors, 'metadata.annotation');
      if (errors.any) throw invalid(errors.causes.map(({ field: at, message }) => `${at}: ${message}`).join(', '));
    }
    metadata[field] = given;
  }
  return { ...converted, metadata };
}

function goType(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return '[]interface {}';
  return value === null ? '<nil>' : 'map[string]interface {}';
}
