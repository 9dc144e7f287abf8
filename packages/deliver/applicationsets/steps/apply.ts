import type { Application } from '@tiphys/api';
import { type Diagnosis, DiagnosisError, diagnose, within } from '@tiphys/diagnosis';
import { type Client, isAlreadyExists, isConflict, isNotFound } from '@tiphys/kubernetes';
import { generatedApplicationRefused, templateFieldUnknown } from '../diagnoses/diagnoses.ts';
import { type Change, ignoreRulesOf, planChange, planOwnership } from '../plan/plan.ts';
import { mayDelete, mayUpdate, policyOf } from '../settings/settings.ts';
import { fail, retryDelay, type SetPass } from './reconciliation.ts';

/** Writes at once. */
const parallel = 8;
/** Attempts against others who write the same Application. */
const attempts = 4;

/** Creates what is missing and patches what differs, where the policy permits it. Each failure is reported; the others go on. */
export async function apply(pass: SetPass): Promise<void> {
  const { next, context, memory } = pass;
  const settings = context.settings();
  if (settings.dryRun) return;
  const policy = policyOf(next, settings);
  const updates = mayUpdate(policy);
  const keeps = !mayDelete(policy);
  const preserved = {
    annotations: [...(next.spec.preservedFields?.annotations ?? []), ...settings.preservedAnnotations],
    labels: [...(next.spec.preservedFields?.labels ?? []), ...settings.preservedLabels],
  };
  const rules = ignoreRulesOf(next);
  if (rules) memory.work.diagnoses.push(...rules.problems);
  const refused = new Map<string, { diagnosis: Diagnosis; created: boolean }>();
  const writeOne = async (desired: Application): Promise<void> => {
    const { namespace = '', name = '' } = desired.metadata;
    for (let attempt = 1; ; attempt++) {
      const live = context.applications.get(`${namespace}/${name}`);
      const change =
        live && !updates
          ? planOwnership(next, live, keeps)
          : planChange(next, desired, live, { preserved, rules, keeps });
      try {
        return await write(pass, change, name);
      } catch (error) {
        const raced = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
        if (raced && attempt < attempts) {
          await reread(context.client, desired, pass);
          continue;
        }
        pass.signal.throwIfAborted();
        const place = { object: `Application ${namespace}/${name}` };
        refused.set(name, { diagnosis: within(error, { place }).diagnosis, created: !live });
        return;
      }
    }
  };
  const waiting = [...memory.work.valid];
  await Promise.all(
    Array.from({ length: Math.min(parallel, waiting.length) }, async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) await writeOne(one);
    }),
  );
  for (const [, { diagnosis, created }] of [...refused].sort(([a], [b]) => (a < b ? -1 : 1)))
    fail(memory.work, created && !updates ? 'CreateApplicationError' : 'UpdateApplicationError', diagnosis);
  if (refused.size > 0) pass.requeueIn(retryDelay(memory.failures));
}

async function write(pass: SetPass, change: Change, name: string): Promise<void> {
  const { context, memory, next } = pass;
  if (change.kind === 'none') return;
  if (change.kind === 'refused') throw new DiagnosisError(change.diagnosis);
  if (change.kind === 'create') {
    const stored = await context.client.create<Application>(change.application, { fieldManager });
    context.applications.note(stored);
    pass.event('Normal', 'created', `created Application "${name}"`);
    return;
  }
  const { apiVersion, kind, metadata } = change.before;
  const text = `${metadata.resourceVersion} ${JSON.stringify(change.patch)}`;
  if (memory.noEffect.get(name) === text) return;
  const patch = change.patch as { metadata?: Record<string, unknown> };
  const body = { ...patch, metadata: { ...patch.metadata, resourceVersion: metadata.resourceVersion } };
  const ref = { apiVersion, kind, namespace: metadata.namespace ?? '', name };
  const stored = await context.client.patch<Application>(ref, 'merge', body, { fieldManager });
  if (stored.metadata.resourceVersion === metadata.resourceVersion) {
    // fields that the schema does not know are dropped without a word
    memory.noEffect.set(name, text);
    // which field of a patch that is has been said already
    if (!memory.work.diagnoses.some(({ code }) => code === templateFieldUnknown.code))
      memory.work.diagnoses.push(ineffective(next.metadata.name ?? '', name, change.patch));
    return;
  }
  memory.noEffect.delete(name);
  context.applications.note(stored);
  pass.event('Normal', 'updated', `updated Application "${name}"`);
}

const fieldManager = 'argocd-applicationset-controller';

async function reread(
  client: Client,
  { apiVersion, kind, metadata }: Application,
  { context }: SetPass,
): Promise<void> {
  const stored = await client.find<Application>({
    apiVersion,
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
  });
  if (stored) context.applications.note(stored);
}

function ineffective(set: string, name: string, patch: unknown): Diagnosis {
  return diagnose(generatedApplicationRefused, {
    message: `A part of the template of ${set} has no effect on Application ${name}: the API server does not know these fields`,
    place: { object: `Application ${name}`, field: 'spec.template' },
    evidence: { patch: JSON.stringify(patch).slice(0, 500) },
    remedies: ['Remove the fields from the template or the templatePatch, or correct their names'],
  });
}
