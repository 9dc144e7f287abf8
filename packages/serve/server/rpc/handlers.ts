import type { DescMethod, DescService, MessageShape } from '@bufbuild/protobuf';
import type { Plain, services } from '@tiphys/api';
import type { Call } from './call.ts';

type Shape<D extends DescMethod['input']> = Plain<MessageShape<D>>;

type Handler<M extends DescMethod> = M extends { methodKind: 'unary' }
  ? (request: Shape<M['input']>, call: Call) => Promise<Shape<M['output']>>
  : M extends { methodKind: 'server_streaming' }
    ? (request: Shape<M['input']>, call: Call) => AsyncIterable<Shape<M['output']>>
    : M extends { methodKind: 'client_streaming' }
      ? (requests: AsyncIterable<Shape<M['input']>>, call: Call) => Promise<Shape<M['output']>>
      : never;

/** Implementations of a service's methods in terms of JSON; methods that are left out answer Unimplemented. */
export type ServiceHandlers<S extends { method: Record<string, DescMethod> }> = {
  [K in keyof S['method']]?: Handler<S['method'][K]>;
};

/** Implementations of all services. */
export type AllHandlers = { [K in keyof typeof services]?: ServiceHandlers<(typeof services)[K]> };

/** A handler whose types were erased, for the transports. */
export type AnyHandler = (request: never, call: Call) => Promise<unknown> | AsyncIterable<unknown>;

/** The handler of a method, or undefined. */
export function handlerOf(
  handlers: AllHandlers,
  key: keyof typeof services,
  method: DescMethod,
): AnyHandler | undefined {
  return (handlers[key] as Record<string, AnyHandler> | undefined)?.[method.localName];
}

/** `/package.Service/Method` */
export function methodPath(service: DescService, method: DescMethod): string {
  return `/${service.typeName}/${method.name}`;
}
