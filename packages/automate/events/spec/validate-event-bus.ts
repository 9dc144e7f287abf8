import { durationProblem } from './duration.ts';
import type { EventBus } from './event-bus.ts';
import { refusedField } from './fields/field-problem.ts';
import { rebalanceProblem } from './rebalance.ts';
import { missing, type SpecProblem, within, wrong } from './spec-problem.ts';

const kinds = ['embedded', 'nats', 'jetstream', 'jetstreamExotic', 'kafka'] as const;

/** What is wrong with an EventBus, by upstream's rules. */
export function eventBusProblem({ spec }: EventBus): SpecProblem | undefined {
  const refused = refusedField(spec, 'EventBus', 'spec');
  if (refused) return { ...refused, text: `invalid spec: ${refused.text}` };
  const given = kinds.filter((kind) => spec?.[kind] !== undefined && spec[kind] !== null);
  if (given.length === 0)
    return wrong(
      'spec',
      `invalid spec: one of ${kinds.join(', ')} needs to be specified`,
      'Set one of them, such as jetstream: {version: latest}, or embedded: {} for a bus of this process',
    );
  if (given.length > 1)
    return wrong('spec', `invalid spec: only one of ${given.join(', ')} can be specified`, 'Remove the others');
  return within(
    'spec',
    within('nats', natsProblem(spec.nats)) ??
      jetStreamProblem(spec) ??
      within('kafka', kafkaProblem(spec.kafka)) ??
      within('embedded', embeddedProblem(spec.embedded)),
  );
}

function natsProblem(nats: EventBus['spec']['nats']): SpecProblem | undefined {
  if (!nats) return undefined;
  const { native, exotic } = nats;
  if (native && exotic)
    return wrong(
      'exotic',
      '"spec.nats.native" and "spec.nats.exotic" can not be defined together',
      'Remove one of them: native makes servers, exotic names those that there are',
    );
  if (!native && !exotic)
    return missing('native', 'either "spec.nats.native" or "spec.nats.exotic" needs to be defined', '{auth: token}');
  if (native && !['', undefined, 'none', 'token'].includes(native.auth))
    return wrong(
      'native.auth',
      `"spec.nats.native.auth" is ${JSON.stringify(native.auth)}, it must be none or token`,
      'Write token, or none',
    );
  if (!exotic) return undefined;
  if (!exotic.clusterID) return missing('exotic.clusterID', '"spec.nats.exotic.clusterID" is missing');
  return exotic.url ? undefined : missing('exotic.url', '"spec.nats.exotic.url" is missing', 'nats://host:4222');
}

function jetStreamProblem({ jetstream, jetstreamExotic }: EventBus['spec']): SpecProblem | undefined {
  if (jetstream) {
    if (!jetstream.version)
      return missing('jetstream.version', 'invalid spec: a version for jetstream needs to be specified', 'latest');
    const { replicas } = jetstream;
    if (replicas !== undefined && (replicas === 2 || replicas <= 0))
      return wrong(
        'jetstream.replicas',
        'invalid spec: a jetstream eventbus requires 1 replica or >= 3 replicas',
        'Write 3, or 1',
      );
  }
  if (!jetstreamExotic || jetstreamExotic.url) return undefined;
  return missing('jetstreamExotic.url', '"spec.jetstreamExotic.url" is missing', 'nats://host:4222');
}

function kafkaProblem(kafka: EventBus['spec']['kafka']): SpecProblem | undefined {
  if (!kafka) return undefined;
  if (!kafka.url) return missing('url', '"spec.kafka.url" is missing', 'kafka:9092');
  const { oldest, rebalanceStrategy } = kafka.consumerGroup ?? {};
  if (oldest)
    return wrong(
      'consumerGroup.oldest',
      '"spec.kafka.consumerGroup.oldest" is not supported: a new sensor gets the events that come from then on; leave it out',
      'Remove it',
    );
  if (!['', undefined, 'hash'].includes(kafka.partitioner))
    return wrong(
      'partitioner',
      `"spec.kafka.partitioner" is ${JSON.stringify(kafka.partitioner)}, which is not supported: events of one name keep their order in one partition, as with hash; leave it out`,
      'Remove it, or write hash',
    );
  const found = rebalanceProblem(rebalanceStrategy);
  return found && { ...found, text: `"spec.kafka": ${found.text}` };
}

function embeddedProblem(embedded: EventBus['spec']['embedded']): SpecProblem | undefined {
  if (!embedded) return undefined;
  const { maxAge, maxMsgs } = embedded;
  if (maxMsgs !== undefined && !(Number.isInteger(maxMsgs) && maxMsgs > 0))
    return wrong(
      'maxMsgs',
      '"spec.embedded.maxMsgs" must be a positive whole number',
      'Write a number such as 1000000',
    );
  const problem = maxAge === undefined ? undefined : durationProblem(maxAge);
  return problem === undefined
    ? undefined
    : wrong('maxAge', `"spec.embedded.maxAge": ${problem}`, 'Write a duration such as 72h');
}
