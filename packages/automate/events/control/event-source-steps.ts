import type { Pass, Step } from '@tiphys/controller';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import { clusterKeys } from '../keys/key-reader.ts';
import { validateEventSource } from '../source/validate-event-source.ts';
import type { EventSource } from '../spec/event-source.ts';
import { SpecError } from '../spec/spec-problem.ts';
import { ignoredFields } from '../trouble/ignored-fields.ts';
import { specFailures } from '../trouble/spec-invalid.ts';
import { Conditions } from './conditions.ts';
import { connectedBus } from './connected-bus.ts';
import { type EventsContext, sourceFinalizer } from './context.ts';
import { keyReferences } from './named-keys.ts';
import { reconcileService } from './source-service.ts';
import { deployFailure, inProcess, tell } from './told.ts';

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
    tell(status, specFailures(next, error));
    await context.workers.stop('EventSource', key);
    return 'stop';
  }
}

async function deploy(pass: SourcePass) {
  const { next, status, clock, context } = pass;
  const conditions = new Conditions(status, types, clock.now());
  try {
    const bus = connectedBus(context, next);
    const { deployment } = context.settings();
    await reconcileService(context.client, next, deployment === 'dedicated' ? undefined : context.heardAt);
    if (deployment === 'dedicated') {
      const { deployPods } = await import('./dedicated.ts');
      await deployPods(context, next, bus);
      await context.workers.stop('EventSource', pass.key);
      conditions.isTrue('Deployed');
      return;
    }
    const problems = await context.workers.source(next, bus);
    const missing = await missingKeys(pass);
    tell(status, [
      ...inProcess(next, context),
      ...ignoredFields(next),
      ...context.workers.diagnoses('EventSource', pass.key),
      ...missing,
    ]);
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
    const failed = deployFailure(error, next, context);
    conditions.isFalse('Deployed', failed.reason, failed.message);
    tell(pass.status, failed.diagnoses);
    pass.requeueIn(retryDelay);
  }
}

/** Keys of Secrets and ConfigMaps that the source names and that are not there: without a look, the first request would meet them. */
async function missingKeys({ next, context }: SourcePass): Promise<Diagnosis[]> {
  const keys = clusterKeys(context.client, next.metadata.namespace ?? '');
  const missing: Diagnosis[] = [];
  for (const { kind, path, selector } of keyReferences(next.spec)) {
    if (selector.optional) continue;
    try {
      await (kind === 'Secret' ? keys.secret(selector) : keys.configMap(selector));
    } catch (error) {
      if (!(error instanceof DiagnosisError)) throw error;
      missing.push({ ...error.diagnosis, place: { ...error.diagnosis.place, field: `spec.${path}` } });
    }
  }
  return missing;
}
