import { nearestName } from '@tiphys/diagnosis';
import { backoffProblem } from '../retry/backoff.ts';
import type { Backoff } from '../spec/common.ts';
import type { EventSource, EventSourceSpec } from '../spec/event-source.ts';
import { refusedField } from '../spec/fields/field-problem.ts';
import { SpecError, type SpecProblem, within } from '../spec/spec-problem.ts';
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
      {
        field: `spec.${unknown}`,
        remedy: nearest ? `Rename it to ${nearest}` : 'Write one of the types, or remove it',
      },
    );
  }
  const refused = refusedField(spec, 'EventSource', 'spec');
  if (refused) throw invalid(`Invalid spec: ${metadata.name} - ${refused.text}`, refused);
  const events = eventsOf(spec ?? {});
  if (events.length === 0)
    throw invalid('no event sources found', {
      field: 'spec',
      remedy: 'Add an event, such as spec.webhook.push with port, endpoint and method',
    });
  const names = new Set<string>();
  for (const { kind, name, spec: event, type } of events) {
    const field = `spec.${kind}.${name}`;
    if (names.has(name)) throw invalid(`more than one "${name}" found`, { field, remedy: 'Give it another name' });
    names.add(name);
    const found = (await type.load()).problem(event as never) ?? connectionProblem(event);
    const problem = within(field, found);
    if (problem) throw invalid(`Invalid spec: ${metadata.name} - ${name}: ${problem.text}`, problem);
  }
  if (new Set(events.map(({ type }) => type.isExclusive)).size > 1)
    throw invalid(
      'Some types of event sources can not be put in one spec: event sources with rolling update and recreate update strategy',
      {
        field: 'spec',
        remedy: `Put ${kindsOf(events, true)} into an EventSource of their own, without ${kindsOf(events, false)}`,
      },
    );
}

function kindsOf(events: readonly SourceEvent[], isExclusive: boolean): string {
  return [...new Set(events.filter(({ type }) => type.isExclusive === isExclusive).map(({ kind }) => kind))].join(', ');
}

function connectionProblem({ connectionBackoff }: { readonly connectionBackoff?: Backoff }): SpecProblem | undefined {
  const found = within('connectionBackoff', connectionBackoff && backoffProblem(connectionBackoff));
  return found && { ...found, text: `connectionBackoff.${found.text}` };
}

function invalid(message: string, problem: Omit<SpecProblem, 'text'>): SpecError {
  return new SpecError('InvalidEventSource', message, { ...problem, text: message });
}
