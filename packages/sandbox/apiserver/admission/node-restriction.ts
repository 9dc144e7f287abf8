import { isDeepStrictEqual } from 'node:util';
import { type Attributes, admissionForbidden } from '@tiphys/admission-rules';
import { nodeOfUser } from '@tiphys/apimachinery';
import type { certificatesV1, KubeObject, resourceV1 } from '@tiphys/kubernetes';
import { BadCertificateRequest, parseCertificateRequest } from '@tiphys/pki';
import { restrictNodeLabels } from './node-labels.ts';
import { restrictPod } from './node-pods.ts';
import { restrictToken } from './node-tokens.ts';

/**
 * The admission plugin NodeRestriction: what a kubelet writes is about its own node and the pods on it. Says nothing of anybody
 * else. Refuses as Forbidden, in kube-apiserver's words.
 */
export function restrictNode(attributes: Attributes): void {
  const { user, operation, resource } = attributes;
  const node = nodeOfUser(user);
  if (node === undefined || operation === 'CONNECT') return;
  if (!node) throw admissionForbidden(attributes, `could not determine node from user ${JSON.stringify(user.name)}`);
  RESTRICTIONS[resource.collection]?.(attributes, node);
}

type Restriction = (attributes: Attributes, node: string) => void;

const RESTRICTIONS: Readonly<Record<string, Restriction>> = {
  pods: restrictPod,
  nodes: restrictNodeObject,
  persistentvolumeclaims: restrictClaim,
  serviceaccounts: restrictToken,
  'coordination.k8s.io/leases': (attributes, node) => {
    if (attributes.namespace !== 'kube-node-lease')
      throw admissionForbidden(attributes, 'can only access leases in the "kube-node-lease" system namespace');
    requireOwnName(attributes, node, 'node lease');
  },
  'storage.k8s.io/csinodes': (attributes, node) => requireOwnName(attributes, node, 'CSINode'),
  'resource.k8s.io/resourceslices': restrictSlice,
  'certificates.k8s.io/certificatesigningrequests': restrictSigningRequest,
};

function requireOwnName(attributes: Attributes, node: string, what: string): void {
  const { operation, object, name } = attributes;
  if ((operation === 'CREATE' ? object?.metadata.name : name) !== node)
    throw admissionForbidden(attributes, `can only access ${what} with the same name as the requesting node`);
}

interface NodeSpec {
  configSource?: object | null;
  taints?: object[] | null;
}

function restrictNodeObject(attributes: Attributes, node: string): void {
  const { name, operation, object, old } = attributes;
  const refuse = (why: string) =>
    admissionForbidden(attributes, `node ${JSON.stringify(node)} is not allowed to ${why}`);
  if (name !== node) throw refuse(`modify node ${JSON.stringify(name)}`);
  if (!object) return;
  const { configSource, taints } = (object.spec ?? {}) as NodeSpec;
  if (operation === 'CREATE') {
    if (configSource) throw refuse('create pods with a non-nil configSource');
    restrictNodeLabels(object, undefined, (labels) => refuse(`set the following labels: ${labels}`));
    return;
  }
  const before = (old?.spec ?? {}) as NodeSpec;
  if (configSource && !isDeepStrictEqual(configSource, before.configSource))
    throw refuse('update configSource to a new non-nil configSource');
  if (!isDeepStrictEqual(taints ?? [], before.taints ?? [])) throw refuse('modify taints');
  if (!isDeepStrictEqual(object.metadata.ownerReferences ?? [], old?.metadata.ownerReferences ?? []))
    throw refuse('modify ownerReferences');
  restrictNodeLabels(object, old, (labels) =>
    admissionForbidden(attributes, `is not allowed to modify labels: ${labels}`),
  );
}

/** Of a claim a kubelet tells how large its volume has become. */
function restrictClaim(attributes: Attributes, node: string): void {
  const { subresource, operation, object, old } = attributes;
  if (subresource !== 'status') throw admissionForbidden(attributes, 'may only update PVC status');
  if (operation !== 'UPDATE') throw admissionForbidden(attributes, `unexpected operation "${operation}"`);
  const changed = changedFields(fixedPart(old), fixedPart(object));
  if (changed.length)
    throw admissionForbidden(
      attributes,
      `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions: ${changed.join(', ')}`,
    );
}

const TOLD = ['capacity', 'conditions', 'allocatedResources', 'allocatedResourceStatuses'];

function fixedPart(claim: KubeObject | undefined): Record<string, Record<string, unknown>> {
  const { resourceVersion: _, managedFields: __, ...metadata } = claim?.metadata ?? {};
  const status = Object.entries((claim?.status ?? {}) as object).filter(([field]) => !TOLD.includes(field));
  return { metadata, spec: (claim?.spec ?? {}) as Record<string, unknown>, status: Object.fromEntries(status) };
}

/** Paths of what differs, where kube-apiserver shows a difference of Go's own structs. */
function changedFields(
  before: Record<string, Record<string, unknown>>,
  after: Record<string, Record<string, unknown>>,
): string[] {
  return Object.keys(before).flatMap((part) => {
    const [one, other] = [before[part] ?? {}, after[part] ?? {}];
    return [...new Set([...Object.keys(one), ...Object.keys(other)])]
      .filter((field) => !isDeepStrictEqual(one[field], other[field]))
      .map((field) => `${part}.${field}`);
  });
}

function restrictSlice(attributes: Attributes, node: string): void {
  const { operation, object, old } = attributes;
  if (operation === 'UPDATE') return;
  const { nodeName } = ((operation === 'CREATE' ? object : old)?.spec ?? {}) as resourceV1.ResourceSliceSpec;
  if (nodeName !== node)
    throw admissionForbidden(
      attributes,
      `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`,
    );
}

const SIGNERS = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];

function restrictSigningRequest(attributes: Attributes, node: string): void {
  const { operation, object } = attributes;
  if (operation !== 'CREATE') return;
  const { signerName = '', request = '' } = (object?.spec ??
    {}) as Partial<certificatesV1.CertificateSigningRequestSpec>;
  if (!SIGNERS.includes(signerName)) return;
  try {
    if (parseCertificateRequest(Buffer.from(request, 'base64').toString()).commonName === `system:node:${node}`) return;
  } catch (error) {
    if (!(error instanceof BadCertificateRequest)) throw error;
    throw admissionForbidden(attributes, `unable to parse csr: ${error.message}`);
  }
  throw admissionForbidden(attributes, `can only create a node CSR with CN=system:node:${node}`);
}
