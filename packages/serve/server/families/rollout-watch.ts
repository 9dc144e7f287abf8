import type { AnalysisRun } from '@tiphys/analysis';
import type { Experiment, Rollout } from '@tiphys/api';
import { type Client, type Clock, Informer, type KubeObject, pause } from '@tiphys/kubernetes';
import type { Relatives, RolloutInfo } from '@tiphys/rollouts';

const argo = 'argoproj.io/v1alpha1';
/** Streams of all callers together; each follows the objects of a namespace. */
const mostStreams = 50;
/** Changes within this time, in milliseconds, are told together. */
const settle = 250;
let streams = 0;

/** Whether one more stream may be opened. */
export function hasRoomForStream(): boolean {
  return streams < mostStreams;
}

type Pods = Relatives['pods'][number];
type Sets = Relatives['replicaSets'][number];

export interface WatchOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
  /** That Rollout alone, with its analyses and experiments; all of the namespace, without them, if absent. */
  readonly name?: string;
  readonly signal: AbortSignal;
  /** Asked before each message: whether the caller may still read. */
  readonly mayRead: () => Promise<boolean>;
  readonly send: (info: RolloutInfo) => Promise<void>;
}

/** Tells each Rollout as it is, and again whenever it or what belongs to it changed. Ends with the signal, or when the right is gone. */
export async function watchRollouts(options: WatchOptions): Promise<void> {
  streams += 1;
  const stop = new AbortController();
  try {
    await follow({ ...options, signal: AbortSignal.any([options.signal, stop.signal]) });
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    stop.abort();
    streams -= 1;
  }
}

async function follow({ client, clock, namespace, name, signal, mayRead, send }: WatchOptions): Promise<void> {
  const { rolloutInfo } = await import('@tiphys/rollouts');
  const informer = <T extends KubeObject>(apiVersion: string, kind: string, fieldSelector?: string) =>
    new Informer<T>(client, {
      ref: { apiVersion, kind, namespace },
      clock,
      ...(fieldSelector ? { fieldSelector } : {}),
    });
  const rollouts = informer<Rollout>(argo, 'Rollout', name && `metadata.name=${name}`);
  const sets = informer<Sets>('apps/v1', 'ReplicaSet');
  const pods = informer<Pods>('v1', 'Pod');
  const experiments = name ? informer<Experiment>(argo, 'Experiment') : undefined;
  const runs = name ? informer<AnalysisRun>(argo, 'AnalysisRun') : undefined;
  const all = [rollouts, sets, pods, experiments, runs].filter((each) => each !== undefined);
  let changed = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => changed.resolve(), { once: true });
  for (const each of all) {
    each.subscribe(() => changed.resolve());
    each.start(signal);
  }
  await Promise.all(all.map(({ synced }) => synced));
  const told = new Map<string, string>();
  while (!signal.aborted && (await mayRead())) {
    changed = Promise.withResolvers<void>();
    const relatives: Relatives = {
      replicaSets: [...sets.list()],
      pods: [...pods.list()],
      experiments: [...(experiments?.list() ?? [])],
      analysisRuns: [...(runs?.list() ?? [])],
      now: clock.now(),
    };
    for (const rollout of rollouts.list()) {
      const info = rolloutInfo(rollout, relatives);
      const text = JSON.stringify(info);
      const key = rollout.metadata.name ?? '';
      if (told.get(key) === text) continue;
      told.set(key, text);
      await send(info);
    }
    if (signal.aborted) return;
    await changed.promise;
    await pause(clock, settle, signal);
  }
}
