import { type Diagnosis, defineDiagnosis, diagnose, type Evidence } from '@tiphys/diagnosis';
import { ApiError, describeKey, type KubeObject, keyOf, type ObjectKey, parseApiVersion } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { explainConditions } from '../health/explain-conditions.ts';
import { claimPending, explainKind } from '../health/explain-kind.ts';
import { isWorse } from '../health/health.ts';
import { withLastLines } from '../health/last-lines.ts';
import { ownDiagnosis } from '../health/own-diagnosis.ts';
import { endedByProbe, evidenceOf, heldBackPull, newestFirst, podSetupTrouble } from '../health/pod-events.ts';
import { crashLoop, imagePull, notReady } from '../health/pod-trouble.ts';
import { unseenByScheduler } from '../health/pod-waiting.ts';
import { podsRefused, quotaTrouble } from '../health/replica-trouble.ts';
import { claimsOf, claimsUnbound } from '../health/scheduling-trouble.ts';
import { slowDeletion } from '../health/stuck-deletion.ts';
import { textAt } from '../model/fields.ts';
import type { Health, TreeNode } from '../model/model.ts';
import { withRoom } from './scheduling-room.ts';
import { withTaints } from './scheduling-taints.ts';
import { ofOldRevision } from './stale-revision.ts';

const controllerSilent = defineDiagnosis('ControllerSilent', 'The controller of an object has told nothing of it');
const deadlineExceeded = defineDiagnosis('ProgressDeadlineExceeded', 'A rollout made no progress in its time', 'S17');

/** The cause that the cache knows for an object's trouble: the worst of its descendants that says why. */
export function leafDiagnosis(cache: ClusterCache, key: ObjectKey): Diagnosis | undefined {
  return worstLeaf(cache.tree([key]))?.health?.diagnosis;
}

/** An unhealthy object's health with the cause that the cache knows; asks the server nothing. */
export function withKnownCause(health: Health, key: ObjectKey, cache: ClusterCache): Health {
  if (health.diagnosis || health.status === 'Healthy' || health.status === 'Suspended' || health.status === 'Missing')
    return health;
  const leaf = leafDiagnosis(cache, key);
  return leaf ? { ...health, diagnosis: pastDeadline(leaf, health.message, key) } : health;
}

/** The pod-level cause, said of the rollout whose deadline has passed. */
function pastDeadline(leaf: Diagnosis, message: string | undefined, key: ObjectKey): Diagnosis {
  if (!/exceeded its progress deadline/.test(message ?? '')) return leaf;
  return diagnose(deadlineExceeded, {
    message: leaf.message,
    place: leaf.place ?? { object: describeKey(key) },
    evidence: { deadline: message },
    remedies: leaf.remedies,
    causes: [leaf],
  });
}

function worstLeaf(nodes: readonly TreeNode[]): TreeNode | undefined {
  let worst: TreeNode | undefined;
  for (const node of nodes) {
    if (!node.health?.diagnosis) continue;
    // newest pods tell about the current revision
    if (
      !worst?.health ||
      isWorse(worst.health.status, node.health.status) ||
      (worst.health.status === node.health.status && node.createdAt > worst.createdAt)
    )
      worst = node;
  }
  return worst;
}

const eventCache = new WeakMap<ClusterCache, Map<string, { at: number; events: KubeObject[] }>>();
const eventsGoodFor = 10_000;

/** An object's health with the leaf cause in it, where one is found. */
export async function withCause(
  health: Health,
  key: ObjectKey,
  cache: ClusterCache,
  options: { now?: number; signal?: AbortSignal } = {},
): Promise<Health> {
  if (health.status === 'Healthy' || health.status === 'Suspended' || health.status === 'Missing') return health;
  const [node] = cache.tree([key]);
  const diagnosis = node && (await explainNode(node, cache, options));
  return diagnosis ? { ...health, diagnosis } : health;
}

async function explainNode(
  node: TreeNode,
  cache: ClusterCache,
  options: { now?: number; signal?: AbortSignal },
): Promise<Diagnosis | undefined> {
  const object = cache.get(node.key);
  if (object?.metadata.deletionTimestamp && object.metadata.finalizers?.length)
    return slowDeletion(object, options.now ?? Date.now());
  const branch = cache.tree([node.key]);
  const known = worstLeaf(branch)?.health?.diagnosis;
  const leaf = await remembered(cache, options.now ?? Date.now(), askedOf(node, known), async () =>
    known
      ? withEvidence(known, branch, cache, options)
      : ((await fromSchedulers(branch, cache, options)) ??
        (await fromKinds(branch, cache, options)) ??
        (await fromEvents(branch, cache, options)) ??
        (await fromConditions(node, cache, options))),
  );
  if (!leaf) return undefined;
  const told = await ofOldRevision(leaf, node, branch, cache, options.signal);
  return pastDeadline(told, node.health?.message, node.key);
}

/** What the answer depends on: another restart, or another message, is another question. */
function askedOf({ uid, health }: TreeNode, known: Diagnosis | undefined): string {
  const evidence = known?.evidence.map(({ value }) => value).join(' ');
  return [uid, health?.status, health?.message, known?.code, known?.message, evidence].join(' ');
}

const answers = new WeakMap<ClusterCache, Map<string, { at: number; diagnosis: Diagnosis | undefined }>>();
const answersGoodFor = 15_000;
/** Of a crash the events tell a moment later that a probe was the cause; of what has no cause yet, they may soon tell one. */
const soon = 2_000;

/** Asks only where the last answer to the same question is too old: the server is not asked at each change of a pod. */
async function remembered(
  cache: ClusterCache,
  now: number,
  question: string,
  ask: () => Promise<Diagnosis | undefined>,
): Promise<Diagnosis | undefined> {
  const known = answers.get(cache) ?? new Map<string, { at: number; diagnosis: Diagnosis | undefined }>();
  answers.set(cache, known);
  const before = known.get(question);
  const settled = before?.diagnosis && before.diagnosis.code !== crashLoop.code;
  const goodFor = settled ? answersGoodFor : soon;
  if (before && now - before.at < goodFor) return before.diagnosis;
  if (known.size > 2000) known.clear();
  const diagnosis = await ask();
  known.set(question, { at: now, diagnosis });
  return diagnosis;
}

/** What is not in the object's own status: the last lines of the log, what a probe was answered, what is free on nodes. */
async function withEvidence(
  leaf: Diagnosis,
  branch: readonly TreeNode[],
  cache: ClusterCache,
  options: { now?: number; signal?: AbortSignal },
): Promise<Diagnosis> {
  if (leaf.code === 'PodUnschedulable') return withTaints(withRoom(leaf, branch, cache), cache, options.signal);
  const pod = branch.find(({ key }) => describeKey(key) === leaf.place?.object);
  if (leaf.code === claimsUnbound.code) return withClaims(leaf, pod, cache, options);
  const events = pod ? await eventsOf(pod, cache, options, leaf.code === crashLoop.code ? 0 : undefined) : [];
  if (leaf.code === imagePull.code) return heldBackPull(leaf, events);
  if (leaf.code !== notReady.code)
    return endedByProbe(
      await withLastLines(leaf, cache.client, options.signal),
      leaf.code === crashLoop.code ? events : [],
    );
  const said = events.filter((event) => textAt(event, 'reason') === 'Unhealthy').sort(newestFirst)[0];
  return said ? { ...leaf, evidence: [...leaf.evidence, evidenceOf(said)] } : leaf;
}

/** A pod that waits for claims, with what keeps the first of them that says so. */
async function withClaims(
  leaf: Diagnosis,
  pod: TreeNode | undefined,
  cache: ClusterCache,
  { signal }: { signal?: AbortSignal },
): Promise<Diagnosis> {
  const object =
    pod &&
    (await cache.load({ apiVersion: 'v1', kind: 'Pod', namespace: pod.key.namespace, name: pod.key.name }, signal));
  for (const name of object ? claimsOf(object) : []) {
    const key = { group: '', kind: 'PersistentVolumeClaim', namespace: pod?.key.namespace ?? '', name };
    const found = await explainKind(key, cache.client, signal);
    if (found)
      return { ...leaf, message: `${leaf.message}: ${found.message}`, remedies: found.remedies, causes: [found] };
  }
  return leaf;
}

/** What a kind that is not built in says of itself in its conditions, with the last warning that was told of it. */
async function fromConditions(
  { key, uid, health, version, ...node }: TreeNode,
  cache: ClusterCache,
  options: { now?: number; signal?: AbortSignal },
): Promise<Diagnosis | undefined> {
  if (!key.group.includes('.') || key.group.endsWith('.k8s.io') || !health) return undefined;
  const apiVersion = `${key.group}/${version}`;
  const object = await cache.load(
    { apiVersion, kind: key.kind, namespace: key.namespace, name: key.name },
    options.signal,
  );
  const own = object && ownDiagnosis(object);
  if (own) return own;
  const diagnosis = object && (explainConditions(object, health) ?? silence(object, options.now ?? Date.now()));
  if (!diagnosis) return undefined;
  const events = await eventsOf({ ...node, key, uid, health, version }, cache, options);
  const warning = events.filter((event) => textAt(event, 'type') === 'Warning').sort(newestFirst)[0];
  return warning ? { ...diagnosis, evidence: [...diagnosis.evidence, evidenceOf(warning)] } : diagnosis;
}

/** A controller that runs says something of a new object within so long, in milliseconds. */
const heardWithin = 30_000;

/** An object whose controller has never written a status; undefined while it may still come. */
function silence(object: KubeObject, now: number): Diagnosis | undefined {
  const { creationTimestamp = '', name = '' } = object.metadata;
  const isTold = object['status'] && Object.keys(object['status']).length > 0;
  if (isTold || now - Date.parse(creationTimestamp) < heardWithin) return undefined;
  const { group } = parseApiVersion(object.apiVersion);
  return diagnose(controllerSilent, {
    message: `${object.kind} ${name} has no status since it was made: nobody in the cluster works on ${group}`,
    place: { object: describeKey(keyOf(object)) },
    evidence: { 'made at': creationTimestamp },
    remedies: [
      {
        text: `Install the controller of ${group}, or see whether its pods run and whether it watches this namespace`,
        paste: `kubectl get pods -A | grep -i ${group.split('.', 1)[0]}`,
      },
    ],
  });
}

/** A scheduler that works looks at a new pod within so long, in milliseconds. */
const scheduledWithin = 10_000;

/** The first pod that no scheduler has looked at in good time. */
async function fromSchedulers(
  branch: readonly TreeNode[],
  cache: ClusterCache,
  { now = Date.now(), signal }: { now?: number; signal?: AbortSignal },
): Promise<Diagnosis | undefined> {
  const pod = branch.find(
    ({ key, health, createdAt }) =>
      key.group === '' &&
      key.kind === 'Pod' &&
      health?.status === 'Progressing' &&
      now - Date.parse(createdAt) >= scheduledWithin,
  );
  if (!pod) return undefined;
  const { namespace, name } = pod.key;
  const object = await cache.load({ apiVersion: 'v1', kind: 'Pod', namespace, name }, signal);
  return object && unseenByScheduler(object);
}

/** Why claims, Services, Ingresses and autoscalers among them are not well, by what their kinds need. */
async function fromKinds(
  branch: readonly TreeNode[],
  cache: ClusterCache,
  options: { signal?: AbortSignal },
): Promise<Diagnosis | undefined> {
  for (const { key, health } of branch) {
    if (!health || health.status === 'Healthy') continue;
    const found = await explainKind(key, cache.client, options.signal);
    if (found) return found;
  }
  return undefined;
}

async function fromEvents(
  branch: readonly TreeNode[],
  cache: ClusterCache,
  options: { now?: number; signal?: AbortSignal },
): Promise<Diagnosis | undefined> {
  // leaves first: what happens at the end of the chain is the cause
  for (const node of [...branch].reverse()) {
    if (node.health?.status === 'Healthy' || !explainable.has(node.key.kind)) continue;
    const events = await eventsOf(node, cache, options);
    const warnings = events
      .filter((event) => textAt(event, 'type') === 'Warning' || node.key.kind === 'PersistentVolumeClaim')
      .sort(newestFirst);
    for (const warning of warnings) {
      const diagnosis = explainEvent(node, warning);
      if (diagnosis) return diagnosis;
    }
  }
  return undefined;
}

const explainable = new Set([
  'Pod',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'PersistentVolumeClaim',
  'Service',
  'Ingress',
  'HorizontalPodAutoscaler',
]);

async function eventsOf(
  node: TreeNode,
  cache: ClusterCache,
  { now = Date.now(), signal }: { now?: number; signal?: AbortSignal },
  goodFor = eventsGoodFor,
): Promise<KubeObject[]> {
  const known = eventCache.get(cache) ?? new Map<string, { at: number; events: KubeObject[] }>();
  eventCache.set(cache, known);
  const before = known.get(node.uid);
  if (before && now - before.at < goodFor) return before.events;
  if (known.size > 2000) known.clear();
  let events: KubeObject[] = [];
  try {
    const ref = { apiVersion: 'v1', kind: 'Event', namespace: node.key.namespace || 'default' };
    const options = { fieldSelector: `involvedObject.uid=${node.uid}`, limit: 50, ...(signal ? { signal } : {}) };
    events = (await cache.client.list(ref, options)).items;
  } catch (error) {
    signal?.throwIfAborted();
    // events only add to what is known: without the right to read them there is less to tell, and nothing fails
    if (!(error instanceof ApiError)) throw error;
  }
  known.set(node.uid, { at: now, events });
  return events;
}

function explainEvent(node: TreeNode, event: KubeObject): Diagnosis | undefined {
  const message = textAt(event, 'message');
  const reason = textAt(event, 'reason');
  const place = { object: describeKey(node.key) };
  const at = textAt(event, 'lastTimestamp') || textAt(event, 'eventTime');
  const evidence: Evidence[] = [{ name: `event ${reason}`, value: message, ...(at ? { at } : {}) }];
  const quota = quotaTrouble(message, place.object, evidence);
  if (quota) return quota;
  const setup = node.key.kind === 'Pod' ? podSetupTrouble(node.key, event) : undefined;
  if (setup) return setup;
  if (reason === 'FailedCreate') return podsRefused(message, place.object, evidence);
  if (reason === 'Unhealthy') {
    return diagnose(notReady, {
      message,
      place,
      evidence,
      remedies: ["Correct the probe's path, port or timing, or the program that answers it"],
    });
  }
  if (node.key.kind === 'PersistentVolumeClaim') {
    const waits = reason === 'WaitForFirstConsumer';
    return diagnose(claimPending, {
      message: waits ? 'The claim waits for its first pod, which is normal for its storage class' : message,
      place,
      evidence,
      remedies: [
        waits
          ? 'Nothing: it is bound when a pod that uses it is scheduled'
          : 'Correct spec.storageClassName, or install the storage class and its provisioner',
      ],
    });
  }
  return undefined;
}
