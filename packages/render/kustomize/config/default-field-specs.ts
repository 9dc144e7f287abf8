import type { FieldSpec } from '../kustomization/kustomization.ts';
import type { BackReference } from './back-reference.ts';

const workloads = ['ReplicationController', 'Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet'] as const;

/** Where a pod's template has its metadata, by kind; both tables below name these, with small differences. */
function templateMetadata(field: 'labels' | 'annotations'): FieldSpec[] {
  const specs: FieldSpec[] = [{ path: `metadata/${field}`, create: true }];
  for (const kind of workloads) {
    specs.push({
      path: `spec/template/metadata/${field}`,
      create: true,
      ...(kind === 'ReplicationController' ? { version: 'v1' } : {}),
      ...(kind === 'StatefulSet' && field === 'labels' ? { group: 'apps' } : {}),
      kind,
    });
  }
  if (field === 'labels')
    specs.push({
      path: 'spec/volumeClaimTemplates[]/metadata/labels',
      create: true,
      group: 'apps',
      kind: 'StatefulSet',
    });
  specs.push(
    { path: `spec/template/metadata/${field}`, create: true, group: 'batch', kind: 'Job' },
    { path: `spec/jobTemplate/metadata/${field}`, create: true, group: 'batch', kind: 'CronJob' },
    { path: `spec/jobTemplate/spec/template/metadata/${field}`, create: true, group: 'batch', kind: 'CronJob' },
  );
  return specs;
}

export const commonAnnotations = templateMetadata('annotations');
export const templateLabels = templateMetadata('labels');

function schedulingSelectors(kind: string): FieldSpec[] {
  const affinity = 'spec/template/spec/affinity';
  const [preferred, required] = [
    'preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels',
    'requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels',
  ];
  return [
    `${affinity}/podAffinity/${preferred}`,
    `${affinity}/podAffinity/${required}`,
    `${affinity}/podAntiAffinity/${preferred}`,
    `${affinity}/podAntiAffinity/${required}`,
    'spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels',
  ].map((path) => ({ path, create: false, group: 'apps', kind }));
}

export const commonLabels: FieldSpec[] = [
  { path: 'spec/selector', create: true, version: 'v1', kind: 'Service' },
  { path: 'spec/selector', create: true, version: 'v1', kind: 'ReplicationController' },
  { path: 'spec/selector/matchLabels', create: true, kind: 'Deployment' },
  ...schedulingSelectors('Deployment'),
  { path: 'spec/selector/matchLabels', create: true, kind: 'ReplicaSet' },
  { path: 'spec/selector/matchLabels', create: true, kind: 'DaemonSet' },
  { path: 'spec/selector/matchLabels', create: true, group: 'apps', kind: 'StatefulSet' },
  ...schedulingSelectors('StatefulSet'),
  { path: 'spec/selector/matchLabels', create: false, group: 'batch', kind: 'Job' },
  { path: 'spec/jobTemplate/spec/selector/matchLabels', create: false, group: 'batch', kind: 'CronJob' },
  { path: 'spec/selector/matchLabels', create: false, group: 'policy', kind: 'PodDisruptionBudget' },
  ...['spec/podSelector', 'spec/ingress/from/podSelector', 'spec/egress/to/podSelector'].map((path) => ({
    path: `${path}/matchLabels`,
    create: false,
    group: 'networking.k8s.io',
    kind: 'NetworkPolicy',
  })),
  ...templateLabels,
];

export const names: FieldSpec[] = [{ path: 'metadata/name' }];

export const namespaces: FieldSpec[] = [
  { path: 'metadata/name', kind: 'Namespace', create: true },
  { path: 'spec/service/namespace', group: 'apiregistration.k8s.io', kind: 'APIService', create: true },
  {
    path: 'spec/conversion/webhook/clientConfig/service/namespace',
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
  },
];

export const images: FieldSpec[] = ['spec', 'spec/template/spec'].flatMap((spec) =>
  ['containers[]/image', 'initContainers[]/image', 'volumes[]/image/reference'].map((path) => ({
    path: `${spec}/${path}`,
    create: true,
  })),
);

export const replicas: FieldSpec[] = ['Deployment', 'ReplicationController', 'ReplicaSet', 'StatefulSet'].map(
  (kind) => ({ path: 'spec/replicas', create: true, kind }),
);

const podSpecs: readonly (FieldSpec & { path: string })[] = [
  { kind: 'Pod', version: 'v1', path: 'spec' },
  { kind: 'PodTemplate', path: 'template/spec' },
  ...['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'Job'].map((kind) => ({
    kind,
    path: 'spec/template/spec',
  })),
  { kind: 'CronJob', path: 'spec/jobTemplate/spec/template/spec' },
];

function inPods(paths: readonly string[]): FieldSpec[] {
  return podSpecs.flatMap((spec) => paths.map((path) => ({ ...spec, path: `${spec.path}/${path}` })));
}

/** The pod specs of the references that name no ReplicaSet and no PodTemplate. */
function inPodsOf(path: string): FieldSpec[] {
  return [
    { path: `spec/${path}`, kind: 'Pod' },
    ...['StatefulSet', 'Deployment', 'ReplicationController', 'Job', 'DaemonSet'].map((kind) => ({
      path: `spec/template/spec/${path}`,
      kind,
    })),
    { path: `spec/jobTemplate/spec/template/spec/${path}`, kind: 'CronJob' },
  ];
}

const at = (path: string, ...kinds: readonly string[]): FieldSpec[] => kinds.map((kind) => ({ path, kind }));
const rbac = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io';

export const nameReferences: BackReference[] = [
  ...['Deployment', 'ReplicationController', 'ReplicaSet', 'StatefulSet'].map((kind) => ({
    kind,
    fieldSpecs: at('spec/scaleTargetRef/name', 'HorizontalPodAutoscaler'),
  })),
  {
    kind: 'ConfigMap',
    version: 'v1',
    fieldSpecs: [
      ...inPods([
        'volumes/configMap/name',
        'containers/env/valueFrom/configMapKeyRef/name',
        'initContainers/env/valueFrom/configMapKeyRef/name',
        'containers/envFrom/configMapRef/name',
        'initContainers/envFrom/configMapRef/name',
        'volumes/projected/sources/configMap/name',
      ]),
      ...at('spec/configSource/configMap', 'Node'),
      ...at('rules/resourceNames', 'Role', 'ClusterRole'),
      ...at('metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap', 'Ingress'),
    ],
  },
  {
    kind: 'Secret',
    version: 'v1',
    fieldSpecs: [
      ...inPods([
        'volumes/secret/secretName',
        'containers/env/valueFrom/secretKeyRef/name',
        'initContainers/env/valueFrom/secretKeyRef/name',
        'containers/envFrom/secretRef/name',
        'initContainers/envFrom/secretRef/name',
        'imagePullSecrets/name',
        'volumes/projected/sources/secret/name',
      ]),
      ...at('spec/tls/secretName', 'Ingress'),
      ...[
        'ingress.kubernetes.io\\/auth-secret',
        'nginx.ingress.kubernetes.io\\/auth-secret',
        'nginx.ingress.kubernetes.io\\/auth-tls-secret',
      ].flatMap((annotation) => at(`metadata/annotations/${annotation}`, 'Ingress')),
      ...at('imagePullSecrets/name', 'ServiceAccount'),
      ...['secretName', 'adminSecretName', 'userSecretName', 'secretRef'].flatMap((name) =>
        at(`parameters/${name}`, 'StorageClass'),
      ),
      ...at('rules/resourceNames', 'Role', 'ClusterRole'),
      {
        path: 'spec/template/spec/containers/env/valueFrom/secretKeyRef/name',
        kind: 'Service',
        group: 'serving.knative.dev',
        version: 'v1',
      },
      ...at('spec/azureFile/secretName', 'PersistentVolume'),
    ],
  },
  {
    kind: 'Service',
    version: 'v1',
    fieldSpecs: [
      { path: 'spec/serviceName', kind: 'StatefulSet', group: 'apps' },
      ...[
        'spec/rules/http/paths/backend/serviceName',
        'spec/backend/serviceName',
        'spec/rules/http/paths/backend/service/name',
        'spec/defaultBackend/service/name',
      ].flatMap((path) => at(path, 'Ingress')),
      { path: 'spec/service/name', kind: 'APIService', group: 'apiregistration.k8s.io' },
      ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map((kind) => ({
        path: 'webhooks/clientConfig/service',
        kind,
        group: admission,
      })),
    ],
  },
  { kind: 'Role', group: rbac, fieldSpecs: [{ path: 'roleRef/name', kind: 'RoleBinding', group: rbac }] },
  {
    kind: 'ClusterRole',
    group: rbac,
    fieldSpecs: ['RoleBinding', 'ClusterRoleBinding'].map((kind) => ({ path: 'roleRef/name', kind, group: rbac })),
  },
  {
    kind: 'ServiceAccount',
    version: 'v1',
    fieldSpecs: [
      ...['RoleBinding', 'ClusterRoleBinding'].map((kind) => ({ path: 'subjects', kind, group: rbac })),
      ...inPodsOf('serviceAccountName'),
    ],
  },
  {
    kind: 'PersistentVolumeClaim',
    version: 'v1',
    fieldSpecs: inPodsOf('volumes/persistentVolumeClaim/claimName'),
  },
  {
    kind: 'PersistentVolume',
    version: 'v1',
    fieldSpecs: [...at('spec/volumeName', 'PersistentVolumeClaim'), ...at('rules/resourceNames', 'ClusterRole')],
  },
  {
    kind: 'StorageClass',
    version: 'v1',
    group: 'storage.k8s.io',
    fieldSpecs: [
      ...at('spec/storageClassName', 'PersistentVolume', 'PersistentVolumeClaim'),
      ...at('spec/volumeClaimTemplates/spec/storageClassName', 'StatefulSet'),
    ],
  },
  {
    kind: 'PriorityClass',
    version: 'v1',
    group: 'scheduling.k8s.io',
    fieldSpecs: inPodsOf('priorityClassName'),
  },
  // The group is as Kustomize has it, with a version in it: it never matches.
  {
    kind: 'IngressClass',
    version: 'v1',
    group: 'networking.k8s.io/v1',
    fieldSpecs: at('spec/ingressClassName', 'Ingress'),
  },
  {
    kind: 'ValidatingAdmissionPolicy',
    group: admission,
    fieldSpecs: [{ path: 'spec/policyName', kind: 'ValidatingAdmissionPolicyBinding', group: admission }],
  },
];

function varsInPod(kind: string, spec: string): FieldSpec[] {
  return ['containers', 'initContainers'].flatMap((list) =>
    ['args', 'command', 'env/value', 'volumeMounts/mountPath'].map((path) => ({
      path: `${spec}/${list}/${path}`,
      kind,
    })),
  );
}

export const varReferences: FieldSpec[] = [
  ...varsInPod('CronJob', 'spec/jobTemplate/spec/template/spec'),
  ...['DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'StatefulSet'].flatMap((kind) =>
    varsInPod(kind, 'spec/template/spec'),
  ),
  ...varsInPod('Pod', 'spec'),
  ...at('spec/rules/host', 'Ingress'),
  ...at('spec/tls/hosts', 'Ingress'),
  ...at('spec/tls/secretName', 'Ingress'),
  ...at('spec/ports/port', 'Service'),
  ...at('spec/ports/targetPort', 'Service'),
  // As Kustomize has it, without the spec of the pod.
  ...at('spec/jobTemplate/spec/template/volumes/nfs/server', 'CronJob'),
  ...at('spec/template/spec/volumes/nfs/server', 'DaemonSet', 'Deployment', 'Job', 'ReplicaSet'),
  ...at('spec/volumes/nfs/server', 'Pod'),
  ...at('spec/nfs/server', 'PersistentVolume'),
  ...at('spec/volumeClaimTemplates/spec/nfs/server', 'StatefulSet'),
  ...at('spec/template/metadata/annotations', 'Deployment'),
  { path: 'metadata/labels' },
  { path: 'metadata/annotations' },
];
