import type { DescMethod } from '@bufbuild/protobuf';
import type { ServerMetrics } from '@tiphys/metrics';
import type { Call } from '../rpc/call.ts';
import type { Endpoint } from '../rpc/dispatcher.ts';
import type { Admit, Observe } from '../rpc/grpc.ts';

interface Serving {
  readonly served: readonly Endpoint[];
  readonly admit: Admit;
  readonly observe: Observe;
}

const types: Record<DescMethod['methodKind'], 'unary' | 'server_stream' | 'client_stream' | 'bidi_stream'> = {
  unary: 'unary',
  server_streaming: 'server_stream',
  client_streaming: 'client_stream',
  bidi_streaming: 'bidi_stream',
};

const login = '/session.SessionService/Create';

/** The same, counted: every call begins with admission and ends with observation, whichever way it came in. */
export function measured(metrics: ServerMetrics | undefined, serving: Serving): Serving {
  if (!metrics) return serving;
  const methods = new Map(
    serving.served.map(({ path, service, method }) => [
      path,
      { service: service.typeName, method: method.name, type: types[method.methodKind] },
    ]),
  );
  metrics.serve(methods.values());
  return {
    served: serving.served.map((endpoint) => {
      const called = methods.get(endpoint.path) as Parameters<ServerMetrics['sent']>[0];
      const handler = endpoint.handler as (request: unknown, call: Call) => Promise<unknown> | AsyncIterable<unknown>;
      const counted = (request: unknown, call: Call) => {
        const answer = handler(request, call);
        if (Symbol.asyncIterator in Object(answer))
          return countItems(answer as AsyncIterable<unknown>, () => metrics.sent(called));
        return (answer as Promise<unknown>).then((value) => {
          metrics.sent(called);
          return value;
        });
      };
      return { ...endpoint, handler: counted as Endpoint['handler'] };
    }),
    admit: (request) => {
      const called = methods.get(request.path);
      if (called) metrics.started(called);
      return serving.admit(request);
    },
    observe: (finished) => {
      const called = methods.get(finished.path);
      if (called) metrics.handled(called, finished.code === 'OK' ? 0 : Number(finished.code));
      if (finished.path === login) metrics.login(finished.code === 'OK' ? 'success' : 'failure');
      serving.observe(finished);
    },
  };
}

async function* countItems(items: AsyncIterable<unknown>, count: () => void): AsyncIterable<unknown> {
  for await (const item of items) {
    count();
    yield item;
  }
}
