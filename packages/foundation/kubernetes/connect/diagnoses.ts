import { defineDiagnosis } from '@tiphys/diagnosis';

export const kubeconfigInvalid = defineDiagnosis(
  'KubeconfigInvalid',
  'A kubeconfig file cannot be read or its parts do not fit together.',
);
export const credentialPluginFailed = defineDiagnosis(
  'CredentialPluginFailed',
  'The exec plugin or file that gives the cluster credential failed.',
  'C17',
);

export const clusterNameUnresolved = defineDiagnosis(
  'ClusterNameUnresolved',
  'DNS does not know the host of the API server.',
  'C17',
);
export const clusterConnectionRefused = defineDiagnosis(
  'ClusterConnectionRefused',
  'Nothing listens at the address of the API server.',
  'C17',
);
export const clusterUnreachable = defineDiagnosis(
  'ClusterUnreachable',
  'No connection to the API server could be made, or it broke.',
  'C17',
);
export const clusterProxyFailed = defineDiagnosis(
  'ClusterProxyFailed',
  'The proxy of a cluster cannot be reached, or lets nothing through to its API server.',
  'C17',
);
export const clusterCredentialUnreadable = defineDiagnosis(
  'ClusterCredentialUnreadable',
  'The client certificate or the key of a cluster cannot be read.',
  'C17',
);
export const clusterTimeout = defineDiagnosis('ClusterTimeout', 'The API server did not answer in time.', 'C17');
export const clusterAnswerTooLong = defineDiagnosis(
  'ClusterAnswerTooLong',
  'The API server sends an answer, or an event of a watch, that is longer than is read.',
);
export const clusterCertificateUntrusted = defineDiagnosis(
  'ClusterCertificateUntrusted',
  'The certificate of the API server is signed by an authority that is not trusted.',
  'C17',
);
export const clusterCertificateExpired = defineDiagnosis(
  'ClusterCertificateExpired',
  'The certificate of the API server is expired.',
  'C17',
);
export const clusterCertificateNotYetValid = defineDiagnosis(
  'ClusterCertificateNotYetValid',
  'The certificate of the API server is not valid yet, or our clock is behind.',
  'R5',
);
export const clusterCertificateName = defineDiagnosis(
  'ClusterCertificateName',
  'The certificate of the API server is for another name.',
  'C17',
);
export const clusterTlsFailed = defineDiagnosis(
  'ClusterTlsFailed',
  'The TLS handshake with the API server failed.',
  'C17',
);
export const clusterUnauthorized = defineDiagnosis(
  'ClusterUnauthorized',
  'The API server does not accept the credential.',
  'C17',
);

export const accessDenied = defineDiagnosis('AccessDenied', 'RBAC does not let the identity do this.', 'C1');
export const admissionDenied = defineDiagnosis(
  'AdmissionDenied',
  'An admission plugin, policy or webhook refused the object.',
);
export const webhookCertificate = defineDiagnosis(
  'WebhookCertificate',
  'An admission webhook could not be called since its certificate is bad.',
  'C3',
);
export const webhookUnavailable = defineDiagnosis(
  'WebhookUnavailable',
  'An admission webhook could not be called.',
  'C4',
);
export const quotaExceeded = defineDiagnosis('QuotaExceeded', 'A ResourceQuota does not allow more.', 'C6');
export const namespaceTerminating = defineDiagnosis(
  'NamespaceTerminating',
  'The namespace is being deleted, so nothing can be created in it.',
  'C12',
);
export const namespaceMissing = defineDiagnosis('NamespaceMissing', 'The namespace of the object does not exist.');
export const objectNotFound = defineDiagnosis('ObjectNotFound', 'The object does not exist.');
export const kindNotServed = defineDiagnosis('KindNotServed', 'The cluster does not serve this kind.', 'M11');
export const versionNotServed = defineDiagnosis(
  'VersionNotServed',
  'The cluster serves this kind in other versions only.',
  'C14',
);
export const objectExists = defineDiagnosis('ObjectExists', 'An object of this name exists already.');
export const objectChanged = defineDiagnosis(
  'ObjectChanged',
  'The object was changed by somebody else since it was read.',
);
export const fieldManagerConflict = defineDiagnosis(
  'FieldManagerConflict',
  'Another manager owns fields that were applied.',
  'C9',
);
export const objectInvalid = defineDiagnosis('ObjectInvalid', 'The API server refused the object as invalid.');
export const immutableField = defineDiagnosis(
  'ImmutableField',
  'A field was changed that cannot be changed on an existing object.',
  'C8',
);
export const fieldUnknown = defineDiagnosis(
  'FieldUnknown',
  'The object has a field that the schema does not declare.',
  'M12',
);
export const requestRefused = defineDiagnosis('RequestRefused', 'The API server does not accept the request.');
export const watchExpired = defineDiagnosis(
  'WatchExpired',
  'The resource version or continue token is too old.',
  'C15',
);
export const clusterBusy = defineDiagnosis('ClusterBusy', 'The API server asks to slow down.');
export const evictionBlocked = defineDiagnosis(
  'EvictionBlocked',
  'A PodDisruptionBudget does not allow the eviction.',
  'S16',
);
export const apiGroupUnavailable = defineDiagnosis(
  'ApiGroupUnavailable',
  'The server behind an API group does not answer.',
  'C13',
);
export const clusterError = defineDiagnosis('ClusterError', 'The API server failed to handle the request.');
