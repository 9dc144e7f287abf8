import type { AnalysisRun } from '@tiphys/analysis';
import type { Application, Rollout } from '@tiphys/api';
import type { Client, KubeObject } from '@tiphys/kubernetes';

const namespace = 'rollouts';
const kind = { apiVersion: 'argoproj.io/v1alpha1', namespace };
const image = 'nginx';
const bad = '1.29';

export interface RolloutsExampleOptions {
  readonly client: Client;
  /** Namespace of the Application. */
  readonly controlPlane: string;
  readonly url: string;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Releases an image of the example that answers with errors, as a pipeline would: by the Application. Tells what becomes of it
 * until it is rolled back, or served by all pods. Does nothing if the release was made by an earlier start.
 */
export async function playRolloutsExample(options: RolloutsExampleOptions): Promise<void> {
  const { client, controlPlane, url, note } = options;
  const application = { ...kind, kind: 'Application', namespace: controlPlane, name: 'rollouts' };
  const { spec } = await client.get<Application>(application);
  if (spec.source?.kustomize?.images) return;
  let before: Rollout | undefined;
  await follow<Rollout>({ client, kind: 'Rollout', signal: options.signal }, (rollout) => {
    before = rollout;
    return rollout.status?.phase === 'Healthy';
  });
  note(
    `web serves with ${image}:1.28. Now ${image}:${bad} is released, and every two seconds its share of errors is measured:`,
  );
  note(`watch it at ${url}/rollouts/${namespace}/web`);
  const patch = { spec: { source: { kustomize: { images: [`${image}:${bad}`] } } } };
  await client.patch(application, 'merge', patch);
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const runs = follow<AnalysisRun>({ client, kind: 'AnalysisRun', signal }, tellMeasurements(note));
  try {
    await followRelease(before, { ...options, signal });
  } finally {
    stop.abort();
    await runs;
  }
}

/** Until the release is over, either way. */
async function followRelease(
  before: Rollout | undefined,
  { client, signal, note }: RolloutsExampleOptions,
): Promise<void> {
  const stable = before?.status?.stableRS;
  let told = '';
  await follow<Rollout>({ client, kind: 'Rollout', signal }, ({ status = {}, spec }) => {
    const isNew = status.currentPodHash !== undefined && status.currentPodHash !== stable;
    if (!isNew) return false;
    const steps = spec.strategy.canary?.steps ?? [];
    const index = status.currentStepIndex ?? 0;
    const weight = steps.slice(0, index + 1).findLast(({ setWeight }) => setWeight !== undefined)?.setWeight ?? 0;
    const line = `${weight} % of the pods are to have ${image}:${bad}`;
    if (!status.abort && index < steps.length && line !== told) {
      told = line;
      note(line);
    }
    if (status.abort && status.phase === 'Degraded') {
      note(`✗ ${status.message ?? 'aborted'}`);
      note(
        `All pods have ${image}:1.28 again. "npx tiphys rollouts get rollout web -n ${namespace}" shows what was, and the page its curve`,
      );
      return true;
    }
    if (status.phase !== 'Healthy' || status.stableRS !== status.currentPodHash) return false;
    note(`✓ all pods have ${image}:${bad}`);
    return true;
  });
}

function tellMeasurements(note: (text: string) => void): (run: AnalysisRun) => boolean {
  let count = 0;
  return ({ status }) => {
    for (const { name, measurements = [] } of status?.metricResults ?? [])
      for (const { phase, value } of measurements.slice(count)) {
        count += 1;
        note(`  ${name} ${value ?? ''} ${phase === 'Successful' ? '✓' : '✗'}`);
      }
    return false;
  };
}

/** Every state of the objects of a kind in the namespace, until the function says that it is enough or the signal ends it. */
async function follow<T extends KubeObject>(
  { client, kind: name, signal }: { client: Client; kind: string; signal: AbortSignal },
  look: (object: T) => boolean,
): Promise<void> {
  const ref = { ...kind, kind: name };
  try {
    const { items, metadata } = await client.list<T>(ref, { signal });
    if (items.some(look)) return;
    const resourceVersion = metadata.resourceVersion ?? '0';
    for await (const { object } of client.watch<T>(ref, { resourceVersion, signal })) if (look(object)) return;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
