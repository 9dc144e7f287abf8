import type { KubeObject } from '@tiphys/kubernetes';
import { validateDependencies, validateTriggers } from '../rules/validate-sensor.ts';
import { validateEventSource } from '../source/validate-event-source.ts';
import { busNameOf, type EventBus } from '../spec/event-bus.ts';
import type { EventSource } from '../spec/event-source.ts';
import type { Sensor } from '../spec/sensor.ts';
import { SpecError } from '../spec/spec-problem.ts';
import { eventBusProblem } from '../spec/validate-event-bus.ts';
import { eventBusChangeProblem } from './event-bus-change.ts';

export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly kind: string };
  readonly operation: string;
  readonly object?: KubeObject | null;
  readonly oldObject?: KubeObject | null;
}

/** The EventBus of a name in a namespace; undefined if there is none. */
export type FindBus = (namespace: string, name: string) => Promise<EventBus | undefined>;

/** Why an object may not be stored; undefined if it may. What did not change is let through, as upstream does. */
export async function refusalOf(request: AdmissionRequest, findBus: FindBus): Promise<string | undefined> {
  const { object, oldObject, operation } = request;
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || !object) return undefined;
  const old = operation === 'UPDATE' ? (oldObject ?? undefined) : undefined;
  if (old && old.metadata.generation === object.metadata.generation) return undefined;
  try {
    return await problemOf(object, old, findBus);
  } catch (error) {
    if (error instanceof SpecError) return refusal(object.kind, error.message, error.problem?.remedy);
    throw error;
  }
}

/** Upstream's words, and what to do. */
function refusal(kind: string, text: string, remedy: string | undefined): string {
  return `invalid ${kind}: ${text}${remedy ? `. ${remedy}.` : ''}`;
}

async function problemOf(object: KubeObject, old: KubeObject | undefined, findBus: FindBus) {
  switch (object.kind) {
    case 'EventBus': {
      const wrong = eventBusProblem(object as EventBus);
      if (wrong) return refusal('EventBus', wrong.text, wrong.remedy);
      return old && eventBusChangeProblem(old as EventBus, object as EventBus);
    }
    case 'EventSource':
      await validateEventSource(object as EventSource);
      return undefined;
    case 'Sensor': {
      const sensor = object as Sensor;
      const bus = await findBus(sensor.metadata.namespace ?? '', busNameOf(sensor.spec));
      validateDependencies(sensor, { isStan: bus?.spec.nats !== undefined });
      validateTriggers(sensor);
      return undefined;
    }
    default:
      return undefined;
  }
}
