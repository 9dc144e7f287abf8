import { customResourceDefinition } from '@tiphys/apiextensions';
import type { BuiltinResource, Strategy } from '@tiphys/apimachinery';
import { validatingAdmissionPolicy, validatingAdmissionPolicyBinding } from './admission-policies.ts';
import { apiService } from './api-service.ts';
import { certificateSigningRequest } from './certificate-signing-request.ts';
import {
  configMap,
  controllerRevision,
  coreEvent,
  endpointSlice,
  endpoints,
  lease,
  namespace,
  node,
  priorityClass,
  runtimeClass,
  secret,
} from './configuration.ts';
import { csiDriver, csiNode } from './csi.ts';
import { resourceClaim, resourceClaimTemplate } from './device-claims.ts';
import { deviceClass } from './device-classes.ts';
import { resourceSlice } from './device-slices.ts';
import { withoutDisabledFields } from './disabled-fields.ts';
import { newEvent } from './events.ts';
import { priorityLevelConfiguration } from './flow-control.ts';
import { flowSchema } from './flow-schemas.ts';
import { cronJob, job } from './jobs.ts';
import { ipAddress, serviceCidr } from './network-kinds.ts';
import { ingress, ingressClass, networkPolicy } from './networking.ts';
import { persistentVolume } from './persistent-volumes.ts';
import { pod } from './pods.ts';
import { limitRange, resourceQuota } from './quotas.ts';
import { role, roleBinding } from './rbac.ts';
import { horizontalPodAutoscaler, podDisruptionBudget } from './scaling.ts';
import { service } from './services.ts';
import { csiStorageCapacity, volumeAttachment, volumeAttributesClass } from './storage-kinds.ts';
import { persistentVolumeClaim, storageClass } from './volumes.ts';
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from './webhook-configurations.ts';
import { daemonSet, deployment, podTemplate, replicaSet, replicationController, statefulSet } from './workloads.ts';

const STRATEGIES: Record<string, Strategy> = {
  '/configmaps': configMap,
  '/endpoints': endpoints,
  '/events': coreEvent,
  '/limitranges': limitRange,
  '/namespaces': namespace,
  '/nodes': node,
  '/persistentvolumeclaims': persistentVolumeClaim,
  '/persistentvolumes': persistentVolume,
  '/pods': pod,
  '/podtemplates': podTemplate,
  '/replicationcontrollers': replicationController,
  '/resourcequotas': resourceQuota,
  '/secrets': secret,
  '/services': service,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': mutatingWebhookConfiguration,
  'admissionregistration.k8s.io/validatingadmissionpolicies': validatingAdmissionPolicy,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': validatingAdmissionPolicyBinding,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': validatingWebhookConfiguration,
  'apiextensions.k8s.io/customresourcedefinitions': customResourceDefinition,
  'apiregistration.k8s.io/apiservices': apiService,
  'apps/controllerrevisions': controllerRevision,
  'apps/daemonsets': daemonSet,
  'apps/deployments': deployment,
  'apps/replicasets': replicaSet,
  'apps/statefulsets': statefulSet,
  'autoscaling/horizontalpodautoscalers': horizontalPodAutoscaler,
  'batch/cronjobs': cronJob,
  'batch/jobs': job,
  'certificates.k8s.io/certificatesigningrequests': certificateSigningRequest,
  'coordination.k8s.io/leases': lease,
  'discovery.k8s.io/endpointslices': endpointSlice,
  'events.k8s.io/events': newEvent,
  'flowcontrol.apiserver.k8s.io/flowschemas': flowSchema,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': priorityLevelConfiguration,
  'networking.k8s.io/ingressclasses': ingressClass,
  'networking.k8s.io/ingresses': ingress,
  'networking.k8s.io/networkpolicies': networkPolicy,
  'networking.k8s.io/ipaddresses': ipAddress,
  'networking.k8s.io/servicecidrs': serviceCidr,
  'node.k8s.io/runtimeclasses': runtimeClass,
  'policy/poddisruptionbudgets': podDisruptionBudget,
  'rbac.authorization.k8s.io/clusterrolebindings': roleBinding,
  'rbac.authorization.k8s.io/clusterroles': role,
  'rbac.authorization.k8s.io/rolebindings': roleBinding,
  'rbac.authorization.k8s.io/roles': role,
  'scheduling.k8s.io/priorityclasses': priorityClass,
  'resource.k8s.io/deviceclasses': deviceClass,
  'resource.k8s.io/resourceclaims': resourceClaim,
  'resource.k8s.io/resourceclaimtemplates': resourceClaimTemplate,
  'resource.k8s.io/resourceslices': resourceSlice,
  'storage.k8s.io/csidrivers': csiDriver,
  'storage.k8s.io/csinodes': csiNode,
  'storage.k8s.io/csistoragecapacities': csiStorageCapacity,
  'storage.k8s.io/storageclasses': storageClass,
  'storage.k8s.io/volumeattachments': volumeAttachment,
  'storage.k8s.io/volumeattributesclasses': volumeAttributesClass,
};

/** Kinds without a strategy of their own that count no generations. */
const NO_GENERATION = new Set(['serviceaccounts']);

/** Resources whose updates have to name the version that they change. */
const VERSION_NEEDED = new Set([
  'clustertrustbundles',
  'csidrivers',
  'csinodes',
  'csistoragecapacities',
  'leases',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'poddisruptionbudgets',
  'runtimeclasses',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
  'volumeattachments',
]);

/** Resources whose updates are held against the rules for new ones as a whole. */
const META_RULES_ON_UPDATE = new Set([
  'apiservices',
  'configmaps',
  'controllerrevisions',
  'csinodes',
  'csistoragecapacities',
  'deviceclasses',
  'endpoints',
  'endpointslices',
  'flowschemas',
  'ingressclasses',
  'ingresses',
  'ipaddresses',
  'jobs',
  'limitranges',
  'mutatingwebhookconfigurations',
  'namespaces',
  'networkpolicies',
  'nodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'prioritylevelconfigurations',
  'replicationcontrollers',
  'resourceclaims',
  'resourceclaimtemplates',
  'runtimeclasses',
  'secrets',
  'serviceaccounts',
  'storageclasses',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
  'volumeattachments',
  'volumeattributesclasses',
]);

/** The strategy of a built-in resource. */
export function strategyOf(entry: BuiltinResource): Strategy {
  const strategy = STRATEGIES[`${entry.group}/${entry.resource}`] ?? {
    generation: !NO_GENERATION.has(entry.resource),
    statusSubresource: entry.subresources?.some(({ subresource }) => subresource === 'status') ?? false,
  };
  const enabled = withoutDisabledFields(`${entry.group}/${entry.resource}`, strategy);
  return {
    ...enabled,
    ...(VERSION_NEEDED.has(entry.resource) ? { unconditionalUpdate: false } : {}),
    ...(META_RULES_ON_UPDATE.has(entry.resource) ? { metaRulesOnUpdate: true } : {}),
  };
}
