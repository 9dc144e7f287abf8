import { guardedDispatcher } from '@tiphys/outbound';
import type { Dispatcher } from 'undici';
import { badAnswer, unreachableProvider } from '../model/failures.ts';

export interface HttpQuestion {
  readonly url: string;
  /** GET if absent. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Goes on with certificates that are not accepted. */
  readonly insecure?: boolean;
  /** Milliseconds until the whole answer must be there. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** Answers of metric providers are small; more is an error. */
const maxBody = 8 * 1024 * 1024;

let dispatchers:
  | Promise<{ secure: Dispatcher; insecure: Dispatcher; send: typeof import('undici').request }>
  | undefined;

const maxRedirections = 10;

/** Asks by HTTP, through proxies of the environment. Throws if nobody answers in time or the answer is too large. */
export async function ask(question: HttpQuestion): Promise<HttpAnswer> {
  const { url, method = 'GET', headers = {}, body, timeout, signal } = question;
  const deadline = AbortSignal.timeout(timeout);
  try {
    const { send, secure, insecure } = await transport();
    const answer = await send(url, {
      method: method as Dispatcher.HttpMethod,
      headers,
      ...(body === undefined ? {} : { body }),
      dispatcher: question.insecure ? insecure : secure,
      signal: AbortSignal.any([signal, deadline]),
    });
    return { status: answer.statusCode, text: await boundedText(answer.body) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && error.name === 'DiagnosisError') throw error;
    const what = `${method[0]}${method.slice(1).toLowerCase()} ${JSON.stringify(url)}`;
    if (deadline.aborted) throw unreachableProvider(`${what}: no answer within ${timeout / 1000}s`, error);
    throw unreachableProvider(`${what}: ${innermost(error)}`, error);
  }
}

function transport() {
  dispatchers ??= import('undici').then(async ({ interceptors, request }) => {
    const redirect = interceptors.redirect({ maxRedirections });
    return {
      send: request,
      secure: (await guardedDispatcher()).compose(redirect),
      insecure: (await guardedDispatcher({ tls: { rejectUnauthorized: false } })).compose(redirect),
    };
  });
  return dispatchers;
}

async function boundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBody) throw badAnswer(`the answer is larger than ${maxBody} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** undici wraps the reason, and Node wraps those of several addresses. */
function innermost(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return innermost(error.cause);
  return error instanceof Error ? error.message : String(error);
}

/** The JSON of an answer; throws with `what` for anything else. */
export function parseJson(text: string, what = 'Could not parse JSON body'): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badAnswer(`${what}: ${(error as Error).message}`);
  }
}
