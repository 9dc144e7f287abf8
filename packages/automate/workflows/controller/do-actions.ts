import { workflowNames } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import { ApiError, isAlreadyExists, isNotFound } from '@tiphys/kubernetes';
import { isTransientMessage } from '../execute/transient.ts';
import type { Action } from '../machine/index.ts';
import type { Workflow } from '../model/types.ts';
import { ownerOf } from '../pods/build-pod.ts';
import { ensureAgent } from './agent-pod.ts';
import type { PodObject } from './containers/pod-object.ts';
import type { PassFacts } from './facts-reader.ts';
import type { Surroundings } from './surroundings.ts';

interface Doing {
  readonly surroundings: Surroundings;
  readonly workflow: Workflow;
  readonly facts: PassFacts;
  readonly signal: AbortSignal;
}

/** Pods of one workflow that are created at once. */
const parallel = 16;

/** Does what must be there before the status is written. False if a pod or a claim could not be made: then the decision is made anew with that. */
export async function prepare(doing: Doing, actions: readonly Action[]): Promise<boolean> {
  for (const action of actions) await prepareOne(doing, action);
  if (doing.facts.claimFailures.size > 0) return false;
  const pods = actions.filter((action) => action.kind === 'create-pod').values();
  let failed = false;
  const work = async () => {
    for (const action of pods) if (!(await createPod(doing, action))) failed = true;
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return !failed;
}

async function prepareOne(doing: Doing, action: Action): Promise<void> {
  const { client } = doing.surroundings;
  const { namespace = '' } = doing.workflow.metadata;
  switch (action.kind) {
    case 'create-claim':
      return createClaim(doing, action);
    case 'create-budget':
      return createOnce(client, action.budget as never);
    case 'delete-claim':
      return deleteClaim(doing, action.name);
    case 'delete-budget':
      return remove(client, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace, name: action.name });
    case 'save-memo':
      return saveMemo(doing, action);
    case 'collect-artifacts':
      return startCollection(doing, action);
    case 'delete-gc-task':
      return remove(client, { apiVersion: workflowNames.apiVersion, kind: gcTask, namespace, name: action.name });
    case 'set-tasks':
      return setTasks(doing, action);
    default:
      return undefined;
  }
}

async function createOnce(client: Surroundings['client'], object: Parameters<typeof client.create>[0]): Promise<void> {
  try {
    await client.create(object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

async function createClaim(
  { surroundings, facts }: Doing,
  { claim }: Extract<Action, { kind: 'create-claim' }>,
): Promise<void> {
  try {
    await createOnce(surroundings.client, claim as never);
  } catch (error) {
    if (!(error instanceof DiagnosisError)) throw error;
    const { message } = error.diagnosis;
    facts.claimFailures.set(claim.metadata.name, { message, isTransient: isPassing(surroundings, error) });
  }
}

async function remove(client: Surroundings['client'], ref: Parameters<typeof client.delete>[0]): Promise<void> {
  try {
    await client.delete(ref);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** A claim that finished pods still mount would only wait: the guard of its use is taken off. */
async function deleteClaim({ surroundings, workflow }: Doing, name: string): Promise<void> {
  const { client } = surroundings;
  const ref = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: workflow.metadata.namespace ?? '',
    name,
  };
  await remove(client, ref);
  if (surroundings.settings().keepsClaimGuard) return;
  const claim = await client.find(ref);
  const guard = 'kubernetes.io/pvc-protection';
  if (!claim?.metadata.finalizers?.includes(guard)) return;
  const finalizers = claim.metadata.finalizers.filter((finalizer) => finalizer !== guard);
  await client.patch(ref, 'merge', { metadata: { finalizers, resourceVersion: claim.metadata.resourceVersion } });
}

async function createPod(
  { surroundings, facts, workflow }: Doing,
  { pod, configMap, nodeId }: Extract<Action, { kind: 'create-pod' }>,
): Promise<boolean> {
  const { client, pods, measures, rateLimit } = surroundings;
  const wait = rateLimit.take();
  measures?.rateLimited(wait);
  if (wait > 0) {
    facts.podFailures.set(nodeId, { message: 'resource creation rate-limit reached', isTransient: true });
    return false;
  }
  try {
    if (configMap) await createOnce(client, { apiVersion: 'v1', kind: 'ConfigMap', ...configMap } as never);
    pods.note((await client.create(pod as never)) as PodObject);
    measures?.podCreated();
    return true;
  } catch (error) {
    const existing = isAlreadyExists(error) ? await findOwn(surroundings, workflow, pod.metadata) : undefined;
    if (existing) {
      pods.adopt(existing);
      return true;
    }
    if (!(error instanceof DiagnosisError)) throw error;
    const message = error.diagnosis.message;
    facts.podFailures.set(nodeId, { message, isTransient: isPassing(surroundings, error) });
    return false;
  }
}

/** The pod of that name, if it is this workflow's. */
async function findOwn(
  { client }: Surroundings,
  { metadata }: Workflow,
  { name = '', namespace = '' }: { name?: string; namespace?: string },
): Promise<PodObject | undefined> {
  const pod = await client.find<PodObject>({ apiVersion: 'v1', kind: 'Pod', namespace, name });
  return pod?.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) ? pod : undefined;
}

/** True for refusals that go away by themselves: quotas, load, a server that is out of reach. */
function isPassing({ settings }: Surroundings, error: DiagnosisError): boolean {
  if (!(error instanceof ApiError)) return error.handling !== 'stalled';
  const { status, body } = error;
  const own = (body as { message?: unknown } | undefined)?.message;
  const message = typeof own === 'string' ? own : error.message;
  if (status === 409 || status === 429 || status >= 502) return true;
  if (status === 403) return message.includes('exceeded quota');
  return isTransientMessage(message, settings().transientErrorPattern);
}

async function saveMemo(
  { surroundings, workflow }: Doing,
  { configMap, key, entry }: Extract<Action, { kind: 'save-memo' }>,
): Promise<void> {
  const { client } = surroundings;
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: workflow.metadata.namespace ?? '', name: configMap };
  if (await client.find(ref)) {
    await client.patch(ref, 'merge', { data: { [key]: entry } });
    return;
  }
  const labels = { [workflowNames.labels.configMapType]: 'Cache' };
  const metadata = { name: configMap, namespace: ref.namespace, labels };
  await createOnce(client, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [key]: entry } } as never);
}

const gcTask = 'WorkflowArtifactGCTask';

/** The pod goes with its task, the task with its workflow. */
async function startCollection(
  { surroundings, workflow }: Doing,
  { task, pod }: Extract<Action, { kind: 'collect-artifacts' }>,
): Promise<void> {
  const { client, pods } = surroundings;
  const { name = '', uid = '', namespace = '' } = workflow.metadata;
  const { apiVersion } = workflowNames;
  const metadata = { ...task.metadata, ownerReferences: [ownerOf({ name, uid })] };
  await createOnce(client, { apiVersion, kind: gcTask, metadata, spec: task.spec } as never);
  const made = await client.get({ apiVersion, kind: gcTask, namespace, name: task.metadata.name ?? '' });
  const owner = { ...ownerOf({ name: made.metadata.name ?? '', uid: made.metadata.uid ?? '' }), kind: gcTask };
  try {
    const created = await client.create({ ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } } as never);
    pods.note(created as PodObject);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

async function setTasks(doing: Doing, { tasks }: Extract<Action, { kind: 'set-tasks' }>): Promise<void> {
  const { surroundings, workflow } = doing;
  const { client, taskSets } = surroundings;
  const { name = '', namespace = '', uid = '' } = workflow.metadata;
  const ref = { apiVersion: workflowNames.apiVersion, kind: 'WorkflowTaskSet', namespace, name };
  const existing = taskSets.get(namespace, name);
  const missing = Object.fromEntries(Object.entries(tasks).filter(([id]) => !existing?.spec?.tasks?.[id]));
  if (!existing) {
    const { controller, blockOwnerDeletion, ...owner } = ownerOf({ name, uid });
    const metadata = {
      name,
      namespace,
      ownerReferences: [owner],
      labels: { [workflowNames.labels.completed]: 'false' },
    };
    try {
      await client.create({ ...ref, metadata, spec: { tasks } } as never);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await client.patch(ref, 'merge', { spec: { tasks } });
    }
  } else if (Object.keys(missing).length > 0) await client.patch(ref, 'merge', { spec: { tasks: missing } });
  await ensureAgent(surroundings, workflow, doing.signal);
}

/** Does what follows from the status, once it is stored. */
export function followUp(
  { surroundings, workflow }: Omit<Doing, 'facts' | 'signal'>,
  actions: readonly Action[],
): void {
  const { cleanup, measures } = surroundings;
  const { namespace = '', uid = '' } = workflow.metadata;
  for (const action of actions) {
    if (action.kind === 'terminate-pod') cleanup.terminate(namespace, action.pod);
    else if (action.kind === 'delete-pod') cleanup.delete(namespace, action.pod, action.uid);
    else if (action.kind === 'metric') measures?.custom(action.metric, uid);
  }
}
