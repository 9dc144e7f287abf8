import { type Diagnosis, DiagnosisError, defineDiagnosis, diagnose, type Remedy } from '@tiphys/diagnosis';
import { type Client, describeKey, type KubeObject, keyOf, type ObjectKey } from '@tiphys/kubernetes';
import { numberAt, objectsAt, textAt } from '../model/fields.ts';
import { conditionsOf } from './conditions.ts';

export const claimPending = defineDiagnosis('VolumeClaimPending', 'A volume claim is not bound', 'S14');
const loadBalancerMissing = defineDiagnosis(
  'LoadBalancerMissing',
  'No provider of load balancers gives a Service an address',
  'S19',
);
const ingressClassMissing = defineDiagnosis(
  'IngressClassMissing',
  'An Ingress names a class that does not exist, or none',
  'S20',
);
const ingressUnserved = defineDiagnosis(
  'IngressUnserved',
  'The controller of an Ingress has given it no address',
  'S20',
);
const jobFailed = defineDiagnosis('JobFailed', 'A Job was ended before it was done', 'S3');
const autoscalerFailing = defineDiagnosis(
  'AutoscalerFailing',
  'An autoscaler cannot tell how many pods are wanted',
  'S18',
);

/** What the rules of an object's kind say about why it is not well; undefined if they say nothing. */
type Explain = (object: KubeObject, cluster: Cluster) => Promise<Diagnosis | undefined>;

interface Cluster {
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

/**
 * Why an object of a kind that depends on another part of the cluster (a storage class, a provider, a controller) is not
 * well. Asks the server for that part; what may not be read is not told.
 */
export async function explainKind(
  key: ObjectKey,
  client: Client,
  signal: AbortSignal | undefined,
): Promise<Diagnosis | undefined> {
  const explain = kinds[`${key.group}/${key.kind}`];
  if (!explain) return undefined;
  const cluster = { client, signal };
  const object = await read(cluster, {
    ...kindRefs[`${key.group}/${key.kind}`],
    namespace: key.namespace,
    name: key.name,
  } as never);
  return object && explain(object, cluster);
}

const kindRefs: Readonly<Record<string, { readonly apiVersion: string; readonly kind: string }>> = {
  'batch/Job': { apiVersion: 'batch/v1', kind: 'Job' },
  '/PersistentVolumeClaim': { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  '/Service': { apiVersion: 'v1', kind: 'Service' },
  'networking.k8s.io/Ingress': { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
  'autoscaling/HorizontalPodAutoscaler': { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
};

const kinds: Readonly<Record<string, Explain>> = {
  'batch/Job': explainJob,
  '/PersistentVolumeClaim': explainClaim,
  '/Service': explainService,
  'networking.k8s.io/Ingress': explainIngress,
  'autoscaling/HorizontalPodAutoscaler': explainAutoscaler,
};

async function explainClaim(claim: KubeObject, cluster: Cluster): Promise<Diagnosis | undefined> {
  if (textAt(claim, 'status', 'phase') !== 'Pending') return undefined;
  const place = { object: describeKey(keyOf(claim)), field: 'spec.storageClassName' };
  const classes = await list(cluster, 'storage.k8s.io/v1', 'StorageClass');
  if (!classes) return undefined;
  const names = classes.map(({ metadata }) => metadata.name).join(', ') || 'none';
  const named = (claim['spec'] as { storageClassName?: string } | undefined)?.storageClassName;
  const found = classes.find(({ metadata }) => metadata.name === named);
  if (named && !found)
    return diagnose(claimPending, {
      message: `StorageClass ${named} does not exist, so nothing provides the volume`,
      place,
      evidence: { 'storage classes of the cluster': names },
      remedies: [`Name one of the storage classes, or install ${named} with its provisioner`],
    });
  const volume = textAt(claim, 'spec', 'volumeName');
  const volumes = volume ? await list(cluster, 'v1', 'PersistentVolume') : undefined;
  if (volumes && !volumes.some(({ metadata }) => metadata.name === volume))
    return diagnose(claimPending, {
      message: `The claim wants PersistentVolume ${volume}, which does not exist`,
      place: { ...place, field: 'spec.volumeName' },
      remedies: [
        `Create PersistentVolume ${volume}, or leave spec.volumeName out so that the storage class provides one`,
      ],
    });
  if (named === '')
    return diagnose(claimPending, {
      message:
        'The claim wants no storage class (spec.storageClassName is empty), and no PersistentVolume that is free fits',
      place,
      evidence: { 'storage classes of the cluster': names },
      remedies: ['Create a PersistentVolume that fits, or name a storage class'],
    });
  if (named === undefined && classes.length === 0)
    return diagnose(claimPending, {
      message: 'The claim names no StorageClass, and the cluster has none that could be the default',
      place,
      evidence: { 'storage classes of the cluster': names },
      remedies: ['Install a provisioner with a default storage class, or create a PersistentVolume that fits'],
    });
  if (found && textAt(found, 'volumeBindingMode') === 'WaitForFirstConsumer')
    return diagnose(claimPending, {
      message: `The claim waits for the first pod that uses it, as StorageClass ${named} wants it`,
      place,
      evidence: { provisioner: textAt(found, 'provisioner') },
      remedies: ['Nothing, if a pod uses the claim: it is bound when that pod is scheduled'],
    });
  return undefined;
}

async function explainService(service: KubeObject, cluster: Cluster): Promise<Diagnosis | undefined> {
  if (textAt(service, 'spec', 'type') !== 'LoadBalancer' || hasAddress(service)) return undefined;
  const wanted = textAt(service, 'spec', 'loadBalancerClass');
  const others = (await list(cluster, 'v1', 'Service'))?.filter(hasAddress).length;
  return diagnose(loadBalancerMissing, {
    message: `Service ${service.metadata.name} has the type LoadBalancer, and ${wanted ? `nobody who serves the class ${wanted}` : 'no provider of load balancers'} has given it an address`,
    place: { object: describeKey(keyOf(service)), field: 'spec.type' },
    evidence: {
      'Services of the cluster with an address': others,
      'waiting since': service.metadata.creationTimestamp,
    },
    remedies: [
      others === 0
        ? 'Install a provider of load balancers in the cluster, or use the type ClusterIP with an Ingress'
        : 'See the events of the Service and the log of the provider: it serves others',
    ],
  });
}

async function explainIngress(ingress: KubeObject, cluster: Cluster): Promise<Diagnosis | undefined> {
  if (hasAddress(ingress)) return undefined;
  const classes = await list(cluster, 'networking.k8s.io/v1', 'IngressClass');
  if (!classes) return undefined;
  const named =
    textAt(ingress, 'spec', 'ingressClassName') || ingress.metadata.annotations?.['kubernetes.io/ingress.class'] || '';
  const fallback = classes.find(
    ({ metadata }) => metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true',
  );
  const found = named ? classes.find(({ metadata }) => metadata.name === named) : fallback;
  const place = { object: describeKey(keyOf(ingress)), field: 'spec.ingressClassName' };
  const evidence = {
    'ingress classes of the cluster': classes.map(({ metadata }) => metadata.name).join(', ') || 'none',
  };
  if (!found)
    return diagnose(ingressClassMissing, {
      message: named
        ? `IngressClass ${named} does not exist, so no controller serves the Ingress`
        : 'The Ingress names no class and the cluster has no default IngressClass, so no controller serves it',
      place,
      evidence,
      remedies: [
        named
          ? `Name one of the ingress classes, or install the controller of ${named}`
          : 'Set spec.ingressClassName, or mark one IngressClass as the default',
      ],
    });
  return diagnose(ingressUnserved, {
    message: `The controller ${textAt(found, 'spec', 'controller')} of IngressClass ${found.metadata.name} has given the Ingress no address`,
    place,
    evidence: { ...evidence, 'waiting since': ingress.metadata.creationTimestamp },
    remedies: ['See whether the pods of the controller run, and what its log says of this Ingress'],
  });
}

/** A Job that was ended; what its pods say comes before this. */
async function explainJob(job: KubeObject): Promise<Diagnosis | undefined> {
  const failed = conditionsOf(job).find(({ type, status }) => type === 'Failed' && status === 'True');
  if (!failed) return undefined;
  const limit = numberAt(job, 'spec', 'activeDeadlineSeconds');
  const late = failed.reason === 'DeadlineExceeded';
  return diagnose(jobFailed, {
    message: late
      ? `Job ${job.metadata.name} was ended: it ran longer than its activeDeadlineSeconds of ${limit} s`
      : `Job ${job.metadata.name} failed: ${failed.message}`,
    place: { object: describeKey(keyOf(job)), ...(late ? { field: 'spec.activeDeadlineSeconds' } : {}) },
    evidence: {
      [`condition Failed, ${failed.reason}`]: failed.message,
      'started at': textAt(job, 'status', 'startTime') || undefined,
      'pods that failed': numberAt(job, 'status', 'failed'),
    },
    remedies: [late ? 'Find out what it waits for, or raise activeDeadlineSeconds' : 'See the logs of its pods'],
  });
}

/** What can be scaled, by the kinds that take each other's place. */
const scalable = [
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' },
] as const;

/** The remedy for a target that is not there, where another kind has an object of its name. */
async function otherTarget(autoscaler: KubeObject, cluster: Cluster): Promise<Remedy | undefined> {
  const [name, kind] = ['name', 'kind'].map((field) => textAt(autoscaler, 'spec', 'scaleTargetRef', field));
  const namespace = autoscaler.metadata.namespace ?? '';
  for (const ref of scalable) {
    if (ref.kind === kind || !name || !(await read(cluster, { ...ref, namespace, name }))) continue;
    return {
      text: `Name ${ref.kind} ${name}, which is there`,
      paste: `scaleTargetRef:\n  apiVersion: ${ref.apiVersion}\n  kind: ${ref.kind}\n  name: ${name}`,
    };
  }
  return undefined;
}

async function explainAutoscaler(autoscaler: KubeObject, cluster: Cluster): Promise<Diagnosis | undefined> {
  const failed = conditionsOf(autoscaler).find(
    ({ type, status }) => (type === 'ScalingActive' || type === 'AbleToScale') && status === 'False',
  );
  if (!failed) return undefined;
  const target = `${textAt(autoscaler, 'spec', 'scaleTargetRef', 'kind')} ${textAt(autoscaler, 'spec', 'scaleTargetRef', 'name')}`;
  return diagnose(autoscalerFailing, {
    message: `The autoscaler of ${target} does not scale: ${failed.message}`,
    place: { object: describeKey(keyOf(autoscaler)) },
    evidence: {
      [`condition ${failed.type}`]: failed.reason,
      metrics:
        objectsAt(autoscaler, 'spec', 'metrics')
          .map((metric) => textAt(metric, 'resource', 'name') || textAt(metric, 'type'))
          .join(', ') || undefined,
    },
    remedies: [
      (failed.reason === 'FailedGetScale' ? await otherTarget(autoscaler, cluster) : undefined) ??
        autoscalerRemedy(failed.reason),
    ],
  });
}

function autoscalerRemedy(reason: string): string {
  if (reason === 'FailedGetScale') return 'Correct spec.scaleTargetRef, or create the workload that it names';
  if (reason === 'InvalidSelector') return 'Let the workload have a selector that only its own pods meet';
  return 'Install the server of these metrics (metrics-server for cpu and memory), and set resource requests on every container';
}

function hasAddress(object: KubeObject): boolean {
  return objectsAt(object, 'status', 'loadBalancer', 'ingress').length > 0;
}

async function read(
  { client, signal }: Cluster,
  ref: { apiVersion: string; kind: string; namespace?: string; name: string },
): Promise<KubeObject | undefined> {
  return allowed(signal, () => client.find(ref, signal ? { signal } : {}));
}

async function list({ client, signal }: Cluster, apiVersion: string, kind: string): Promise<KubeObject[] | undefined> {
  return allowed(
    signal,
    async () => (await client.list({ apiVersion, kind }, { limit: 500, ...(signal ? { signal } : {}) })).items,
  );
}

/** What cannot be read is not told: it only adds to what is known. */
async function allowed<T>(signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof DiagnosisError) return undefined;
    throw error;
  }
}
