import type { Application } from '@tiphys/api';
import { isAlreadyExists } from '@tiphys/kubernetes';
import type { Instance } from './instance.ts';
import type { Progress } from './progress.ts';

/** How long the start waits for the first application before it goes on and says what it waits for. */
const patience = 60_000;

/** Creates the application if it is not there yet and follows it until it is Synced and Healthy; says how far it came. */
export async function watchUntilHealthy(
  instance: Instance,
  application: Application,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const reached = await progress.step(
    `Application ${application.metadata.name} from ${application.spec.source?.repoURL}`,
    () => follow(instance, application, signal),
    (current) => ({
      text: `${current?.status?.sync?.status ?? 'Unknown'}, ${current?.status?.health?.status ?? 'Unknown'}`,
      done: current !== undefined && isHealthy(current),
    }),
  );
  for (const { type, message } of reached?.status?.conditions ?? [])
    progress.note(`${type}: ${message.replaceAll('\n', '\n  ')}`);
}

/** The application when it is Synced and Healthy, has a condition, or the patience is at its end. */
async function follow(
  instance: Instance,
  application: Application,
  signal: AbortSignal,
): Promise<Application | undefined> {
  const { apiVersion, kind, metadata } = application;
  const { namespace, client } = instance;
  const { name = '' } = metadata;
  const ref = { apiVersion, kind, namespace, name };
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  try {
    await client.create({ ...application, metadata: { ...metadata, namespace } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const list = await client.list<Application>(ref, { fieldSelector: `metadata.name=${name}` });
  let current = list.items[0];
  if (current && isHealthy(current)) return current;
  try {
    for await (const { object } of client.watch<Application>(ref, {
      resourceVersion: list.metadata.resourceVersion ?? '0',
      fieldSelector: `metadata.name=${name}`,
      signal: deadline,
    })) {
      if (object.metadata.name !== name) continue;
      current = object;
      if (isHealthy(object) || object.status?.conditions?.length) break;
    }
  } catch (error) {
    if (!deadline.aborted) throw error;
  }
  signal.throwIfAborted();
  return current;
}

function isHealthy({ status }: Application): boolean {
  return status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';
}
