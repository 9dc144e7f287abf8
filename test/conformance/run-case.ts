import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { gunzipSync } from 'node:zlib';
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
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Response headers that are part of the answer. */
  readonly compareHeaders?: readonly string[];
  /** Fields of any depth that are no part of the answer. */
  readonly omit?: readonly string[];
  /** Values of the answer by their paths (`metadata.continue`), for the next steps as `{name}`. */
  readonly save?: Readonly<Record<string, string>>;
  /** Headers of the answer, for the next steps as `{name}`. */
  readonly saveHeader?: Readonly<Record<string, string>>;
  /** The answer is compared as text, even if it is JSON. */
  readonly asText?: boolean;
  /** Sent one after the other once the answer has begun; not compared. For watches, whose answer goes on. */
  readonly meanwhile?: readonly Step[];
  /** In place of `method` and `path`: these are sent at once, and answered in their order. */
  readonly together?: readonly Step[];
}

export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Answer {
  readonly request: string;
  readonly code: number;
  readonly warnings?: readonly string[];
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

interface RawAnswer {
  code: number;
  headers: IncomingHttpHeaders;
  warnings: string[];
  text: string;
}

/** Sends one request as the configuration's user. */
export function send(config: ClusterConfig, step: Step, begun: () => void = () => {}): Promise<RawAnswer> {
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
          ...(config.bearerToken ? { authorization: `Bearer ${config.bearerToken}` } : {}),
          ...(body === undefined
            ? {}
            : {
                ...(step.contentType === '' ? {} : { 'content-type': step.contentType ?? 'application/json' }),
                'content-length': Buffer.byteLength(body),
              }),
          ...step.headers,
        },
        signal: AbortSignal.timeout(120_000),
        ...(tls.ca ? { ca: tls.ca } : {}),
        ...(tls.cert ? { cert: tls.cert } : {}),
        ...(tls.key ? { key: tls.key } : {}),
        ...(tls.insecure ? { rejectUnauthorized: false } : {}),
      },
      (response) => {
        begun();
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const packed = response.headers['content-encoding'] === 'gzip';
          resolve({
            code: response.statusCode ?? 0,
            headers: response.headers,
            warnings: [response.headers.warning ?? []].flat(),
            text: (packed ? gunzipSync(bytes) : bytes).toString(),
          });
        });
        response.on('error', reject);
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

/** Sends a request, again and again where it waits for an answer: for two minutes at most. */
async function sendUntil(config: ClusterConfig, step: Step): Promise<RawAnswer> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const answer = await sendWith(config, step);
    const { until } = step;
    const fits =
      until === undefined ||
      answer.code === until ||
      (typeof until === 'string' && [answer.text, ...answer.warnings].some((text) => text.includes(until)));
    if (fits || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Sends a request, and others while it is being answered. */
async function sendWith(config: ClusterConfig, { meanwhile = [], ...step }: Step): Promise<RawAnswer> {
  let begun = () => {};
  const answering = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const answer = send(config, step, begun);
  await Promise.race([answering, answer]);
  for (const other of meanwhile) await sendUntil(config, other);
  return answer;
}

/**
 * Sends steps in a namespace of their own and gives normalised answers. `{name}` in a step stands for one of the places;
 * `{uid}` and `{resourceVersion}` for those of the last object that was answered.
 */
export class StepRunner {
  readonly #config: ClusterConfig;
  readonly #places: Record<string, string>;
  readonly #normaliser = new Normaliser();

  constructor(config: ClusterConfig, namespace: string, places: Readonly<Record<string, string>> = {}) {
    this.#config = config;
    this.#places = { uid: '', resourceVersion: '', ...places, ns: namespace };
  }

  /** Makes the namespace, with what a controller that need not be there would make in it. */
  async start(): Promise<void> {
    const metadata = { name: this.#places.ns };
    await send(this.#config, { method: 'POST', path: '/api/v1/namespaces', body: { metadata } });
    const path = `/api/v1/namespaces/${this.#places.ns}/serviceaccounts`;
    await send(this.#config, { method: 'POST', path, body: { metadata: { name: 'default' } } });
  }

  /** The answer, unless the step is quiet. */
  async run(step: Step): Promise<Answer | undefined> {
    return (await this.runAll(step))[0];
  }

  /** The answers of a step, or of those that it holds together; not those of quiet ones. */
  async runAll(step: Step): Promise<Answer[]> {
    const steps = step.together ?? [step];
    const raw = await Promise.all(steps.map((one) => sendUntil(this.#config, this.#filled(one))));
    return steps.flatMap((one, index) => {
      const { code, headers, warnings, text } = raw[index] as RawAnswer;
      const value = one.asText ? text : parsed(text);
      this.#remember(value);
      for (const [key, path] of Object.entries(one.save ?? {})) this.#places[key] = valueAt(value, path);
      for (const [key, name] of Object.entries(one.saveHeader ?? {})) this.#places[key] = String(headers[name]);
      if (one.quiet) return [];
      const compared = one.compareHeaders?.map((name) => [name, headers[name] ?? null]);
      return {
        request: `${one.method} ${one.path}`,
        code,
        ...(warnings.length ? { warnings } : {}),
        ...(compared ? { headers: Object.fromEntries(compared) } : {}),
        body: this.#normaliser.answer(without(value, one.omit ?? [])),
      };
    });
  }

  /** The step with its places filled in. */
  #filled({ save, saveHeader, ...step }: Step): Step {
    const fill = (value: unknown): unknown => {
      if (typeof value === 'string')
        return Object.entries(this.#places).reduce((all, [key, text]) => all.replaceAll(`{${key}}`, text), value);
      if (Array.isArray(value)) return value.map(fill);
      if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [fill(key), fill(item)]));
    };
    return fill(step) as Step;
  }

  #remember(answer: unknown): void {
    const { metadata } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
      metadata?: Record<string, unknown>;
    };
    if (typeof metadata?.uid !== 'string' || typeof metadata.resourceVersion !== 'string') return;
    this.#places.uid = metadata.uid;
    this.#places.resourceVersion = metadata.resourceVersion;
  }
}

/** Runs a case in a namespace of its own and gives the normalised answers; `{name}` stands for one of the places. */
export async function runCase(
  config: ClusterConfig,
  { name, steps }: Case,
  places: Readonly<Record<string, string>> = {},
): Promise<Answer[]> {
  const runner = new StepRunner(config, `conformance-${name}`, places);
  await runner.start();
  const answers: Answer[] = [];
  for (const step of steps) answers.push(...(await runner.runAll(step)));
  return answers;
}

function without(value: unknown, omitted: readonly string[]): unknown {
  return omitted.length
    ? JSON.parse(JSON.stringify(value, (key, item) => (omitted.includes(key) ? undefined : item)))
    : value;
}

/** The text at a dotted path; what is not there is an error of the case. */
function valueAt(value: unknown, path: string): string {
  const found = path
    .split('.')
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], value);
  if (found === undefined) throw new Error(`${path} is not in ${JSON.stringify(value)}`);
  return String(found);
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
