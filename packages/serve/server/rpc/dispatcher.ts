import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { services } from '@tiphys/api';
import type { Call } from './call.ts';
import { type AllHandlers, type AnyHandler, handlerOf, methodPath } from './handlers.ts';
import { Code, RpcError } from './rpc-error.ts';

/** A method of the API with what serves it. */
export interface Endpoint {
  readonly path: string;
  readonly service: DescService;
  readonly method: DescMethod;
  readonly handler: AnyHandler;
  /** What every answer to who is admitted has in its headers, as metadata of gRPC. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Methods that may be called without a valid token: they decide themselves what an anonymous caller sees. */
const open = /^\/(session\.SessionService|version\.VersionService|cluster\.SettingsService)\//;

export function needsIdentity(path: string): boolean {
  return !open.test(path) || path === '/cluster.SettingsService/GetPlugins';
}

/** All methods of the API; those without a handler refuse with a message that says where limits are listed. */
export function endpoints(handlers: AllHandlers): Endpoint[] {
  return endpointsOf(services, (key, method) => handlerOf(handlers, key as keyof typeof services, method));
}

/** The same for any services: `find` gives what serves a method of one of them. */
export function endpointsOf(
  all: Readonly<Record<string, DescService>>,
  find: (key: string, method: DescMethod) => AnyHandler | undefined,
): Endpoint[] {
  return Object.entries(all).flatMap(([key, service]) =>
    service.methods.map((method) => {
      const path = methodPath(service, method);
      return { path, service, method, handler: find(key, method) ?? unimplemented(path, method) };
    }),
  );
}

function unimplemented(path: string, { methodKind }: DescMethod): AnyHandler {
  const refuse = async (): Promise<never> => {
    throw new RpcError(Code.Unimplemented, `Tiphys does not serve ${path} yet; docs/limits.md lists what is served`);
  };
  // who waits for a stream reads its items, and a rejected promise in its place would end the process
  return methodKind === 'server_streaming'
    ? async function* (_request: never, _call: Call): AsyncGenerator<never> {
        yield await refuse();
      }
    : (_request: never, _call: Call) => refuse();
}
