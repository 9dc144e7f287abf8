import type { Pass, Step } from '@tiphys/controller';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { validateEventSource } from '../source/validate-event-source.ts';
import { SpecError } from '../spec/common.ts';
import type { EventSource } from '../spec/event-source.ts';
import { Conditions } from './conditions.ts';
import { connectedBus } from './connected-bus.ts';
import { type EventsContext, sourceFinalizer } from './context.ts';
import { reconcileService } from './source-service.ts';

export type SourcePass = Pass<EventSource, EventsContext, Record<string, never>>;

const types = ['Deployed', 'SourcesProvided'];
const retryDelay = 2000;
const lookAgain = 30_000;

/** The way of an EventSource: its end; its rules; its Service; what listens. */
export const eventSourceSteps: readonly Step<SourcePass>[] = [remove, validate, deploy];

async function remove({ key, next, context }: SourcePass) {
  const finalizers = next.metadata.finalizers ?? [];
  if (!next.metadata.deletionTimestamp) {
    if (!finalizers.includes(sourceFinalizer)) next.metadata.finalizers = [...finalizers, sourceFinalizer];
    return 'continue';
  }
  await context.workers.stop('EventSource', key);
  next.metadata.finalizers = finalizers.filter((name) => name !== sourceFinalizer);
  return 'stop';
}

async function validate({ key, next, status, clock, context }: SourcePass) {
  const conditions = new Conditions(status, types, clock.now());
  try {
    await validateEventSource(next);
    conditions.isTrue('SourcesProvided');
    return 'continue';
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    conditions.isFalse('SourcesProvided', error.reason, error.message);
    await context.workers.stop('EventSource', key);
    return 'stop';
  }
}

async function deploy(pass: SourcePass) {
  const { next, status, clock, context } = pass;
  const conditions = new Conditions(status, types, clock.now());
  try {
    const bus = connectedBus(context, next);
    await reconcileService(context.client, next);
    if (context.settings().deployment === 'dedicated') {
      const { deployPods } = await import('./dedicated.ts');
      await deployPods(context, next, bus);
      await context.workers.stop('EventSource', pass.key);
      conditions.isTrue('Deployed');
      return;
    }
    const problems = await context.workers.source(next, bus);
    const [first] = problems;
    if (first) {
      conditions.isFalse(
        'Deployed',
        'ListenFailed',
        [...problems].map(([name, reason]) => `${name}: ${reason}`).join('; '),
      );
      pass.requeueIn(retryDelay);
    } else {
      conditions.isTrue('Deployed');
      pass.requeueIn(lookAgain);
    }
  } catch (error) {
    const reason = error instanceof SpecError ? error.reason : 'DeployFailed';
    const message = error instanceof SpecError ? error.message : formatDiagnosis(diagnosisOf(error));
    conditions.isFalse('Deployed', reason, message);
    pass.requeueIn(retryDelay);
  }
}
