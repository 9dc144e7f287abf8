import { parseDuration } from './duration.ts';
import type { EventBus } from './event-bus.ts';
import { refusedField } from './fields/field-problem.ts';
import { rebalanceProblem } from './rebalance.ts';

const kinds = ['embedded', 'nats', 'jetstream', 'jetstreamExotic', 'kafka'] as const;

/** What is wrong with an EventBus, by upstream's rules. */
export function eventBusProblem({ spec }: EventBus): string | undefined {
  const refused = refusedField(spec, 'EventBus', 'spec');
  if (refused) return `invalid spec: ${refused}`;
  const given = kinds.filter((kind) => spec?.[kind] !== undefined && spec[kind] !== null);
  if (given.length === 0) return `invalid spec: one of ${kinds.join(', ')} needs to be specified`;
  if (given.length > 1) return `invalid spec: only one of ${given.join(', ')} can be specified`;
  return natsProblem(spec.nats) ?? jetStreamProblem(spec) ?? kafkaProblem(spec.kafka) ?? embeddedProblem(spec.embedded);
}

function natsProblem(nats: EventBus['spec']['nats']): string | undefined {
  if (!nats) return undefined;
  if (nats.native && nats.exotic) return '"spec.nats.native" and "spec.nats.exotic" can not be defined together';
  if (!nats.native && !nats.exotic) return 'either "spec.nats.native" or "spec.nats.exotic" needs to be defined';
  if (nats.native && !['', undefined, 'none', 'token'].includes(nats.native.auth))
    return `"spec.nats.native.auth" is ${JSON.stringify(nats.native.auth)}, it must be none or token`;
  if (!nats.exotic) return undefined;
  if (!nats.exotic.clusterID) return '"spec.nats.exotic.clusterID" is missing';
  return nats.exotic.url ? undefined : '"spec.nats.exotic.url" is missing';
}

function jetStreamProblem({ jetstream, jetstreamExotic }: EventBus['spec']): string | undefined {
  if (jetstream) {
    if (!jetstream.version) return 'invalid spec: a version for jetstream needs to be specified';
    const { replicas } = jetstream;
    if (replicas !== undefined && (replicas === 2 || replicas <= 0))
      return 'invalid spec: a jetstream eventbus requires 1 replica or >= 3 replicas';
  }
  return jetstreamExotic && !jetstreamExotic.url ? '"spec.jetstreamExotic.url" is missing' : undefined;
}

function kafkaProblem(kafka: EventBus['spec']['kafka']): string | undefined {
  if (!kafka) return undefined;
  if (!kafka.url) return '"spec.kafka.url" is missing';
  const { oldest, rebalanceStrategy } = kafka.consumerGroup ?? {};
  if (oldest)
    return '"spec.kafka.consumerGroup.oldest" is not supported: a new sensor gets the events that come from then on; leave it out';
  if (!['', undefined, 'hash'].includes(kafka.partitioner))
    return `"spec.kafka.partitioner" is ${JSON.stringify(kafka.partitioner)}, which is not supported: events of one name keep their order in one partition, as with hash; leave it out`;
  const wrong = rebalanceProblem(rebalanceStrategy);
  return wrong && `"spec.kafka": ${wrong}`;
}

function embeddedProblem(embedded: EventBus['spec']['embedded']): string | undefined {
  if (!embedded) return undefined;
  const { maxAge, maxMsgs } = embedded;
  if (maxMsgs !== undefined && !(Number.isInteger(maxMsgs) && maxMsgs > 0))
    return '"spec.embedded.maxMsgs" must be a positive whole number';
  try {
    if (maxAge !== undefined) parseDuration(maxAge);
    return undefined;
  } catch (error) {
    return `"spec.embedded.maxAge": ${(error as Error).message}`;
  }
}
