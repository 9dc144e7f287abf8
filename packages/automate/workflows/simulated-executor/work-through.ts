import { DiagnosisError } from '@tiphys/diagnosis';
import { type Client, type Clock, Informer, type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import type { Fate } from '../simulate/fate.ts';

export interface SimulatedExecutorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onError: (key: string, error: unknown) => void;
}

interface Work<T extends KubeObject> {
  /** Who does it, as errors tell. */
  readonly name: string;
  readonly ref: { readonly apiVersion: string; readonly kind: string };
  readonly labelSelector?: string;
  /** Whether an object that has come or changed is to be done. */
  readonly wants?: (object: T) => boolean;
  readonly onGone?: (object: T) => void;
  readonly act: (object: T) => Promise<void>;
}

/** Does something with each object of a kind whenever it has come or changed, until the signal aborts; resolves when all are known. */
export async function workThrough<T extends KubeObject>(
  { client, clock, signal, onError }: SimulatedExecutorOptions,
  { name, ref, labelSelector, wants = () => true, onGone, act }: Work<T>,
): Promise<void> {
  const informer = new Informer<T>(client, {
    ref,
    ...(labelSelector ? { labelSelector } : {}),
    clock,
    onError: (problem) => onError(name, new DiagnosisError(problem)),
  });
  const queue = new WorkQueue({ clock, baseDelay: 200, maxDelay: 10_000 });
  informer.subscribe(({ type, object }) => {
    const { namespace = '', name: own = '' } = object.metadata;
    if (type === 'deleted') onGone?.(object);
    else if (wants(object)) queue.add(`${namespace}/${own}`);
  });
  informer.start(signal);
  await informer.synced;
  void queue.run({
    workers: 4,
    signal,
    reconcile: async (key) => {
      const [namespace = '', own = ''] = key.split('/');
      const object = informer.get(namespace, own);
      if (object) await act(object);
    },
    onError,
  });
}

/** Outputs of what only pretends to run, by an annotation: JSON `{parameters: {NAME: VALUE}, result, artifacts}`. */
export function givenOutputs(annotations: Readonly<Record<string, string>> | undefined): NonNullable<Fate['outputs']> {
  return JSON.parse(annotations?.['sandbox.tiphys.dev/outputs'] ?? '{}') as NonNullable<Fate['outputs']>;
}
