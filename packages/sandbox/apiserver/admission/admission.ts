import { type Attributes, admissionForbidden, validateByPolicies } from '@tiphys/admission-rules';
import { after, notFound } from '@tiphys/apimachinery';
import { compareQuantities, type coreV1, type KubeObject } from '@tiphys/kubernetes';
import { restrictCertificates } from './certificate-admission.ts';
import { defaultLimits, enforceLimits } from './limit-ranger.ts';
import { restrictNode } from './node-restriction.ts';
import { enforcePodSecurity } from './pod-security.ts';
import { enforceQuotas } from './resource-quota.ts';
import { mutateByWebhooks, Reinvocation, validateByWebhooks } from './webhooks.ts';

/**
 * What may change an object before it is checked: the plugins that kube-apiserver has by default, then the mutating
 * webhooks, which are asked again where they want it. A promise only when a webhook is called.
 */
export function mutate(attributes: Attributes): void | Promise<void> {
  requireNamespace(attributes);
  mutateByPlugins(attributes);
  const reinvocation = new Reinvocation();
  const called = mutateByWebhooks(attributes, reinvocation);
  return after(called, () => {
    if (!reinvocation.changed) return undefined;
    reinvocation.round = 1;
    mutateByPlugins(attributes);
    return mutateByWebhooks(attributes, reinvocation);
  });
}

function mutateByPlugins(attributes: Attributes): void {
  const { operation, subresource, object, resource, kind } = attributes;
  restrictNode(attributes);
  if (operation !== 'CREATE' || subresource || !object || kind.kind !== resource.kind) return;
  defaultLimits(attributes);
  resource.strategy.admit?.(object, attributes);
}

/** What may only refuse: plugins, policies, validating webhooks, and quotas last, for they are charged at once. */
export function validate(attributes: Attributes): void | Promise<void> {
  enforceLimits(attributes);
  enforcePodSecurity(attributes);
  onlyOneDefaultPriority(attributes);
  claimsGrowWhereAllowed(attributes);
  restrictCertificates(attributes);
  validateByPolicies(attributes);
  return after(validateByWebhooks(attributes), () => enforceQuotas(attributes));
}

/** Objects may only be made in a namespace that exists and is not going away. */
function requireNamespace(attributes: Attributes): void {
  const { resource, server, namespace, operation } = attributes;
  if (operation !== 'CREATE' || !resource.namespaced) return;
  const found = server.store.collection('namespaces').get(namespace);
  // Reviews of access may name any namespace.
  if (resource.plural.endsWith('reviews')) return;
  if (!found) throw notFound({ group: '', name: 'namespaces' }, namespace);
  if (!found.object.metadata.deletionTimestamp) return;
  const error = admissionForbidden(
    attributes,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const details = error.status.details as NonNullable<typeof error.status.details>;
  details.causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ];
  throw error;
}

function onlyOneDefaultPriority(attributes: Attributes): void {
  const { resource, object, server, operation } = attributes;
  if (resource.collection !== 'scheduling.k8s.io/priorityclasses' || !object?.globalDefault || operation === 'DELETE')
    return;
  const classes = server.store.collection(resource.collection);
  for (const key of classes.keys()) {
    const other = classes.get(key)?.object as KubeObject;
    if (other.globalDefault && key !== object.metadata.name)
      throw admissionForbidden(
        attributes,
        `PriorityClass ${key} is already marked as default. Only one default can exist`,
      );
  }
}

/** Claims grow only where their class lets volumes grow. */
function claimsGrowWhereAllowed(attributes: Attributes): void {
  const { resource, object, old, server, operation, subresource } = attributes;
  if (resource.collection !== 'persistentvolumeclaims' || operation !== 'UPDATE' || subresource || !object || !old)
    return;
  const sizeOf = (claim: KubeObject) =>
    (claim.spec as coreV1.PersistentVolumeClaimSpec).resources?.requests?.storage ?? '0';
  if ((compareQuantities(sizeOf(object), sizeOf(old)) ?? 0) <= 0) return;
  const name = (old.spec as coreV1.PersistentVolumeClaimSpec).storageClassName ?? '';
  const found = server.store.collection('storage.k8s.io/storageclasses').get(name)?.object;
  if (found?.allowVolumeExpansion !== true)
    throw admissionForbidden(
      attributes,
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
}
