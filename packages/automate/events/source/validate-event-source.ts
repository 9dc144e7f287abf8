import { nearestName } from '@tiphys/diagnosis';
import { backoffProblem } from '../retry/backoff.ts';
import { type Backoff, SpecError } from '../spec/common.ts';
import type { EventSource, EventSourceSpec } from '../spec/event-source.ts';
import { refusedField } from '../spec/fields/field-problem.ts';
import { type SourceType, sourceTypes } from './source-types.ts';

/** One event of an EventSource. */
export interface SourceEvent {
  /** Key in the spec. */
  readonly kind: string;
  readonly type: SourceType;
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** `type` is what manifests of the first versions still have; nothing has read it since. */
const general = new Set(['eventBusName', 'template', 'service', 'replicas', 'type']);

/** Every event of a spec, of the types that there are. */
export function eventsOf(spec: EventSourceSpec): SourceEvent[] {
  return [...sourceTypes].flatMap(([kind, type]) => {
    const events = (spec[kind] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    return Object.entries(events).map(([name, event]) => ({ kind, type, name, spec: event ?? {} }));
  });
}

/** Checks an EventSource by upstream's rules. Throws `SpecError` with the reason of the condition. */
export async function validateEventSource({ metadata, spec }: EventSource): Promise<void> {
  const unknown = Object.keys(spec ?? {}).find((key) => !general.has(key) && !sourceTypes.has(key));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, [...sourceTypes.keys(), ...general]);
    throw invalid(
      `${JSON.stringify(unknown)} is no type of event source; ${nearest ? `did you mean ${nearest}? T` : 't'}here are ${[...sourceTypes.keys()].sort().join(', ')}`,
    );
  }
  const refused = refusedField(spec, 'EventSource', 'spec');
  if (refused) throw invalid(`Invalid spec: ${metadata.name} - ${refused}`);
  const events = eventsOf(spec ?? {});
  if (events.length === 0) throw invalid('no event sources found');
  const names = new Set<string>();
  for (const { name, spec: event, type } of events) {
    if (names.has(name)) throw invalid(`more than one "${name}" found`);
    names.add(name);
    const wrong = (await type.load()).problem(event as never) ?? connectionProblem(event);
    if (wrong) throw invalid(`Invalid spec: ${metadata.name} - ${name}: ${wrong}`);
  }
  if (new Set(events.map(({ type }) => type.isExclusive)).size > 1)
    throw invalid(
      'Some types of event sources can not be put in one spec: event sources with rolling update and recreate update strategy',
    );
}

function connectionProblem({ connectionBackoff }: { readonly connectionBackoff?: Backoff }): string | undefined {
  const wrong = connectionBackoff && backoffProblem(connectionBackoff);
  return wrong && `connectionBackoff.${wrong}`;
}

function invalid(message: string): SpecError {
  return new SpecError('InvalidEventSource', message);
}
