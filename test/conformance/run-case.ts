import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ClusterConfig } from '@tiphys/kubernetes';
import { Normaliser } from './normalise.ts';

/** One request; `{ns}` in path and body is the case's namespace, the body is JSON unless it is text. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** Sets up the next steps; its answer is not compared. */
  readonly quiet?: boolean;
  /** Asks again until the answer has this code, or contains this text: what takes effect a moment later with a real server. */
  readonly until?: number | string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Answer {
  readonly request: string;
  readonly code: number;
  readonly warnings?: readonly string[];
  readonly body: unknown;
}

interface RawAnswer {
  code: number;
  warnings: string[];
  text: string;
}

/** Sends one request as the configuration's user. */
export function send(config: ClusterConfig, step: Step): Promise<RawAnswer> {
  const url = new URL(step.path, config.server);
  const make = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const body =
    step.body === undefined ? undefined : typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
  const { tls = {} } = config;
  return new Promise((resolve, reject) => {
    const call = make(
      url,
      {
        method: step.method,
        headers: {
          accept: step.accept ?? 'application/json',
          'user-agent': 'conformance/1',
          ...step.headers,
          ...(config.bearerToken ? { authorization: `Bearer ${config.bearerToken}` } : {}),
          ...(body === undefined
            ? {}
            : { 'content-type': step.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
        signal: AbortSignal.timeout(20_000),
        ...(tls.ca ? { ca: tls.ca } : {}),
        ...(tls.cert ? { cert: tls.cert } : {}),
        ...(tls.key ? { key: tls.key } : {}),
        ...(tls.insecure ? { rejectUnauthorized: false } : {}),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            code: response.statusCode ?? 0,
            warnings: [response.headers.warning ?? []].flat(),
            text: Buffer.concat(chunks).toString(),
          }),
        );
        response.on('error', reject);
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

/** Sends a request, again and again where it waits for an answer: for ten seconds at most. */
async function sendUntil(config: ClusterConfig, step: Step): Promise<RawAnswer> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await send(config, step);
    const { until } = step;
    const fits =
      until === undefined ||
      answer.code === until ||
      (typeof until === 'string' && [answer.text, ...answer.warnings].some((text) => text.includes(until)));
    if (fits || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Runs a case in a namespace of its own and gives the normalised answers; `{name}` stands for one of the places. */
export async function runCase(
  config: ClusterConfig,
  { name, steps }: Case,
  places: Readonly<Record<string, string>> = {},
): Promise<Answer[]> {
  const namespace = `conformance-${name}`;
  await send(config, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
  // Made by a controller that need not be there.
  await send(config, {
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: { metadata: { name: 'default' } },
  });
  const normaliser = new Normaliser();
  const answers: Answer[] = [];
  const fill = (text: string) =>
    Object.entries({ ...places, ns: namespace }).reduce((all, [key, value]) => all.replaceAll(`{${key}}`, value), text);
  for (const step of steps) {
    const body =
      step.body === undefined
        ? {}
        : { body: typeof step.body === 'string' ? fill(step.body) : JSON.parse(fill(JSON.stringify(step.body))) };
    const { code, warnings, text } = await sendUntil(config, { ...step, path: fill(step.path), ...body });
    if (step.quiet) continue;
    answers.push({
      request: `${step.method} ${step.path}`,
      code,
      ...(warnings.length ? { warnings } : {}),
      body: normaliser.answer(parsed(text)),
    });
  }
  return answers;
}

/** JSON, or one value a line for watches, or the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const lines = text.trim().split('\n');
    if (lines.length > 1 && lines.every((line) => line.startsWith('{')))
      return lines.map((line) => JSON.parse(line) as unknown);
    return text;
  }
}
