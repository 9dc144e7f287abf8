import { type DiagnosisError, defineDiagnosis, failure, type Place } from '@tiphys/diagnosis';

const invalid = defineDiagnosis(
  'TrafficRoutingInvalid',
  'What a Rollout says of its traffic routing does not fit the objects that it names.',
);
const waiting = defineDiagnosis(
  'TrafficRoutingWaits',
  'A weight or a subset is not changed yet, because pods that would get requests are not ready for them.',
);
const unsupported = defineDiagnosis(
  'TrafficRoutingUnsupported',
  'A Rollout asks its traffic router for what the router cannot do.',
);

/** The sentence is upstream's; it becomes an event or a condition. */
export function invalidRouting(message: string, place?: Place, remedies: readonly string[] = []): DiagnosisError {
  return failure(invalid, { message, remedies, ...(place ? { place } : {}) });
}

export function waitingRouting(message: string): DiagnosisError {
  return failure(waiting, { message }, { handling: 'waiting', retryAfter: 10_000 });
}

export function unsupportedRouting(message: string, remedies: readonly string[]): DiagnosisError {
  return failure(unsupported, { message, remedies });
}
