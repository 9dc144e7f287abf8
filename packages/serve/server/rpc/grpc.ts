import { create, type DescMessage, type Message } from '@bufbuild/protobuf';
import { ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { fromWire, toWire } from '@tiphys/api';
import type { Call } from './call.ts';
import type { Endpoint } from './dispatcher.ts';
import { grpcDetails } from './error-details.ts';
import { rpcErrorOf } from './rpc-error.ts';

/** Makes the call of a request: finds out who calls; throws Unauthenticated where the method needs to know. */
export type Admit = (request: {
  path: string;
  header(name: string): string | undefined;
  signal: AbortSignal;
}) => Promise<Call>;

/** Called with every finished call, for logs and metrics. */
export type Observe = (call: { path: string; code: string; milliseconds: number; error?: unknown }) => void;

type AnyMessage = Message & Record<string, unknown>;

/** Serves the endpoints by gRPC and gRPC-web on requests of node:http and node:http2. `fallback` gets all other paths. */
export function grpcHandler(
  endpoints: readonly Endpoint[],
  admit: Admit,
  observe: Observe,
  fallback: Parameters<typeof connectNodeAdapter>[0]['fallback'],
) {
  const routes = (router: ConnectRouter) => {
    for (const endpoint of endpoints)
      router.rpc(endpoint.method as never, implementation(endpoint, admit, observe) as never);
  };
  return connectNodeAdapter({
    routes,
    grpc: true,
    grpcWeb: true,
    connect: false,
    readMaxBytes: 200 * 1024 * 1024,
    writeMaxBytes: 200 * 1024 * 1024,
    compressMinBytes: 64 * 1024,
    shutdownTimeoutMs: 0,
    ...(fallback ? { fallback } : {}),
  } as Parameters<typeof connectNodeAdapter>[0]);
}

function implementation(endpoint: Endpoint, admit: Admit, observe: Observe) {
  const { method, path } = endpoint;
  const invoke = endpoint.handler as (request: unknown, call: Call) => Promise<unknown> | AsyncIterable<unknown>;
  const admitted = (context: HandlerContext) =>
    admit({ path, header: (name) => context.requestHeader.get(name) ?? undefined, signal: context.signal });
  switch (method.methodKind) {
    case 'server_streaming':
      return async function* (request: AnyMessage, context: HandlerContext) {
        const finish = watch(path, observe);
        try {
          const call = await admitted(context);
          for await (const item of invoke(fromWire(method.input, request), call) as AsyncIterable<unknown>)
            yield toWire(method.output, item);
          finish();
        } catch (error) {
          throw refusal(error, finish);
        }
      };
    case 'unary':
      return async (request: AnyMessage, context: HandlerContext) => {
        const finish = watch(path, observe);
        try {
          const response = await invoke(fromWire(method.input, request), await admitted(context));
          const message = toWire(method.output, response);
          finish();
          return message;
        } catch (error) {
          throw refusal(error, finish);
        }
      };
    default:
      return async (requests: AsyncIterable<AnyMessage>, context: HandlerContext) => {
        const finish = watch(path, observe);
        try {
          const response = await invoke(plainRequests(method.input, requests), await admitted(context));
          finish();
          return toWire(method.output, response);
        } catch (error) {
          throw refusal(error, finish);
        }
      };
  }
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
