import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { chunksOf, discard, guardedServer } from '@tiphys/inbound';
import type { Log } from '../trace/log.ts';
import { ignoredFields } from '../trouble/ignored-fields.ts';
import { type AdmissionRequest, type FindBus, refusalOf } from './review.ts';

/** A review holds an object, before and after: 3 MiB each is what API servers take. */
const largest = 8 * 1024 * 1024;

export interface AdmissionOptions {
  readonly cert: string;
  readonly key: string;
  readonly findBus: FindBus;
  readonly log: Log;
}

/** The server that the API server asks whether an EventBus, EventSource or Sensor may be stored; it does not listen yet. */
export function admissionServer({ cert, key, findBus, log }: AdmissionOptions): Server {
  return guardedServer(
    (request, response) =>
      void answer(request, findBus).then(
        ([status, body]) => reply(response, status, body),
        (error: unknown) => {
          log('error', 'a review failed', { error: formatDiagnosis(diagnosisOf(error)) });
          reply(response, 500, { error: 'the review failed' });
        },
      ),
    { tls: { cert, key } },
  );
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function answer(request: IncomingMessage, findBus: FindBus): Promise<[number, unknown]> {
  if (request.headers['content-type'] !== 'application/json')
    return [415, { error: 'invalid Content-Type, want `application/json`' }];
  const text = await bodyOf(request);
  if (text === undefined) return [413, { error: `a review has at most ${largest} bytes` }];
  const review = reviewOf(text);
  if (!review) return [400, { error: 'the body is no AdmissionReview' }];
  const refusal = await refusalOf(review, findBus);
  const ignored = review.object && refusal === undefined ? ignoredFields(review.object) : [];
  const response = {
    uid: review.uid,
    allowed: refusal === undefined,
    ...(refusal === undefined ? {} : { status: { code: 400, reason: 'BadRequest', message: refusal } }),
    ...(ignored.length > 0 ? { warnings: ignored.map(({ message }) => message) } : {}),
  };
  return [200, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }];
}

function reviewOf(text: string): AdmissionRequest | undefined {
  try {
    const { request } = JSON.parse(text) as { request?: AdmissionRequest };
    return typeof request?.uid === 'string' ? request : undefined;
  } catch {
    // told to who sent it
    return undefined;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(request)) {
    length += chunk.length;
    if (length > largest) {
      discard(request);
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
