import { type Client, isForbidden, type KubeObject } from '@tiphys/kubernetes';
import { broughtBy } from '../find/brought-by.ts';
import type { ApiUse, Caller } from '../find/finding.ts';
import { apiVersionOf } from '../knowledge/api-life.ts';
import type { AuditCall } from './audit-events.ts';

type Counted = { -readonly [Key in keyof Caller]: Caller[Key] };

/** Calls put together by who calls what, without looking for the pods. */
export function countCalls(calls: readonly AuditCall[]): ApiUse[] {
  const uses = new Map<string, { use: ApiUse; caller: Counted; pods: Set<string> }>();
  for (const { verdict, verb, user, userAgent, at, pod } of calls) {
    const { life, state } = verdict;
    const key = JSON.stringify([apiVersionOf(life), life.kind, user, userAgent]);
    let entry = uses.get(key);
    if (!entry) {
      const caller: Counted = { userAgent, user, verbs: [], count: 0, first: at, last: at };
      entry = { use: { origin: 'call', api: life, state }, caller, pods: new Set() };
      uses.set(key, entry);
    }
    const { caller } = entry;
    caller.count += 1;
    if (!caller.verbs.includes(verb)) caller.verbs = [...caller.verbs, verb].sort();
    if (at && (!caller.first || at < caller.first)) caller.first = at;
    if (at > caller.last) caller.last = at;
    // of several pods of one workload the last one is the likeliest to be there still
    if (pod) caller.pod = pod;
  }
  return [...uses.values()].map(({ use, caller }) => ({
    ...use,
    at: caller.last,
    caller,
    ...ourselves(caller.userAgent),
  }));
}

/** Our own calls say in whose name they are made. */
function ourselves(userAgent: string): { application?: string } {
  const [, application] = /^tiphys\/[^ ]+ \([^;)]*; ([^;)]*); [^)]*\)/.exec(userAgent.slice(0, 1000)) ?? [];
  return application ? { application } : {};
}

const account = /^system:serviceaccount:([^:]{1,253}):([^:]{1,253})$/;
const longestChain = 5;

/** Adds the pod, the workload, the Application and the chart of each caller that is a ServiceAccount. */
export async function whoCalls(uses: readonly ApiUse[], client: Client, signal?: AbortSignal): Promise<ApiUse[]> {
  const pods = new Map<string, Promise<KubeObject | undefined>>();
  const all: ApiUse[] = [];
  for (const use of uses) {
    const { caller } = use;
    const [, namespace, name] = account.exec(caller?.user ?? '') ?? [];
    if (!caller || !namespace || !name) {
      all.push(use);
      continue;
    }
    const key = caller.pod ?? `${namespace}/${name}`;
    const pod = await (pods.get(key) ?? remembered(pods, key, podOf(client, caller, { namespace, name }, signal)));
    all.push(pod ? await explained(use, pod, client, signal) : use);
  }
  return all;
}

function remembered<T>(map: Map<string, T>, key: string, value: T): T {
  map.set(key, value);
  return value;
}

/** The pod that the token names, else one that runs as the ServiceAccount. */
async function podOf(
  client: Client,
  { pod }: Caller,
  { namespace, name }: { namespace: string; name: string },
  signal?: AbortSignal,
): Promise<KubeObject | undefined> {
  const options = signal ? { signal } : {};
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace };
  try {
    const named = pod && (await client.find({ ...ref, name: pod.split('/')[1] ?? '' }, options));
    if (named) return named;
    const { items } = await client.list(ref, { ...options, limit: 500 });
    return items.find(({ spec }) => (spec as { serviceAccountName?: string } | undefined)?.serviceAccountName === name);
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

async function explained(use: ApiUse, pod: KubeObject, client: Client, signal?: AbortSignal): Promise<ApiUse> {
  const { namespace = '' } = pod.metadata;
  let owner = pod;
  let origin = broughtBy(pod);
  for (let step = 0; step < longestChain; step++) {
    const next = owner.metadata.ownerReferences?.find(({ controller }) => controller);
    if (!next) break;
    const { apiVersion, kind, name } = next;
    const found = await client
      .find({ apiVersion, kind, name, namespace }, signal ? { signal } : {})
      .catch(() => undefined);
    if (!found) break;
    owner = found;
    origin = { ...origin, ...broughtBy(owner) };
  }
  const workload = owner === pod ? {} : { workload: `${owner.kind} ${namespace}/${owner.metadata.name}` };
  const caller = { ...(use.caller as Caller), pod: `${namespace}/${pod.metadata.name}`, ...workload };
  return { ...use, ...origin, caller };
}
