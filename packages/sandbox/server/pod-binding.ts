import type { KubeObject } from '@tiphys/kubernetes';
import { badRequest, conflict, notFound } from '../machinery/status.ts';
import { timestamp } from '../machinery/timestamp.ts';
import type { Answer } from './answer.ts';
import { bodyOf } from './resource-requests.ts';
import type { SubresourceRequest } from './subresource-request.ts';

interface Binding {
  metadata?: { name?: string; uid?: string; annotations?: Record<string, string> };
  target?: { kind?: string; name?: string };
}

/** POST of `pods/binding` or `bindings`: assigns a pod to a node, once. */
export function bind(request: SubresourceRequest): Answer {
  const { operation } = request;
  const { server, info } = operation;
  const binding = bodyOf(request) as Binding;
  const name = info.name || (binding.metadata?.name ?? '');
  const node = binding.target?.name;
  if (!node) throw badRequest('Binding "" is invalid: target.name: Required value');
  const pods = server.store.collection('pods');
  const item = pods.get(`${info.namespace}/${name}`);
  const resource = { group: '', name: 'pods' };
  if (!item) throw notFound(resource, name);
  const pod = item.object;
  const spec = pod.spec as { nodeName?: string };
  const { uid } = binding.metadata ?? {};
  if (uid && uid !== pod.metadata.uid)
    throw conflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`,
    );
  if (pod.metadata.deletionTimestamp)
    throw conflict(
      { group: '', name: 'pods/binding' },
      name,
      `pod ${name} is being deleted, cannot be assigned to a host`,
    );
  if (spec.nodeName)
    throw conflict(
      { group: '', name: 'pods/binding' },
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`,
    );
  if (!operation.dryRun) {
    const annotations = { ...pod.metadata.annotations, ...binding.metadata?.annotations };
    const next: KubeObject = {
      ...pod,
      metadata: { ...pod.metadata, ...(Object.keys(annotations).length ? { annotations } : {}) },
      spec: { ...spec, nodeName: node },
      status: scheduled(pod.status, timestamp(server.clock)),
    };
    server.store.put(pods, item.key, next);
  }
  return {
    code: 201,
    body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }),
  };
}

function scheduled(status: unknown, now: string): Record<string, unknown> {
  const old = (status ?? {}) as { conditions?: { type: string }[] };
  const rest = (old.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  return { ...old, conditions: [...rest, condition] };
}
