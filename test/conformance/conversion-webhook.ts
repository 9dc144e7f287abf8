/** What a conversion webhook is asked. */
export interface ConversionReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Endpoint[] };
}

/** A custom resource that has host and port in v1, and an address in v2. */
interface Endpoint {
  apiVersion: string;
  kind: string;
  metadata: { name?: string; labels?: Record<string, unknown>; [field: string]: unknown };
  spec?: { host?: string; port?: number; address?: string };
  [field: string]: unknown;
}

function converted(object: Endpoint, apiVersion: string): Endpoint {
  const { spec } = object;
  if (!spec) return { ...object, apiVersion };
  const { host, port, address, ...rest } = spec;
  if (apiVersion.endsWith('/v2')) return { ...object, apiVersion, spec: { ...rest, address: `${host}:${port}` } };
  const [name = '', number = '0'] = (address ?? '').split(':');
  return { ...object, apiVersion, spec: { ...rest, host: name, port: Number(number) } };
}

type Answer = { uid?: string; result?: object; convertedObjects?: unknown[] } | null;

/** What goes wrong, by the path's end. */
const FAULTS: Record<string, (answer: NonNullable<Answer>, review: ConversionReview) => Answer> = {
  'no-response': () => null,
  'wrong-uid': (answer) => ({ ...answer, uid: 'wrong' }),
  failed: (answer) => ({ ...answer, result: { status: 'Failure', message: 'cannot do that' } }),
  'failed-silently': (answer) => ({ ...answer, result: { status: 'Failure' } }),
  empty: (answer) => ({ ...answer, convertedObjects: [] }),
  unconverted: (answer, { request }) => ({ ...answer, convertedObjects: [...request.objects] }),
  'other-kind': (answer) => each(answer, (object) => ({ ...object, kind: 'Other' })),
  'other-name': (answer) =>
    each(answer, ({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, name: 'x' } })),
  'no-metadata': (answer) => each(answer, ({ metadata: _, ...object }) => object),
  'bad-label': (answer) => each(answer, (object) => withLabels(object, { 'a b': 'c' })),
  'number-label': (answer) => each(answer, (object) => withLabels(object, { a: 1 })),
  relabel: (answer) => each(answer, (object) => withLabels(object, { converted: 'yes' })),
  'unknown-field': (answer) => each(answer, (object) => ({ ...object, bogus: 1, spec: { ...object.spec, bogus: 2 } })),
};

function each(answer: NonNullable<Answer>, change: (object: Endpoint) => object): Answer {
  return { ...answer, convertedObjects: (answer.convertedObjects as Endpoint[]).map(change) };
}

function withLabels({ metadata, ...object }: Endpoint, labels: Record<string, unknown>): object {
  return { ...object, metadata: { ...metadata, labels } };
}

/** Answers `/convert`, and with a fault `/convert-FAULT`; `/convert-wrong-kind` is no answer to the question at all. */
export function convertedReview(path: string, review: ConversionReview): unknown {
  const { request, apiVersion, kind } = review;
  const right = {
    uid: request.uid,
    result: { status: 'Success' },
    convertedObjects: request.objects.map((object) => converted(object, request.desiredAPIVersion)),
  };
  const fault = path.slice('/convert-'.length);
  if (fault === 'wrong-kind') return { apiVersion, kind: 'AdmissionReview', response: right };
  const response = FAULTS[fault]?.(right, review);
  return { apiVersion, kind, response: response === undefined ? right : response };
}
