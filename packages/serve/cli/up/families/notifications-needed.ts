import type { ObjectView } from '@tiphys/controller';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type Client, type Clock, Informer, type KubeObject } from '@tiphys/kubernetes';

interface Needs {
  readonly client: Client;
  readonly clock: Clock;
  /** Of the settings. */
  readonly namespace: string;
  /** Whether objects' own namespaces have settings too. */
  readonly selfService: boolean;
  readonly configMapName: string;
  /** Objects of the kind as the process follows them anyway. */
  readonly objects: ObjectView<KubeObject>;
  readonly signal: AbortSignal;
  readonly onError: (key: string, error: unknown) => void;
}

/**
 * Resolves once anybody has to be told of objects of a kind: there are settings of notifications, or an object has an annotation of theirs,
 * which at least is told that there are none. Rejects when the signal aborts.
 */
export async function somebodyToTell(needs: Needs): Promise<void> {
  const { client, clock, namespace, selfService, configMapName: name, objects, signal, onError } = needs;
  if ([...objects.list()].some(speaksOfNotifications)) return;
  const found = Promise.withResolvers<void>();
  const over = new AbortController();
  const settings = new Informer<KubeObject>(client, {
    ref: { apiVersion: 'v1', kind: 'ConfigMap', ...(selfService ? {} : { namespace }), name },
    clock,
    transform: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
    onError: (problem) => onError(`notifications: ${name}`, new DiagnosisError(problem)),
  });
  settings.subscribe(({ type }) => {
    if (type !== 'deleted') found.resolve();
  });
  const stop = objects.subscribe(({ type, object }) => {
    if (type !== 'deleted' && speaksOfNotifications(object)) found.resolve();
  });
  const abort = () => found.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  settings.start(AbortSignal.any([signal, over.signal]));
  await found.promise.finally(() => {
    stop();
    signal.removeEventListener('abort', abort);
    over.abort(new Error('known'));
  });
}

/** Annotations that subscribe, and those that tell what became of it. */
function speaksOfNotifications({ metadata: { annotations } }: KubeObject): boolean {
  for (const key in annotations) if (key.includes('notification')) return true;
  return false;
}
