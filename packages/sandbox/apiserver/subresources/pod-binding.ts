import { after, badRequest, conflict, notFound, StatusError, timestamp } from '@tiphys/apimachinery';
import type { PodObject } from '@tiphys/kinds';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import { mutate, validate } from '../admission/admission.ts';
import type { Answer } from '../http/answer.ts';
import type { Operation } from '../request/operation.ts';
import { bodyOf } from '../resources/resource-requests.ts';
import { adoptNamespace } from '../write/write.ts';
import type { SubresourceRequest } from './subresource-request.ts';

interface Binding extends KubeObject {
  target?: { kind?: string; name?: string };
}

const KIND = { group: '', version: 'v1', kind: 'Binding' };

/** POST of `pods/binding` or `bindings`: assigns a pod to a node, once. */
export function bind(request: SubresourceRequest): Answer | Promise<Answer> {
  const { operation } = request;
  const { info } = operation;
  const binding: Binding = { ...(bodyOf(request) as Binding), kind: KIND.kind, apiVersion: KIND.version };
  binding.metadata = { ...binding.metadata };
  adoptNamespace(operation, binding.metadata);
  const attributes = operation.attributes('CREATE', binding, undefined, { kind: KIND });
  return after(mutate(attributes), () => {
    const { name = '' } = binding.metadata;
    if (info.name && name !== info.name) throw badRequest('name in URL does not match name in Binding object');
    if (!name) throw badRequest('Name parameter required.');
    validateTarget(binding);
    return after(validate(attributes), () => {
      assign(operation, binding, name);
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
      return { code: 201, body: JSON.stringify(status) };
    });
  });
}

/** An error without a reason: kube-apiserver does not take these for fields of an object. */
function validateTarget({ target: { kind = '', name = '' } = {} }: Binding): void {
  const problems = [
    ...(kind && kind !== 'Node'
      ? [`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`]
      : []),
    ...(name ? [] : ['target.name: Required value']),
  ];
  if (problems.length)
    throw new StatusError(500, '', problems.length > 1 ? `[${problems.join(', ')}]` : (problems[0] ?? ''));
}

const PODS = { group: '', name: 'pods' };

function assign({ server, info, dryRun }: Operation, { metadata, target }: Binding, name: string): void {
  const pods = server.store.collection('pods');
  const item = pods.get(`${info.namespace}/${name}`);
  if (!item) throw notFound(PODS, name);
  const pod = item.object as PodObject;
  const { nodeName, schedulingGates = [] } = pod.spec;
  const same = (what: string, wanted: string | undefined, found: string | undefined) => {
    if (!wanted || wanted === found) return;
    const key = `/registry/pods/${item.key}`;
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`;
    throw conflict(
      PODS,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
    );
  };
  same('UID', metadata.uid, pod.metadata.uid);
  same('ResourceVersion', metadata.resourceVersion, pod.metadata.resourceVersion);
  const refuse = (why: string) => conflict({ group: '', name: 'pods/binding' }, name, `pod ${name} ${why}`);
  if (pod.metadata.deletionTimestamp) throw refuse('is being deleted, cannot be assigned to a host');
  if (nodeName) throw refuse(`is already assigned to node ${JSON.stringify(nodeName)}`);
  if (schedulingGates.length) throw refuse('has non-empty .spec.schedulingGates');
  if (dryRun) return;
  const annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  const next: KubeObject = {
    ...pod,
    metadata: { ...pod.metadata, ...(Object.keys(annotations).length ? { annotations } : {}) },
    spec: { ...pod.spec, nodeName: target?.name },
    status: scheduled(pod.status, timestamp(server.clock)),
  };
  server.store.put(pods, item.key, next);
}

function scheduled(status: unknown, now: string): Record<string, unknown> {
  const old = (status ?? {}) as coreV1.PodStatus;
  const rest = (old.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  return { ...old, conditions: [...rest, condition] };
}
