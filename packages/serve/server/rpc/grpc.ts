import { create, type DescMessage, type Message } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect';
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node';
import { fromWire, toWire, toWireWithBreaks } from '@tiphys/api';
import { breaks } from './breaks.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './dispatcher.ts';
import { grpcDetails } from './error-details.ts';
import { boundedGzip, largestMessage, strangersBytes } from './message-limits.ts';
import { rpcErrorOf } from './rpc-error.ts';

/** Makes the call of a request: finds out who calls; throws Unauthenticated where the method needs to know. */
export type Admit = (request: {
  path: string;
  header(name: string): string | undefined;
  /** All of them, by their names in lower case. */
  headers?(): Record<string, string[]>;
  signal: AbortSignal;
}) => Promise<Call>;

/** Called with every finished call, for logs and metrics. */
export type Observe = (call: { path: string; code: string; milliseconds: number; error?: unknown }) => void;

type AnyMessage = Message & Record<string, unknown>;

/** A call on its way in: whether it is admitted, and what is told of its end. */
interface Entry {
  readonly call: Promise<Call>;
  readonly finish: (code?: string, error?: unknown) => void;
}

const entryKey = createContextKey<Entry | undefined>(undefined);

type Request = Parameters<typeof universalRequestFromNodeRequest>[0];
type Response = Parameters<typeof universalResponseToNodeResponse>[1];

/**
 * Serves the endpoints by gRPC and gRPC-web on requests of node:http and node:http2. `fallback` gets all other paths. Nothing of a
 * body is read, let alone decompressed, before it is known who calls.
 */
export function grpcHandler(
  endpoints: readonly Endpoint[],
  admit: Admit,
  observe: Observe,
  fallback: (request: Request, response: Response) => unknown,
): (request: Request, response: Response) => void {
  const router = createConnectRouter({
    grpc: true,
    grpcWeb: true,
    connect: false,
    acceptCompression: [boundedGzip],
    writeMaxBytes: 200 * 1024 * 1024,
    compressMinBytes: 64 * 1024,
  });
  for (const endpoint of endpoints)
    router.rpc(endpoint.method as never, implementation(endpoint) as never, {
      readMaxBytes: largestMessage(endpoint.path),
    });
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] as string;
    const handler = handlers.get(path);
    if (!handler) return void fallback(request, response);
    const contextValues = createContextValues();
    const asked = universalRequestFromNodeRequest(request, response, undefined, contextValues);
    const header = (name: string) => asked.header.get(name) ?? undefined;
    const headers = () =>
      Object.fromEntries([...(asked.header as Headers).entries()].map(([name, value]) => [name, [value]]));
    const call = admit({ path, header, headers, signal: asked.signal });
    // whoever waits for it comes later, or never
    call.catch(() => undefined);
    const entry = { call, finish: watch(path, observe) };
    contextValues.set(entryKey, entry);
    handler({ ...asked, body: bodyOf(asked.body as AsyncIterable<Uint8Array>, entry) })
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((error: unknown) => {
        if (ConnectError.from(error).code !== Code.Aborted) entry.finish(String(Code.Internal), error);
      });
  };
}

/** The body of who is admitted; that of who did not say who they are is short. */
async function* bodyOf(body: AsyncIterable<Uint8Array>, { call, finish }: Entry): AsyncIterable<Uint8Array> {
  const admitted = await call.catch((error: unknown) => {
    throw refusal(error, finish);
  });
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (!admitted.identity && size > strangersBytes)
      throw new ConnectError(`a request without a token has at most ${strangersBytes} bytes`, Code.ResourceExhausted);
    yield chunk;
  }
}

function implementation(endpoint: Endpoint) {
  const { method } = endpoint;
  const invoke = endpoint.handler as (request: unknown, call: Call) => Promise<unknown> | AsyncIterable<unknown>;
  switch (method.methodKind) {
    case 'server_streaming':
      return async function* (request: AnyMessage, { values, responseHeader }: HandlerContext) {
        const { call, finish } = values.get(entryKey) as Entry;
        tell(endpoint, responseHeader);
        try {
          for await (const item of invoke(fromWire(method.input, request), await call) as AsyncIterable<unknown>)
            yield toWire(method.output, item);
          finish();
        } catch (error) {
          throw refusal(error, finish);
        }
      };
    default:
      return async (request: AnyMessage | AsyncIterable<AnyMessage>, { values, responseHeader }: HandlerContext) => {
        const { call, finish } = values.get(entryKey) as Entry;
        tell(endpoint, responseHeader);
        try {
          const plain =
            method.methodKind === 'unary'
              ? fromWire(method.input, request as AnyMessage)
              : plainRequests(method.input, request as AsyncIterable<AnyMessage>);
          const message = await toWireWithBreaks(method.output, await invoke(plain, await call), breaks());
          finish();
          return message;
        } catch (error) {
          throw refusal(error, finish);
        }
      };
  }
}

function tell({ headers = {} }: Endpoint, response: Headers): void {
  for (const [name, value] of Object.entries(headers)) response.set(name, value);
}

async function* plainRequests(desc: DescMessage, requests: AsyncIterable<AnyMessage>) {
  for await (const request of requests) yield fromWire(desc, request ?? create(desc));
}

function watch(path: string, observe: Observe) {
  const start = performance.now();
  return (code = 'OK', error?: unknown) => observe({ path, code, milliseconds: performance.now() - start, error });
}

function refusal(error: unknown, finish: (code: string, error: unknown) => void): ConnectError {
  if (error instanceof ConnectError) return error;
  const refused = rpcErrorOf(error);
  finish(String(refused.code), error);
  return new ConnectError(refused.message, refused.code, undefined, grpcDetails(refused));
}
