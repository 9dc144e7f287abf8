import { builtinNamespaced } from '../config/builtin-schema.ts';
import { Schemas } from '../config/openapi-schema.ts';
import { apiVersionOf, type Gvk } from '../kustomization/gvk.ts';

/** The kinds that Kustomize's own schema (Kubernetes 1.21) knows to have no namespace. */
const builtin: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/v1': 'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1beta1': 'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1': 'CustomResourceDefinition',
  'apiextensions.k8s.io/v1beta1': 'CustomResourceDefinition',
  'apiregistration.k8s.io/v1': 'APIService',
  'apiregistration.k8s.io/v1beta1': 'APIService',
  'certificates.k8s.io/v1': 'CertificateSigningRequest',
  'certificates.k8s.io/v1beta1': 'CertificateSigningRequest',
  'flowcontrol.apiserver.k8s.io/v1beta1': 'FlowSchema PriorityLevelConfiguration',
  'networking.k8s.io/v1': 'IngressClass',
  'networking.k8s.io/v1beta1': 'IngressClass',
  'node.k8s.io/v1': 'RuntimeClass',
  'node.k8s.io/v1beta1': 'RuntimeClass',
  'policy/v1beta1': 'PodSecurityPolicy',
  'rbac.authorization.k8s.io/v1': 'ClusterRole ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1beta1': 'ClusterRole ClusterRoleBinding',
  'scheduling.k8s.io/v1': 'PriorityClass',
  'scheduling.k8s.io/v1beta1': 'PriorityClass',
  'storage.k8s.io/v1': 'CSIDriver CSINode StorageClass VolumeAttachment',
  'storage.k8s.io/v1beta1': 'CSIDriver CSINode StorageClass VolumeAttachment',
  v1: 'ComponentStatus Namespace Node NodeProxyOptions PersistentVolume',
};

const clusterScoped = new Set(
  Object.entries(builtin).flatMap(([apiVersion, kinds]) => kinds.split(' ').map((kind) => `${apiVersion} ${kind}`)),
);

/** Tells which kinds certainly have no namespace; a custom schema may add some. */
export class Scopes {
  readonly schemas = new Schemas();

  isClusterScoped(gvk: Gvk): boolean {
    const apiVersion = apiVersionOf(gvk);
    const key = `${apiVersion} ${gvk.kind}`;
    if (clusterScoped.has(key)) return true;
    if (builtinNamespaced().has(key)) return false;
    return this.schemas.isNamespaced(apiVersion, gvk.kind) === false;
  }
}
