import {
  type Diagnosis,
  type DiagnosisError,
  defineDiagnosis,
  diagnose,
  diagnosisOf,
  failure,
  type Remedy,
} from '@tiphys/diagnosis';
import type { PodTemplate } from '../spec/common.ts';

const busUnreachable = defineDiagnosis('EventBusUnreachable', 'The server of an EventBus cannot be reached', 'E1');
const busMissing = defineDiagnosis(
  'EventBusMissing',
  'The EventBus that an EventSource or a Sensor names does not exist',
);
const busNotReady = defineDiagnosis(
  'EventBusNotReady',
  'The EventBus that an EventSource or a Sensor names is not ready',
);
const busInUse = defineDiagnosis('EventBusInUse', 'An EventBus is to be deleted, and stays while somebody uses it');
const notListening = defineDiagnosis('EventSourceNotListening', 'An EventSource cannot hear of its events');
const sourceMissing = defineDiagnosis(
  'DependencySourceMissing',
  'A dependency of a Sensor names an EventSource, or an event of one, that does not exist',
);
const needsPod = defineDiagnosis(
  'EventsTemplateNeedsPod',
  'An EventSource or Sensor asks for what only a pod of its own has, and it runs in the process of the controller',
);
const neverRuns = defineDiagnosis('TriggerConditionInvalid', 'The condition of a trigger can never be met');
const transformFailed = defineDiagnosis(
  'EventTransformFailed',
  'The transformation of a dependency fails on an event, which is dropped',
  'E4',
);
const filterFailed = defineDiagnosis(
  'EventFilterFailed',
  'A filter of a dependency cannot be evaluated on an event, which is dropped',
  'E4',
);
const notPermitted = defineDiagnosis(
  'TriggerNotPermitted',
  'The account of a Sensor may not do what a trigger wants',
  'E6',
);
const subscriptionLost = defineDiagnosis(
  'EventSubscriptionLost',
  'A Sensor is connected to its EventBus, and hears nothing from it',
  'E2',
);
const senderRefused = defineDiagnosis(
  'EventSenderRefused',
  'A sender of events does not sign with the secret of the EventSource, so that what it sends is refused',
  'E3',
);
const triggerFailed = defineDiagnosis('TriggerFailed', 'The action of a trigger fails', 'E7');
const refusedAccess = defineDiagnosis(
  'BrokerAccessRefused',
  'A broker or a cloud refuses the credentials of an EventSource or of a trigger',
);
const missingTarget = defineDiagnosis(
  'BrokerTargetMissing',
  'A broker or a cloud has no queue, topic, hub or subscription of the name that an EventSource or a trigger gives',
);

/** Users are told as `Kind name`. */
export function inUse(bus: string, users: readonly string[]): Diagnosis {
  const shown = users.slice(0, 5).join(', ');
  return diagnose(busInUse, {
    message: `EventBus ${bus} is to be deleted, and waits for ${users.length === 1 ? 'what uses' : `the ${users.length} that use`} it: ${shown}`,
    place: { field: 'metadata.finalizers' },
    remedies: ['Delete these, or set spec.eventBusName of each to another EventBus: it is deleted at once then'],
  });
}

/** A request that is not of a sender who knows the secret. */
export interface RefusedSender {
  /** That is to hold the signature or token. */
  readonly header: string;
  /** Whether the request had it. */
  readonly given: boolean;
  /** Whether it is refused for its time alone. */
  readonly stale?: boolean;
  /** Address of who sent it. */
  readonly from: string;
}

interface Refusing {
  readonly event: string;
  readonly object: string;
  /** Where the EventSource has its own secret. */
  readonly secret: string | undefined;
}

/** What a sender gets wrong: it has no secret, another one, or another clock. */
export function senderFailure(sender: RefusedSender, { event, object, secret }: Refusing): Diagnosis {
  const { found, remedies } = refusalOf(sender, secret ?? 'the EventSource');
  return diagnose(senderRefused, {
    message: `Requests for event ${event} are refused: ${found}`,
    place: { object, field: event },
    evidence: { 'last from': sender.from, secret },
    remedies,
  });
}

function refusalOf({ header, given, stale }: RefusedSender, secret: string) {
  if (stale)
    return {
      found: 'they are signed for another time than it is here',
      remedies: [
        'Compare the clocks of the sender and of this host; a request that is sent again later is refused too',
      ],
    };
  if (!given) return { found: `they come without ${header}`, remedies: [`Give the sender the secret of ${secret}`] };
  const remedy = `Give the sender the secret of ${secret}, or put that of the sender there`;
  return header.includes('Signature')
    ? {
        found: `${header} was made with another secret, or something on the way changed the body`,
        remedies: [remedy, 'Let no proxy change the body: the signature is of each byte'],
      }
    : { found: `${header} holds another token`, remedies: [remedy] };
}

interface BrokerTrouble {
  /** Such as `Service Bus at HOST`. */
  readonly system: string;
  /** Such as `queue orders`. */
  readonly target: string;
  /** What it answered. */
  readonly reason: string;
  readonly remedy: string;
}

/** A broker refuses who asks for something of it. */
export function accessRefused({ system, target, reason, remedy }: BrokerTrouble): DiagnosisError {
  return failure(refusedAccess, {
    message: `${system} refuses access to ${target}: ${reason}`,
    place: { remote: system },
    remedies: [remedy],
  });
}

/** A broker does not have what is asked for. */
export function targetMissing({ system, target, reason, remedy }: BrokerTrouble): DiagnosisError {
  return failure(missingTarget, {
    message: `${system} has no ${target}: ${reason}`,
    place: { remote: system },
    remedies: [remedy],
  });
}

/** A sentence of any caught value that may be shown. */
function sentenceOf(error: unknown): string {
  const { code, message } = diagnosisOf(error);
  return code === 'InternalError' && error instanceof Error ? error.message : message;
}

export function busFailure(error: unknown, name: string, endpoint: string | undefined): Diagnosis {
  const found = diagnosisOf(error);
  if (found.code !== 'InternalError') return found;
  return diagnose(busUnreachable, {
    message: `EventBus ${name} cannot be reached${endpoint ? ` at ${endpoint}` : ''}: ${sentenceOf(error)}`,
    place: { object: `argoproj.io/EventBus ${name}` },
    remedies: [
      'See whether the server of the bus runs and its address, port and credentials are right; events are neither published nor delivered until then',
    ],
  });
}

interface BusUser {
  readonly object: string;
  readonly namespace: string;
  readonly bus: string;
  /** Of the namespace. */
  readonly others: readonly string[];
}

/** An EventSource or a Sensor names an EventBus that its namespace does not have. */
export function missingBus({ object, namespace, bus, others }: BusUser): Diagnosis {
  return diagnose(busMissing, {
    message: `There is no EventBus ${bus} in namespace ${namespace}: nothing is heard and nothing triggered without it`,
    place: { object, field: 'spec.eventBusName' },
    evidence: { 'EventBuses of the namespace': others.join(', ') || 'none' },
    remedies: [
      ...(others.length > 0 ? [`Set spec.eventBusName to ${others.join(' or ')}`] : []),
      {
        text: `${others.length > 0 ? 'Or create' : 'Create'} the EventBus ${bus}`,
        paste: `apiVersion: argoproj.io/v1alpha1\nkind: EventBus\nmetadata:\n  name: ${bus}\n  namespace: ${namespace}\nspec:\n  jetstream:\n    version: latest`,
      },
    ],
  });
}

/** An EventBus is there and does not work yet; `told` is what its own status says. */
export function unreadyBus({ object, bus, told }: BusUser & { readonly told: readonly Diagnosis[] }): Diagnosis {
  return diagnose(busNotReady, {
    message: `EventBus ${bus} is not ready${told[0] ? `: ${told[0].message}` : ''}`,
    place: { object, field: 'spec.eventBusName' },
    remedies: told[0]?.remedies ?? [
      { text: 'See in the conditions of the EventBus what it waits for', paste: `tiphys events describe bus ${bus}` },
    ],
    causes: told,
  });
}

/** What of an EventSource does not work, by event. */
export function listenFailure(
  { event, field, error, endpoint }: { event: string; field: string; error: unknown; endpoint: string | undefined },
  object: string,
): Diagnosis {
  const found = diagnosisOf(error);
  const isKnown = found.code !== 'InternalError';
  const remedies: (Remedy | string)[] = isKnown ? [...found.remedies] : [];
  if (remedies.length === 0)
    remedies.push(
      endpoint
        ? `See whether ${endpoint} is right and answers from here; it is tried again by itself`
        : 'Correct what the message names; it is tried again by itself',
    );
  return diagnose(notListening, {
    message: `Event ${event} is not heard${endpoint ? ` from ${endpoint}` : ''}: ${sentenceOf(error)}`,
    place: { object, field },
    remedies,
    ...(isKnown ? { causes: [found] } : {}),
  });
}

interface PodSpecs {
  readonly template?: PodTemplate;
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
}

/** What the spec of an EventSource or a Sensor asks for that there is not without a pod of its own; undefined if nothing. */
export function podNeeded(
  { template, replicas = 1, revisionHistoryLimit }: PodSpecs,
  object: string,
): Diagnosis | undefined {
  // as whom it acts counts without a pod too
  const { container, serviceAccountName: _, ...others } = template ?? {};
  const fields = [
    ...Object.entries(container ?? {})
      .filter(([, value]) => !isEmpty(value))
      .map(([field]) => `spec.template.container.${field}`),
    ...Object.entries(others)
      .filter(([, value]) => !isEmpty(value))
      .map(([field]) => `spec.template.${field}`),
    ...(replicas > 1 ? ['spec.replicas'] : []),
    ...(revisionHistoryLimit === undefined ? [] : ['spec.revisionHistoryLimit']),
  ];
  if (fields.length === 0) return undefined;
  return diagnose(needsPod, {
    message: `${fields.join(', ')} ${fields.length === 1 ? 'has' : 'have'} no effect in the process of the controller`,
    place: { object, field: fields[0] ?? '' },
    remedies: ['Set TIPHYS_EVENTS_DEPLOYMENT=dedicated on the controller for pods of their own, or remove the fields'],
  });
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function withoutSource(
  {
    dependency,
    source,
    event,
    there,
  }: { dependency: string; source: string; event: string; there: readonly string[] | undefined },
  object: string,
): Diagnosis {
  return diagnose(sourceMissing, {
    message: there
      ? `Dependency ${dependency} waits for event ${event}, which EventSource ${source} does not have`
      : `Dependency ${dependency} waits for EventSource ${source}, which does not exist`,
    place: { object, field: `spec.dependencies[name=${dependency}]` },
    evidence: { 'events of the source': there?.join(', ') },
    remedies: [
      there
        ? 'Correct eventName, or add the event to the EventSource'
        : 'Correct eventSourceName, or create the EventSource',
    ],
  });
}

export function conditionFailure(trigger: string, reason: string, object: string): Diagnosis {
  return diagnose(neverRuns, {
    message: `Trigger ${trigger} never runs: ${reason}`,
    place: { object, field: `spec.triggers[name=${trigger}].template.conditions` },
    remedies: ['Correct the condition: it is made of names of dependencies'],
  });
}

export function subscriptionFailure(
  { trigger, dependency, reason }: { trigger: string; dependency: string; reason: string },
  object: string,
): Diagnosis {
  return diagnose(subscriptionLost, {
    message: `Trigger ${trigger} hears nothing of ${dependency} though the bus is connected: ${reason}`,
    place: { object, field: `spec.dependencies[name=${dependency}]` },
    remedies: [
      'See whether stream and disk of the bus are well and its account may make consumers; the subscription is made anew by itself, behind the last event that came',
    ],
  });
}

export function admissionFailure(
  { dependency, reason, kind }: { dependency: string; reason: string; kind: 'transform' | 'filter' },
  object: string,
): Diagnosis {
  return diagnose(kind === 'transform' ? transformFailed : filterFailed, {
    message: `The ${kind} of dependency ${dependency} fails: ${reason}`,
    place: { object, field: `spec.dependencies[name=${dependency}].${kind === 'transform' ? 'transform' : 'filters'}` },
    remedies: [`Correct the ${kind}, and try it on the event in the list of events`],
  });
}

export function actionFailure(trigger: string, error: unknown, object: string): Diagnosis {
  const found = diagnosisOf(error);
  const known = found.code !== 'InternalError';
  const remedies: (Remedy | string)[] = known ? [...found.remedies] : [];
  if (remedies.length === 0)
    remedies.push(
      `Correct what the message names in trigger ${trigger}, or what answers it; the events are in the list of events`,
    );
  return diagnose(found.code === 'AccessDenied' ? notPermitted : triggerFailed, {
    message: `Trigger ${trigger} fails: ${sentenceOf(error)}`,
    place: { object, field: `spec.triggers[name=${trigger}]` },
    remedies,
    ...(known ? { causes: [found] } : {}),
  });
}
