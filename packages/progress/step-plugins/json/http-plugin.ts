import { guardedDispatcher } from '@tiphys/outbound';
import { failedPlugin } from '../model/diagnoses.ts';
import { type AskPlugin, missing } from './json-plugins.ts';

/** Milliseconds until an answer must be there: a step that takes its time answers Running. */
const timeout = 30_000;
const maxBody = 8 * 1024 * 1024;
const notServed = new Set([404, 405, 501]);

export interface HttpCallerOptions {
  /** Methods are asked below it: `POST location/run`. */
  readonly location: string;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly signal: AbortSignal;
}

/** Asks a plugin by HTTP, JSON in both directions. */
export function httpPlugin({ location, headers, signal }: HttpCallerOptions): AskPlugin {
  const base = location.endsWith('/') ? location : `${location}/`;
  return async (method, body) => {
    const deadline = AbortSignal.timeout(timeout);
    const { request } = await import('undici');
    try {
      const answer = await request(new URL(method, base), {
        method: 'POST',
        headers: { ...(await headers()), 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
        dispatcher: await guardedDispatcher(),
        signal: AbortSignal.any([signal, deadline]),
      });
      const text = await boundedText(answer.body);
      if (notServed.has(answer.statusCode)) return missing;
      if (answer.statusCode >= 300)
        throw failedPlugin(`the plugin answers ${answer.statusCode}: ${text.slice(0, 500)}`);
      return text === '' ? null : parsed(text);
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) throw failedPlugin(`the plugin does not answer ${method} within ${timeout / 1000} s`);
      if (error instanceof Error && error.name === 'DiagnosisError') throw error;
      throw failedPlugin(`the plugin at ${base} cannot be asked: ${(error as Error).message}`, {}, error);
    }
  };
}

async function boundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBody) throw failedPlugin(`the answer of the plugin is larger than ${maxBody} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw failedPlugin(`the answer of the plugin is no JSON: ${text.slice(0, 200)}`);
  }
}
