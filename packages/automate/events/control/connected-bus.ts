import { busNameOf, defaultBusName, isReady } from '../spec/event-bus.ts';
import { SpecError } from '../spec/spec-problem.ts';
import type { EventsContext } from './context.ts';
import type { ConnectedBus } from './workers.ts';

/** The bus that an object runs with. Throws `SpecError` with upstream's reasons if it is not there or not ready. */
export function connectedBus(
  { buses, settings }: EventsContext,
  object: { readonly metadata: { readonly namespace?: string }; readonly spec: { readonly eventBusName?: string } },
): ConnectedBus {
  const name = busNameOf(object.spec);
  const bus = buses.get(`${object.metadata.namespace}/${name}`);
  if (!bus) {
    if (name === defaultBusName && settings().implicitBus) return { name, config: { embedded: {} } };
    throw new SpecError('EventBusNotFound', 'EventBus not found.');
  }
  if (!isReady(bus) || !bus.status?.config) throw new SpecError('EventBusNotReady', 'EventBus not ready.');
  return { name, config: bus.status.config };
}
