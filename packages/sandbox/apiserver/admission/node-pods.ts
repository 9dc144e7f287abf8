import { isDeepStrictEqual } from 'node:util';
import { type Attributes, admissionForbidden } from '@tiphys/admission-rules';
import { notFound } from '@tiphys/apimachinery';
import { admitServiceAccount, dependsOnApi, isMirrorPod, MIRROR_POD, type PodObject } from '@tiphys/kinds';

/** What a kubelet may do to pods: make mirrors of its static ones, and end, evict and tell of those on its node. */
export function restrictPod(attributes: Attributes, node: string): void {
  const { subresource } = attributes;
  const restriction = BY_SUBRESOURCE[subresource];
  if (!restriction)
    throw admissionForbidden(
      attributes,
      `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`,
    );
  restriction(attributes, node);
}

const BY_SUBRESOURCE: Readonly<Record<string, (attributes: Attributes, node: string) => void>> = {
  '': (attributes, node) => {
    const { operation, name } = attributes;
    if (operation === 'CREATE') restrictMirror(attributes, node);
    else if (operation === 'DELETE')
      requireOnNode(
        attributes,
        node,
        name,
        `node ${JSON.stringify(node)} can only delete pods with spec.nodeName set to itself`,
      );
    else
      throw admissionForbidden(
        attributes,
        `unexpected operation "${operation}", node ${JSON.stringify(node)} can only create and delete mirror pods`,
      );
  },
  status: restrictStatus,
  eviction: (attributes, node) =>
    requireOnNode(
      attributes,
      node,
      attributes.name,
      `node ${node} can only evict pods with spec.nodeName set to itself`,
    ),
};

/** The pod, or NotFound as kube-apiserver's caches say it. */
export function podNamed({ server, namespace }: Attributes, name: string): PodObject {
  const found = server.store.collection('pods').get(`${namespace}/${name}`)?.object;
  if (!found) throw notFound({ group: '', name: 'pod' }, name);
  return found as PodObject;
}

function requireOnNode(attributes: Attributes, node: string, name: string, refusal: string): void {
  if (podNamed(attributes, name).spec.nodeName !== node) throw admissionForbidden(attributes, refusal);
}

function restrictMirror(attributes: Attributes, node: string): void {
  const pod = attributes.object as PodObject;
  const quoted = JSON.stringify(node);
  const refuse = (why: string) => admissionForbidden(attributes, why);
  // kube-apiserver asks the plugin ServiceAccount first.
  admitServiceAccount(pod, attributes.server);
  if (!isMirrorPod(pod))
    throw refuse(
      `pod does not have ${JSON.stringify(MIRROR_POD)} annotation, node ${quoted} can only create mirror pods`,
    );
  if (pod.spec.nodeName !== node) throw refuse(`node ${quoted} can only create pods with spec.nodeName set to itself`);
  requireOwner(attributes, node);
  const dependency = dependsOnApi(pod);
  if (dependency) throw refuse(`node ${quoted} can not create pods that reference ${dependency}`);
}

/** A mirror pod belongs to its node, and to nothing else. */
function requireOwner(attributes: Attributes, node: string): void {
  const { object, server } = attributes;
  const owners = object?.metadata.ownerReferences ?? [];
  const refuse = (why: string) => admissionForbidden(attributes, `node ${JSON.stringify(node)} ${why}`);
  if (owners.length > 1) throw refuse('can only create pods with a single owner reference set to itself');
  const [owner] = owners;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    throw refuse('can only create pods with an owner reference set to itself');
  if (!owner.controller) throw refuse('can only create pods with a controller owner reference set to itself');
  if (owner.blockOwnerDeletion) throw refuse('must not set blockOwnerDeletion on an owner reference');
  const uid = server.store.collection('nodes').get(node)?.object.metadata.uid;
  if (uid === undefined) throw notFound({ group: '', name: 'node' }, node);
  if (owner.uid !== uid)
    throw admissionForbidden(attributes, `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`);
}

interface ClaimStatuses {
  resourceClaimStatuses?: { name?: string; resourceClaimName?: string }[];
  extendedResourceClaimStatus?: { resourceClaimName?: string; requestMappings?: object[] };
}

function restrictStatus(attributes: Attributes, node: string): void {
  const { operation, object, old } = attributes;
  const quoted = JSON.stringify(node);
  const refuse = (why: string) => admissionForbidden(attributes, why);
  if (operation !== 'UPDATE') throw refuse(`unexpected operation "${operation}"`);
  if ((old as PodObject).spec.nodeName !== node)
    throw refuse(`node ${quoted} can only update pod status for pods with spec.nodeName set to itself`);
  if (!isDeepStrictEqual(object?.metadata.labels ?? {}, old?.metadata.labels ?? {}))
    throw refuse(`node ${quoted} cannot update labels through pod status`);
  const [after, before] = [object, old].map((pod) => (pod?.status ?? {}) as ClaimStatuses);
  if (!isDeepStrictEqual(claimNames(after), claimNames(before)))
    throw refuse(`node ${quoted} cannot update resource claim statues`);
  if (!isDeepStrictEqual(after?.extendedResourceClaimStatus, before?.extendedResourceClaimStatus))
    throw refuse(`node ${quoted} cannot update extended resource claim status`);
}

function claimNames(status: ClaimStatuses | undefined): unknown[] {
  return (status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName]);
}
