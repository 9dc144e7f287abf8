import { type Diagnosis, diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { PodTemplate } from '../spec/common.ts';
import { busNameOf } from '../spec/event-bus.ts';
import { SpecError } from '../spec/spec-problem.ts';
import { busFailure, missingBus, podNeeded, unreadyBus } from '../trouble/diagnoses.ts';
import { endpointOf } from '../trouble/endpoints.ts';
import { specFailures } from '../trouble/spec-invalid.ts';
import type { EventsContext } from './context.ts';

/** Says in a status what does not work, or that nothing is known to be wrong. */
export function tell(status: { diagnoses?: Diagnosis[] }, diagnoses: readonly Diagnosis[]): void {
  if (diagnoses.length > 0) status.diagnoses = [...diagnoses];
  else delete status.diagnoses;
}

/** What an EventSource or a Sensor asks for that it does not get because it has no pod of its own. */
export function inProcess(
  object: KubeObject & { readonly spec: { readonly template?: PodTemplate } },
  { settings }: EventsContext,
): Diagnosis[] {
  if (settings().deployment === 'dedicated') return [];
  const { namespace, name } = object.metadata;
  const told = podNeeded(object.spec, `argoproj.io/${object.kind} ${namespace}/${name}`);
  return told ? [told] : [];
}

type BusUser = KubeObject & { readonly spec: { readonly eventBusName?: string } };

/** What upstream's words for a bus that is not there or not ready leave out: which one, and what to do. */
function busTrouble(
  { reason }: SpecError,
  { kind, metadata, spec }: BusUser,
  buses: EventsContext['buses'],
): Diagnosis[] {
  const { namespace = '', name = '' } = metadata;
  const bus = busNameOf(spec);
  const others = [...buses.list()]
    .filter((each) => each.metadata.namespace === namespace && each.metadata.name !== bus)
    .map((each) => each.metadata.name ?? '');
  const concerned = { object: `argoproj.io/${kind} ${namespace}/${name}`, namespace, bus, others };
  if (reason === 'EventBusNotFound') return [missingBus(concerned)];
  if (reason !== 'EventBusNotReady') return [];
  const told = buses.get(`${namespace}/${bus}`)?.status?.diagnoses ?? [];
  return [unreadyBus({ ...concerned, told })];
}

/** Why an EventSource or a Sensor cannot run, for its condition and its status. */
export function deployFailure(
  error: unknown,
  user: BusUser,
  { buses }: EventsContext,
): { reason: string; message: string; diagnoses: Diagnosis[] } {
  if (error instanceof SpecError)
    return {
      reason: error.reason,
      message: error.message,
      diagnoses: error.problem ? specFailures(user, error) : busTrouble(error, user, buses),
    };
  const { metadata, spec } = user;
  const name = busNameOf(spec);
  const config = buses.get(`${metadata.namespace}/${name}`)?.status?.config;
  const endpoint = endpointOf(config?.jetstream) ?? endpointOf(config?.nats) ?? endpointOf(config?.kafka);
  const found = diagnosisOf(error);
  // what a client of a bus throws is no diagnosis; all else that can fail here is one
  const told = found.code === 'InternalError' && config && !config.embedded ? busFailure(error, name, endpoint) : found;
  return { reason: 'DeployFailed', message: formatDiagnosis(told), diagnoses: [told] };
}
