import { workflowNames } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { type Client, Informer, isAlreadyExists, WorkQueue } from '@tiphys/kubernetes';
import type { PodObject } from '../controller/containers/pod-object.ts';
import type { Pod } from '../model/types.ts';
import type { Fate } from '../simulate/fate.ts';
import { simulatedOutputs, templateOfPod } from '../simulate/simulated-pod.ts';

/** Outputs of a pod that only pretends to run: JSON `{parameters: {NAME: VALUE}, result, artifacts}`. */
export const outputsAnnotation = 'sandbox.tiphys.dev/outputs';

export interface SimulatedExecutorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onError: (key: string, error: unknown) => void;
}

const { labels, annotations } = workflowNames;
/** What is read of a log at most, in bytes. */
const largestResult = 256 * 1024;

/** Reports for pods whose executor only pretends to run: outputs from an annotation, and what the command prints as its result. */
export async function startSimulatedExecutor({
  client,
  clock,
  signal,
  onError,
}: SimulatedExecutorOptions): Promise<void> {
  const informer = new Informer<PodObject>(client, {
    ref: { apiVersion: 'v1', kind: 'Pod' },
    labelSelector: `${labels.workflow},${labels.completed}=false,!${labels.component}`,
    clock,
    onError: (problem) => onError('simulated executor', new DiagnosisError(problem)),
  });
  const queue = new WorkQueue({ clock, baseDelay: 200, maxDelay: 10_000 });
  const reported = new Set<string>();
  informer.subscribe(({ type, object }) => {
    const { uid = '', namespace = '', name = '' } = object.metadata;
    if (type === 'deleted') reported.delete(uid);
    else if (isOver(object) && !reported.has(uid)) queue.add(`${namespace}/${name}`);
  });
  informer.start(signal);
  await informer.synced;
  void queue.run({
    workers: 4,
    signal,
    reconcile: async (key) => {
      const [namespace = '', name = ''] = key.split('/');
      const pod = informer.get(namespace, name);
      if (!pod || reported.has(pod.metadata.uid ?? '')) return;
      await report(client, pod);
      reported.add(pod.metadata.uid ?? '');
    },
    onError,
  });
}

function isOver({ status }: PodObject): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

async function report(client: Client, pod: PodObject): Promise<void> {
  const { namespace = '', annotations: own = {}, labels: podLabels = {} } = pod.metadata;
  const succeeded = pod.status?.phase === 'Succeeded';
  const given = JSON.parse(own[outputsAnnotation] ?? '{}') as NonNullable<Fate['outputs']>;
  const result = given.result ?? (succeeded && wantsResult(pod) ? await log(client, pod) : undefined);
  const outputs = simulatedOutputs(pod as unknown as Pod, { ...given, ...(result === undefined ? {} : { result }) });
  const workflow = podLabels[labels.workflow] ?? '';
  try {
    await client.create({
      apiVersion: workflowNames.apiVersion,
      kind: 'WorkflowTaskResult',
      metadata: {
        name: own[annotations.nodeId] ?? '',
        namespace,
        labels: { [labels.workflow]: workflow, [labels.outputsReported]: 'true' },
        ownerReferences:
          pod.metadata.ownerReferences?.map(({ controller, blockOwnerDeletion, ...owner }) => owner) ?? [],
      },
      ...(succeeded ? { outputs } : {}),
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function wantsResult(pod: PodObject): boolean {
  const main = pod.spec.containers.find(({ name }) => name === 'main');
  const wanted = main?.env?.find(({ name }) => name === 'ARGO_INCLUDE_SCRIPT_OUTPUT')?.value === 'true';
  return wanted && !templateOfPod(pod as unknown as Pod).resource;
}

async function log(client: Client, pod: PodObject): Promise<string> {
  const { namespace = '', name = '' } = pod.metadata;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of client.logs({ namespace, name }, { container: 'main', limitBytes: largestResult })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= largestResult) break;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  // programs that nobody can pretend to run say only that they began
  return text.startsWith('main: started ') ? '' : text.replace(/\n$/, '');
}
