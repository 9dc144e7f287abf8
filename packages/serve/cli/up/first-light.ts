import type { Application } from '@tiphys/api';
import { type Diagnosis, explainDiagnosis } from '@tiphys/diagnosis';
import { isAlreadyExists } from '@tiphys/kubernetes';
import type { Instance } from './instance.ts';
import type { Progress } from './progress.ts';

/** How long the start waits for the first application before it goes on and says what it waits for. */
const timeout = 60_000;

/** Why an application is not there yet although nothing is wrong: worth a line, no reason to stop waiting. */
const passing: ReadonlySet<string> = new Set([
  'WaveBlocked',
  'ProbeFailing',
  'VolumeClaimPending',
  'PodUnschedulable',
  'ObjectNotReady',
]);

/** Creates the application if it is not there yet and follows it until it is Synced and Healthy; says how far it came. */
export async function watchUntilHealthy(
  instance: Instance,
  application: Application,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const reached = await progress.step(
    `Application ${application.metadata.name} from ${application.spec.source?.repoURL}`,
    () => follow(instance, application, progress, signal),
    (current) => ({
      text: `${current?.status?.sync?.status ?? 'Unknown'}, ${current?.status?.health?.status ?? 'Unknown'}`,
      done: current !== undefined && isHealthy(current),
    }),
  );
  const told = new Set<string>();
  for (const diagnosis of reached && !isHealthy(reached) ? diagnosesOf(reached) : []) {
    const text = explainDiagnosis(diagnosis);
    if (told.has(text)) continue;
    told.add(text);
    progress.note(`${diagnosis.condition}: ${text.replaceAll('\n', '\n  ')}`);
  }
}

/** The application when it is Synced and Healthy, when what keeps it from that is known, or when the timeout is at its end. */
async function follow(
  instance: Instance,
  application: Application,
  progress: Progress,
  signal: AbortSignal,
): Promise<Application | undefined> {
  const { apiVersion, kind, metadata } = application;
  const { namespace, client } = instance;
  const { name = '' } = metadata;
  const ref = { apiVersion, kind, namespace, name };
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  await createOnce(instance, application);
  const list = await client.list<Application>(ref, { fieldSelector: `metadata.name=${name}` });
  let current = list.items[0];
  if (current && isSettled(current)) return current;
  const lines = new Map<string, string>();
  try {
    for await (const { object } of client.watch<Application>(ref, {
      resourceVersion: list.metadata.resourceVersion ?? '0',
      fieldSelector: `metadata.name=${name}`,
      signal: deadline,
    })) {
      if (object.metadata.name !== name) continue;
      current = object;
      tellWaiting(object, lines, progress);
      if (isSettled(object)) break;
    }
  } catch (error) {
    if (!deadline.aborted) throw error;
  }
  signal.throwIfAborted();
  return current;
}

/** Creates the application unless it is there from an earlier start, or from this one. */
export async function createOnce(
  { client, namespace }: Pick<Instance, 'client' | 'namespace'>,
  application: Application,
): Promise<void> {
  try {
    await client.create({ ...application, metadata: { ...application.metadata, namespace } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** One line for each object that is waited for, when there is something new to say of it. */
function tellWaiting({ status }: Application, lines: Map<string, string>, progress: Progress): void {
  for (const { kind, name, health } of status?.resources ?? []) {
    if (!health?.status || health.status === 'Healthy') continue;
    const object = `${kind} ${name}`;
    const line = `${object}: ${health.status}${health.message ? `, ${health.message}` : ''}`;
    if (lines.get(object) === line) continue;
    lines.set(object, line);
    progress.note(line);
  }
}

/** Whether waiting any longer tells nothing new: it is well, or it is known what keeps it from that. */
function isSettled(application: Application): boolean {
  return isHealthy(application) || diagnosesOf(application).some(({ code }) => !passing.has(code));
}

interface Told extends Diagnosis {
  readonly condition: string;
}

function diagnosesOf({ status }: Application): Told[] {
  return (status?.diagnoses ?? []) as unknown as Told[];
}

function isHealthy({ status }: Application): boolean {
  return status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';
}
