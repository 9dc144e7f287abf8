import { type AccessAttributes, builtin, covers, type PolicyRule } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Store } from '@tiphys/store';
import { isRelated, type RelatedKind } from './node-relations.ts';

/** What nodes may do whatever they run: the role `system:node` as it is made, not as it may have become. */
let rules: readonly PolicyRule[] | undefined;

/** What the node authorizer says: allowed, or no opinion for a reason, which is empty where there is nothing to say. */
export interface NodeDecision {
  readonly allowed: boolean;
  readonly reason: string;
}

const ALLOWED: NodeDecision = { allowed: true, reason: '' };
const no = (reason = ''): NodeDecision => ({ allowed: false, reason });

/** Decides about requests of a kubelet (`system:node:NAME` of the group `system:nodes`) as kube-apiserver's node authorizer. */
export function decideForNode(store: Store, node: string, user: string, wanted: AccessAttributes): NodeDecision {
  if (!node) return no(`unknown node for user ${JSON.stringify(user)}`);
  const decide = wanted.path === undefined ? BY_RESOURCE[resourceName(wanted)] : undefined;
  if (decide) return decide({ store, node, wanted });
  rules ??= staticRules();
  return rules.some((rule) => covers(rule, wanted)) ? ALLOWED : no();
}

function resourceName({ group, resource }: AccessAttributes): string {
  return group ? `${group}/${resource}` : resource;
}

function staticRules(): PolicyRule[] {
  const roles = builtin().bootstrap['rbac.authorization.k8s.io/v1/clusterroles'] ?? [];
  const role = roles.find(({ metadata }) => metadata.name === 'system:node') as KubeObject & { rules?: PolicyRule[] };
  return role?.rules ?? [];
}

interface Question {
  readonly store: Store;
  readonly node: string;
  readonly wanted: AccessAttributes;
}

const BY_RESOURCE: Readonly<Record<string, (question: Question) => NodeDecision>> = {
  secrets: (question) => ofNamespace(question, 'secret'),
  configmaps: (question) => ofNamespace(question, 'configmap'),
  persistentvolumeclaims: (question) =>
    question.wanted.subresource === 'status' ? statusUpdate(question, 'pvc') : single(question, 'pvc'),
  persistentvolumes: (question) => single(question, 'pv'),
  'resource.k8s.io/resourceclaims': (question) => single(question, 'resourceclaim'),
  'storage.k8s.io/volumeattachments': (question) => single(question, 'volumeattachment'),
  serviceaccounts: serviceAccount,
  'coordination.k8s.io/leases': lease,
  'storage.k8s.io/csinodes': csiNode,
  'resource.k8s.io/resourceslices': resourceSlice,
  nodes: nodeObject,
  pods: pod,
};

function related({ store, node, wanted }: Question, kind: RelatedKind): NodeDecision {
  if (!wanted.name) return no('No Object name found');
  return isRelated(store, node, kind, wanted.namespace, wanted.name)
    ? ALLOWED
    : no(`no relationship found between node '${node}' and this object`);
}

function ofNamespace(question: Question, kind: RelatedKind): NodeDecision {
  const { verb, subresource, namespace } = question.wanted;
  if (!['get', 'list', 'watch'].includes(verb)) return no('can only read resources of this type');
  if (subresource) return no('cannot read subresource');
  if (!namespace) return no('can only read namespaced object of this type');
  return related(question, kind);
}

function statusUpdate(question: Question, kind: RelatedKind): NodeDecision {
  return ['update', 'patch'].includes(question.wanted.verb)
    ? related(question, kind)
    : no('can only get/update/patch this type');
}

function single(question: Question, kind: RelatedKind): NodeDecision {
  if (question.wanted.verb !== 'get') return no('can only get individual resources of this type');
  return question.wanted.subresource ? no('cannot get subresource') : related(question, kind);
}

/** Accounts of pods on the node, and tokens for them. */
function serviceAccount(question: Question): NodeDecision {
  const { verb, subresource, name } = question.wanted;
  if (verb === 'get' && !subresource) return ofNamespace(question, 'serviceaccount');
  if (verb !== 'create' || !name) return no('can only create tokens for individual service accounts');
  if (subresource !== 'token') return no('can only create token subresource of serviceaccount');
  return related(question, 'serviceaccount');
}

const OWN_VERBS = ['get', 'create', 'update', 'patch', 'delete'];

/** Names of new objects are not known here: admission reads them. */
function lease({ node, wanted: { verb, namespace, name } }: Question): NodeDecision {
  if (!OWN_VERBS.includes(verb)) return no('can only get, create, update, patch, or delete a node lease');
  if (namespace !== 'kube-node-lease') return no('can only access leases in the "kube-node-lease" system namespace');
  if (verb !== 'create' && name !== node)
    return no('can only access node lease with the same name as the requesting node');
  return ALLOWED;
}

function csiNode({ node, wanted: { verb, subresource, name } }: Question): NodeDecision {
  if (!OWN_VERBS.includes(verb)) return no('can only get, create, update, patch, or delete a CSINode');
  if (subresource) return no('cannot authorize CSINode subresources');
  if (verb !== 'create' && name !== node)
    return no('can only access CSINode with the same name as the requesting node');
  return ALLOWED;
}

function resourceSlice(question: Question): NodeDecision {
  const { verb, subresource } = question.wanted;
  if (subresource) return no('cannot authorize ResourceSlice subresources');
  switch (verb) {
    case 'create':
      return ALLOWED;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return related(question, 'resourceslice');
    case 'watch':
    case 'list':
    case 'deletecollection':
      return selectsNode(question)
        ? ALLOWED
        : no('can only list/watch/deletecollection resourceslices with nodeName field selector');
    default:
      return no(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
  }
}

/** Whether the request asks for what is on the node alone. */
function selectsNode({ node, wanted: { fields = [] } }: Question): boolean {
  return fields.some(({ field, negative, value }) => field === 'spec.nodeName' && !negative && value === node);
}

function nodeObject({ node, wanted: { verb, subresource, name } }: Question): NodeDecision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : no();
  if (subresource) return no();
  if (['create', 'update', 'patch'].includes(verb)) return ALLOWED;
  if (!['get', 'list', 'watch'].includes(verb)) return no();
  if (name === node) return ALLOWED;
  return no(
    name
      ? `node '${node}' cannot read '${name}', only its own Node object`
      : `node '${node}' cannot read all nodes, only its own Node object`,
  );
}

function pod(question: Question): NodeDecision {
  const { verb, subresource, name } = question.wanted;
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : no();
  if (subresource === 'eviction') return verb === 'create' ? ALLOWED : no();
  if (subresource) return no();
  if (verb === 'create' || verb === 'delete') return ALLOWED;
  if (verb === 'get') return related(question, 'pod');
  if (verb !== 'list' && verb !== 'watch') return no();
  if (selectsNode(question)) return ALLOWED;
  return name ? related(question, 'pod') : no('can only list/watch pods with spec.nodeName field selector');
}
