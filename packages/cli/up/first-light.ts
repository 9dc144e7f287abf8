import type { Application } from '@tiphys/api';
import { isAlreadyExists } from '@tiphys/kubernetes';
import type { Instance } from './instance.ts';
import type { Progress } from './progress.ts';

/** How long the start waits for the first application before it goes on and says what it waits for. */
const patience = 60_000;

/** Creates the application if it is not there yet and follows it until it is Synced and Healthy. */
export async function watchUntilHealthy(
  instance: Instance,
  application: Application,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { name = '' } = application.metadata;
  const ref = { apiVersion: application.apiVersion, kind: application.kind, namespace: instance.namespace, name };
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  await progress.step(`Application ${name} from ${application.spec.source?.repoURL}`, async () => {
    try {
      await instance.client.create({
        ...application,
        metadata: { ...application.metadata, namespace: instance.namespace },
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const list = await instance.client.list<Application>(ref, { fieldSelector: `metadata.name=${name}` });
    let current = list.items[0];
    if (current && isHealthy(current)) return;
    try {
      for await (const { object } of instance.client.watch<Application>(ref, {
        resourceVersion: list.metadata.resourceVersion ?? '0',
        fieldSelector: `metadata.name=${name}`,
        signal: deadline,
      })) {
        if (object.metadata.name !== name) continue;
        current = object;
        if (isHealthy(object)) return;
        if (object.status?.conditions?.length) break;
      }
    } catch (error) {
      if (!deadline.aborted) throw error;
    }
    signal.throwIfAborted();
    report(current, progress);
  });
}

function isHealthy({ status }: Application): boolean {
  return status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';
}

function report(application: Application | undefined, progress: Progress): void {
  const status = application?.status;
  progress.note(`It is ${status?.sync?.status ?? 'Unknown'} and ${status?.health?.status ?? 'Unknown'} so far`);
  for (const { type, message } of status?.conditions ?? [])
    progress.note(`${type}: ${message.replaceAll('\n', '\n  ')}`);
}
