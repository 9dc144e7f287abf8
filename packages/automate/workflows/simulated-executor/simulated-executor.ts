import { workflowNames } from '@tiphys/api';
import { type Client, isAlreadyExists } from '@tiphys/kubernetes';
import type { PodObject } from '../controller/containers/pod-object.ts';
import type { Pod } from '../model/types.ts';
import { simulatedOutputs, templateOfPod } from '../simulate/simulated-pod.ts';
import { givenOutputs, type SimulatedExecutorOptions, workThrough } from './work-through.ts';

const { labels, annotations } = workflowNames;
/** What is read of a log at most, in bytes. */
const largestResult = 256 * 1024;

/** Reports for pods whose executor only pretends to run: outputs from an annotation, and what the command prints as its result. */
export async function startSimulatedExecutor(options: SimulatedExecutorOptions): Promise<void> {
  const reported = new Set<string>();
  const uidOf = ({ metadata }: PodObject) => metadata.uid ?? '';
  await workThrough<PodObject>(options, {
    name: 'simulated executor',
    ref: { apiVersion: 'v1', kind: 'Pod' },
    labelSelector: `${labels.workflow},${labels.completed}=false,!${labels.component}`,
    wants: (pod) => isOver(pod) && !reported.has(uidOf(pod)),
    onGone: (pod) => reported.delete(uidOf(pod)),
    act: async (pod) => {
      if (reported.has(uidOf(pod))) return;
      await report(options.client, pod);
      reported.add(uidOf(pod));
    },
  });
}

function isOver({ status }: PodObject): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

async function report(client: Client, pod: PodObject): Promise<void> {
  const { namespace = '', annotations: own = {}, labels: podLabels = {} } = pod.metadata;
  const succeeded = pod.status?.phase === 'Succeeded';
  const given = givenOutputs(own);
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
