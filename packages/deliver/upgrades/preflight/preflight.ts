import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { broughtBy } from '../find/brought-by.ts';
import { parseRelease, printRelease, type Release } from '../knowledge/api-life.ts';

const drainBlocked = defineDiagnosis(
  'UpgradeDrainBlocked',
  'A PodDisruptionBudget lets no pod go, so that a node cannot be drained',
);
const webhookAlone = defineDiagnosis(
  'UpgradeWebhookAlone',
  'A webhook that must answer has fewer than two pods, and refuses requests while its node is drained',
);
const singleReplica = defineDiagnosis(
  'UpgradeSingleReplica',
  'A workload has one replica, and is away while its node is drained',
);
const kubeletTooOld = defineDiagnosis(
  'UpgradeKubeletTooOld',
  'A kubelet is older than the API server of the target release permits',
);

/** A kubelet may be this many minor releases older than its API server. */
const permittedSkew = 3;

/** What would stand in an upgrade's way, or be away during it, although no API ends; and what could not be looked at. */
export async function preflight(
  client: Client,
  target: Release,
  signal?: AbortSignal,
): Promise<{ found: Diagnosis[]; unseen: string[] }> {
  const unseen: string[] = [];
  // what the identity may not list takes no more than its own finding away
  const list = async <T extends KubeObject>(apiVersion: string, kind: string): Promise<T[]> => {
    try {
      return await listAll<T>(client, { apiVersion, kind }, signal);
    } catch (error) {
      signal?.throwIfAborted();
      unseen.push(`readiness of ${kind}s: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  };
  const [budgets, validating, mutating, deployments, statefulSets, nodes] = await Promise.all([
    list<Budget>('policy/v1', 'PodDisruptionBudget'),
    list<WebhookConfiguration>('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'),
    list<WebhookConfiguration>('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'),
    list<Workload>('apps/v1', 'Deployment'),
    list<Workload>('apps/v1', 'StatefulSet'),
    list<NodeObject>('v1', 'Node'),
  ]);
  const before = unseen.length;
  const slices = await list<Slice>('discovery.k8s.io/v1', 'EndpointSlice');
  // without them every webhook would seem to have no pod
  const webhooks = unseen.length > before ? [] : [...validating, ...mutating];
  const found = [
    ...nodes.flatMap((node) => kubeletOf(node, target)),
    ...budgets.flatMap(blocksDrain),
    ...webhooks.flatMap((configuration) => aloneWebhooks(configuration, slices)),
    ...[...deployments, ...statefulSets].flatMap(alone),
  ];
  return { found, unseen };
}

async function listAll<T extends KubeObject>(
  client: Client,
  ref: { apiVersion: string; kind: string },
  signal?: AbortSignal,
): Promise<T[]> {
  const items: T[] = [];
  let more: string | undefined;
  do {
    const page = await client.list<T>(ref, {
      limit: 500,
      ...(more ? { continue: more } : {}),
      ...(signal ? { signal } : {}),
    });
    // a list tells the kind once, for all of its items
    items.push(...page.items.map((item) => ({ ...item, kind: ref.kind })));
    more = page.metadata.continue;
  } while (more);
  return items;
}

interface Budget extends KubeObject {
  readonly status?: {
    disruptionsAllowed?: number;
    expectedPods?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
  };
}

function blocksDrain({ metadata, status = {} }: Budget): Diagnosis[] {
  const { application } = broughtBy({ metadata });
  const { disruptionsAllowed = 0, expectedPods = 0, currentHealthy = 0, desiredHealthy = 0 } = status;
  if (disruptionsAllowed > 0 || expectedPods === 0) return [];
  const never = desiredHealthy >= expectedPods;
  return [
    diagnose(drainBlocked, {
      message: never
        ? `PodDisruptionBudget ${metadata.namespace}/${metadata.name} wants ${desiredHealthy} of ${expectedPods} pods healthy: none may ever be evicted`
        : `PodDisruptionBudget ${metadata.namespace}/${metadata.name} lets no pod go: ${currentHealthy} are healthy, and ${desiredHealthy} must be`,
      place: {
        object: `policy/PodDisruptionBudget ${metadata.namespace}/${metadata.name}`,
        field: 'status.disruptionsAllowed',
      },
      evidence: { application },
      remedies: [never ? 'Run one replica more, or permit maxUnavailable: 1' : 'Mend the pods that are not healthy'],
    }),
  ];
}

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    name: string;
    failurePolicy?: string;
    clientConfig: { service?: { namespace: string; name: string } };
  }[];
}

interface Slice extends KubeObject {
  readonly endpoints?: readonly {
    conditions?: { ready?: boolean };
    targetRef?: { name?: string };
    addresses: readonly string[];
  }[];
}

function aloneWebhooks({ kind, metadata, webhooks = [] }: WebhookConfiguration, slices: readonly Slice[]): Diagnosis[] {
  return webhooks.flatMap(({ name, failurePolicy = 'Fail', clientConfig: { service } }) => {
    if (failurePolicy !== 'Fail' || !service) return [];
    const ready = slices
      .filter(
        (slice) =>
          slice.metadata.namespace === service.namespace &&
          slice.metadata.labels?.['kubernetes.io/service-name'] === service.name,
      )
      .flatMap(({ endpoints }) => endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready !== false);
    const pods = new Set(ready.map(({ targetRef, addresses }) => targetRef?.name ?? addresses[0])).size;
    if (pods > 1) return [];
    return [
      diagnose(webhookAlone, {
        message: `Webhook ${name} has failurePolicy Fail and ${pods === 0 ? 'no ready pod' : 'one ready pod'}: what it guards is refused while that is away`,
        place: { object: `admissionregistration.k8s.io/${kind} ${metadata.name}` },
        evidence: {
          application: broughtBy({ metadata }).application,
          service: `${service.namespace}/${service.name}`,
          'ready pods': pods,
        },
        remedies: [
          'Run two replicas of it on different nodes',
          'Or set failurePolicy: Ignore for the time of the upgrade',
        ],
      }),
    ];
  });
}

interface Workload extends KubeObject {
  readonly spec?: { replicas?: number };
}

function alone({ kind, metadata, spec }: Workload): Diagnosis[] {
  if ((spec?.replicas ?? 1) !== 1) return [];
  return [
    diagnose(singleReplica, {
      message: `${kind} ${metadata.namespace}/${metadata.name} has one replica: it is away while its node is drained`,
      place: { object: `apps/${kind} ${metadata.namespace}/${metadata.name}`, field: 'spec.replicas' },
      evidence: { application: broughtBy({ metadata }).application },
      remedies: ['Run two replicas with a PodDisruptionBudget, or accept the gap'],
    }),
  ];
}

interface NodeObject extends KubeObject {
  readonly status?: { nodeInfo?: { kubeletVersion?: string } };
}

function kubeletOf({ metadata, status }: NodeObject, target: Release): Diagnosis[] {
  const version = status?.nodeInfo?.kubeletVersion ?? '';
  if (!/^v\d+\.\d+/.test(version)) return [];
  const [major, minor] = parseRelease(version);
  if (major === target[0] && target[1] - minor <= permittedSkew) return [];
  return [
    diagnose(kubeletTooOld, {
      message: `The kubelet of node ${metadata.name} is ${version}: an API server of ${printRelease(target)} works with ${printRelease([target[0], target[1] - permittedSkew])} and later`,
      place: { object: `Node ${metadata.name}`, field: 'status.nodeInfo.kubeletVersion' },
      remedies: ['Upgrade the node first'],
    }),
  ];
}
