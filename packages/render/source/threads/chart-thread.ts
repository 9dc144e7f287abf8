import { parentPort } from 'node:worker_threads';
import { type Diagnosis, DiagnosisError, diagnosisOf, type Handling } from '@tiphys/diagnosis';
import { type RecordedValue, RemoteSchemaMissing, type RemoteSchemas } from '@tiphys/helm';
import type { WantedObject } from '../request/field-origins.ts';
import { type AskedLookup, lookupKey } from '../request/lookups.ts';
import type { BuildMessage } from './build-messages.ts';
import { ChartCache } from './chart-cache.ts';
import type { HelmInvocation } from './helm-options.ts';
import { type HelmRendering, renderHelm } from './render-helm.ts';

/** A render, for another thread. */
export interface ChartTask {
  /** Files are sent when the thread does not know the key. */
  readonly chart: {
    readonly key: string;
    readonly folder: string;
    readonly files?: Readonly<Record<string, Uint8Array>>;
  };
  readonly invocation: HelmInvocation;
  readonly recorded: readonly RecordedValue[];
  /** What was looked up so far, by key. */
  readonly answers: ReadonlyMap<string, unknown>;
  /** Schemas outside of the chart that are known so far. */
  readonly remoteSchemas: RemoteSchemas;
  readonly maxObjects: number;
  readonly time: number;
  /** The object of which is to be told where each field comes from. */
  readonly explain?: WantedObject;
}

/** What the thread answers; `lookups` is all that was asked, also before a failure. */
export type ChartAnswer =
  | { readonly kind: 'chart-unknown' }
  | { readonly kind: 'rendered'; readonly rendering: HelmRendering; readonly lookups: readonly AskedLookup[] }
  | {
      readonly kind: 'failed';
      readonly diagnosis: Diagnosis;
      readonly handling: Handling;
      readonly lookups: readonly AskedLookup[];
      /** The schema that it lacks. */
      readonly schema?: string;
    };

const chartBytes = 64_000_000;
const charts = new ChartCache(chartBytes);

function answer({ chart: { key, folder, files }, answers, ...options }: ChartTask): ChartAnswer {
  const asked = new Map<string, AskedLookup>();
  const lookup = (wanted: AskedLookup) => {
    asked.set(lookupKey(wanted), wanted);
    return answers.get(lookupKey(wanted)) ?? undefined;
  };
  const lookups = () => [...asked.values()];
  try {
    const chart = files ? charts.add(key, files, folder) : charts.get(key);
    if (!chart) return { kind: 'chart-unknown' };
    return { kind: 'rendered', rendering: renderHelm(chart, { ...options, folder, lookup }), lookups: lookups() };
  } catch (error) {
    const handling = error instanceof DiagnosisError ? error.handling : 'stalled';
    const missing = error instanceof RemoteSchemaMissing ? { schema: error.url } : {};
    return { kind: 'failed', diagnosis: diagnosisOf(error), handling, lookups: lookups(), ...missing };
  }
}

parentPort?.on('message', async (task: ChartTask | BuildMessage) => {
  if (!('kind' in task)) return parentPort?.postMessage(answer(task));
  // Threads that only render charts do not load what kustomizations need.
  const { handleBuild } = await import('./build-thread.ts');
  return handleBuild(task, (reply) => parentPort?.postMessage(reply));
});
parentPort?.postMessage('ready');
