import {
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './admissionregistration/admission-policies.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './admissionregistration/webhook-configurations.ts';
import { customResourceDefinitions } from './apiextensions/custom-resource-definition.ts';
import { apiServices } from './apiregistration/api-service.ts';
import { controllerRevisions } from './apps/controller-revision.ts';
import {
  daemonSets,
  deployments,
  podTemplates,
  replicaSets,
  replicationControllers,
  statefulSets,
} from './apps/workloads.ts';
import { horizontalPodAutoscalers } from './autoscaling/horizontal-pod-autoscaler.ts';
import { cronJobs, jobs } from './batch/jobs.ts';
import { certificateSigningRequests } from './certificates/certificate-signing-request.ts';
import { leases } from './coordination/lease.ts';
import { componentStatuses } from './core/component-status.ts';
import { configMaps } from './core/config-map.ts';
import { endpointsKind } from './core/endpoints.ts';
import { namespaces } from './core/namespace.ts';
import { nodes } from './core/node.ts';
import { limitRanges, resourceQuotas } from './core/quotas.ts';
import { secrets } from './core/secret.ts';
import { services } from './core/service.ts';
import { serviceAccounts } from './core/service-account.ts';
import { endpointSlices } from './discovery/endpoint-slice.ts';
import { events } from './events/core-event.ts';
import { newEvents } from './events/events.ts';
import { flowSchemas } from './flowcontrol/flow-schemas.ts';
import { priorityLevelConfigurations } from './flowcontrol/priority-levels.ts';
import { ipAddresses, serviceCidrs } from './networking/network-kinds.ts';
import { ingressClasses, ingresses, networkPolicies } from './networking/networking.ts';
import { runtimeClasses } from './node/runtime-class.ts';
import { pods } from './pod/pod.ts';
import { podDisruptionBudgets } from './policy/pod-disruption-budget.ts';
import { roleBindings, roles } from './rbac/roles.ts';
import { resourceClaims, resourceClaimTemplates } from './resource/device-claims.ts';
import { deviceClasses } from './resource/device-classes.ts';
import { resourceSlices } from './resource/device-slices.ts';
import { priorityClasses } from './scheduling/priority-class.ts';
import type { BuiltinKind } from './shared/built-in-kind.ts';
import { csiDrivers, csiNodes } from './storage/csi.ts';
import { persistentVolumes } from './storage/persistent-volumes.ts';
import { csiStorageCapacities, volumeAttachments, volumeAttributesClasses } from './storage/storage-kinds.ts';
import { persistentVolumeClaims, storageClasses } from './storage/volume-claims.ts';

/** All built-in kinds that are more than a schema, by `group/resource`. */
export const catalog: ReadonlyMap<string, BuiltinKind> = new Map(
  Object.entries<BuiltinKind>({
    '/componentstatuses': componentStatuses,
    '/configmaps': configMaps,
    '/endpoints': endpointsKind,
    '/events': events,
    '/limitranges': limitRanges,
    '/namespaces': namespaces,
    '/nodes': nodes,
    '/persistentvolumeclaims': persistentVolumeClaims,
    '/persistentvolumes': persistentVolumes,
    '/pods': pods,
    '/podtemplates': podTemplates,
    '/replicationcontrollers': replicationControllers,
    '/resourcequotas': resourceQuotas,
    '/secrets': secrets,
    '/serviceaccounts': serviceAccounts,
    '/services': services,
    'admissionregistration.k8s.io/mutatingwebhookconfigurations': mutatingWebhookConfigurations,
    'admissionregistration.k8s.io/validatingadmissionpolicies': validatingAdmissionPolicies,
    'admissionregistration.k8s.io/validatingadmissionpolicybindings': validatingAdmissionPolicyBindings,
    'admissionregistration.k8s.io/validatingwebhookconfigurations': validatingWebhookConfigurations,
    'apiextensions.k8s.io/customresourcedefinitions': customResourceDefinitions,
    'apiregistration.k8s.io/apiservices': apiServices,
    'apps/controllerrevisions': controllerRevisions,
    'apps/daemonsets': daemonSets,
    'apps/deployments': deployments,
    'apps/replicasets': replicaSets,
    'apps/statefulsets': statefulSets,
    'autoscaling/horizontalpodautoscalers': horizontalPodAutoscalers,
    'batch/cronjobs': cronJobs,
    'batch/jobs': jobs,
    'certificates.k8s.io/certificatesigningrequests': certificateSigningRequests,
    'coordination.k8s.io/leases': leases,
    'discovery.k8s.io/endpointslices': endpointSlices,
    'events.k8s.io/events': newEvents,
    'flowcontrol.apiserver.k8s.io/flowschemas': flowSchemas,
    'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': priorityLevelConfigurations,
    'networking.k8s.io/ingressclasses': ingressClasses,
    'networking.k8s.io/ingresses': ingresses,
    'networking.k8s.io/ipaddresses': ipAddresses,
    'networking.k8s.io/networkpolicies': networkPolicies,
    'networking.k8s.io/servicecidrs': serviceCidrs,
    'node.k8s.io/runtimeclasses': runtimeClasses,
    'policy/poddisruptionbudgets': podDisruptionBudgets,
    'rbac.authorization.k8s.io/clusterrolebindings': roleBindings,
    'rbac.authorization.k8s.io/clusterroles': roles,
    'rbac.authorization.k8s.io/rolebindings': roleBindings,
    'rbac.authorization.k8s.io/roles': roles,
    'resource.k8s.io/deviceclasses': deviceClasses,
    'resource.k8s.io/resourceclaims': resourceClaims,
    'resource.k8s.io/resourceclaimtemplates': resourceClaimTemplates,
    'resource.k8s.io/resourceslices': resourceSlices,
    'scheduling.k8s.io/priorityclasses': priorityClasses,
    'storage.k8s.io/csidrivers': csiDrivers,
    'storage.k8s.io/csinodes': csiNodes,
    'storage.k8s.io/csistoragecapacities': csiStorageCapacities,
    'storage.k8s.io/storageclasses': storageClasses,
    'storage.k8s.io/volumeattachments': volumeAttachments,
    'storage.k8s.io/volumeattributesclasses': volumeAttributesClasses,
  }),
);
