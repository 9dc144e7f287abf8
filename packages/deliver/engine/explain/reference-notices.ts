import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey } from '@tiphys/kubernetes';
import { isObject, objectsAt, textAt, valueAt } from '../model/fields.ts';
import type { ComparedResource } from '../model/model.ts';
import type { NoticeContext } from './notice.ts';

const backendMissing = defineDiagnosis(
  'IngressBackendMissing',
  'An Ingress leads to a Service, or to a port of one, that does not exist',
  'S20',
);
const certificateMissing = defineDiagnosis(
  'IngressCertificateMissing',
  'An Ingress names a Secret with a certificate that does not exist',
  'S20',
);
const governingServiceMissing = defineDiagnosis(
  'GoverningServiceMissing',
  'A StatefulSet names a Service that does not exist, so that its pods have no names of their own',
);
const pullSecretMissing = defineDiagnosis(
  'PullSecretMissing',
  'A workload names a Secret for pulling images that does not exist',
  'S10',
);

const deploymentPaused = defineDiagnosis(
  'DeploymentPaused',
  'A Deployment is paused, so that changes of its template reach no pod',
);

/** Its pull Secrets; and that it is paused, by whom, since nothing of a change is delivered meanwhile. */
export function deploymentNotice(resource: ComparedResource, context: NoticeContext): Diagnosis | undefined {
  const { key, desired, live } = resource;
  if (valueAt(live, 'spec', 'paused') !== true) return pullSecretNotice(resource, context);
  const byManifest = valueAt(desired, 'spec', 'paused') === true;
  const manager = byManifest ? undefined : pausedBy(live);
  return diagnose(deploymentPaused, {
    message: `Deployment ${key.name} is paused: changes of its template reach no pod until it is resumed`,
    place: { object: describeKey(key), field: 'spec.paused' },
    evidence: { 'paused by': byManifest ? 'its manifest' : manager },
    remedies: byManifest
      ? ['Remove spec.paused from the manifest, or set it to false']
      : [
          {
            text: 'Resume it',
            paste: `kubectl rollout resume deployment/${key.name}${key.namespace ? ` -n ${key.namespace}` : ''}`,
          },
        ],
  });
}

/** The field manager that set `spec.paused`, and when. */
function pausedBy(live: unknown): string | undefined {
  const entry = objectsAt(live, 'metadata', 'managedFields').find(
    (each) => valueAt(each, 'fieldsV1', 'f:spec', 'f:paused') !== undefined,
  );
  return entry && [textAt(entry, 'manager'), textAt(entry, 'time')].filter(Boolean).join(', ');
}

/** Services behind an Ingress, and the Secrets of its certificates. */
export function ingressNotice(resource: ComparedResource, context: NoticeContext): Diagnosis | undefined {
  const { key, desired } = resource;
  const backends = [
    { backend: valueAt(desired, 'spec', 'defaultBackend'), field: 'spec.defaultBackend.service' },
    ...objectsAt(desired, 'spec', 'rules').flatMap((rule, at) =>
      objectsAt(rule, 'http', 'paths').map((path, index) => ({
        backend: path['backend'],
        field: `spec.rules[${at}].http.paths[${index}].backend.service`,
      })),
    ),
  ];
  for (const { backend, field } of backends) {
    const problem = backendProblem(backend, resource, context);
    if (problem === undefined) continue;
    return diagnose(backendMissing, {
      message: `Ingress ${key.name} leads to ${problem}: its requests are answered with an error`,
      place: { object: describeKey(key), field },
      evidence: { 'Services of the application': servicesOf(context, key.namespace).join(', ') || 'none' },
      remedies: [`Correct ${field}, or add the Service and its port`],
    });
  }
  return certificateNotice(resource, context);
}

function backendProblem(
  backend: unknown,
  { key }: ComparedResource,
  { cache, resources }: NoticeContext,
): string | undefined {
  const name = textAt(backend, 'service', 'name');
  if (!name || !cache.watches('', 'Service')) return undefined;
  const service = { group: '', kind: 'Service', namespace: key.namespace, name };
  if (!cache.node(service)) return `Service ${name}, which does not exist in namespace ${key.namespace}`;
  const own = resources.find((each) => describeKey(each.key) === describeKey(service));
  const ports = objectsAt(own?.desired, 'spec', 'ports');
  const number = valueAt(backend, 'service', 'port', 'number');
  const port = number ?? valueAt(backend, 'service', 'port', 'name');
  if (ports.length === 0 || port === undefined || ports.some((each) => each['port'] === port || each['name'] === port))
    return undefined;
  const known = ports.map((each) => [each['port'], each['name']].filter(Boolean).join(' ')).join(', ');
  return `port ${String(port)} of Service ${name}, which has ${known}`;
}

function servicesOf({ resources }: NoticeContext, namespace: string): string[] {
  return resources
    .filter(({ key }) => key.group === '' && key.kind === 'Service' && key.namespace === namespace)
    .map(({ key }) => key.name)
    .slice(0, 10);
}

function certificateNotice({ key, desired }: ComparedResource, { cache }: NoticeContext): Diagnosis | undefined {
  if (!cache.watches('', 'Secret')) return undefined;
  const entries = objectsAt(desired, 'spec', 'tls');
  const at = entries.findIndex((entry) => {
    const name = textAt(entry, 'secretName');
    return name !== '' && !cache.node({ group: '', kind: 'Secret', namespace: key.namespace, name });
  });
  if (at < 0) return undefined;
  const hosts = valueAt(entries[at], 'hosts');
  return diagnose(certificateMissing, {
    message: `Secret ${textAt(entries[at], 'secretName')} of Ingress ${key.name} does not exist: its hosts have no certificate of their own`,
    place: { object: describeKey(key), field: `spec.tls[${at}].secretName` },
    evidence: { hosts: Array.isArray(hosts) ? hosts.filter((host) => typeof host === 'string').join(', ') : '' },
    remedies: ['Create the Secret, of type kubernetes.io/tls, or see what keeps its issuer from doing so'],
  });
}

/** The Service that gives the pods of a StatefulSet their names, and the Secrets of its images. */
export function statefulSetNotice(resource: ComparedResource, context: NoticeContext): Diagnosis | undefined {
  const { key, desired } = resource;
  const { cache } = context;
  const name = textAt(desired, 'spec', 'serviceName');
  const service = { group: '', kind: 'Service', namespace: key.namespace, name };
  if (!name || !cache.watches('', 'Service') || cache.node(service)) return pullSecretNotice(resource, context);
  return diagnose(governingServiceMissing, {
    message: `Service ${name} of StatefulSet ${key.name} does not exist: names such as ${key.name}-0.${name} cannot be resolved`,
    place: { object: describeKey(key), field: 'spec.serviceName' },
    evidence: { 'Services of the application': servicesOf(context, key.namespace).join(', ') || 'none' },
    remedies: [`Add a headless Service ${name} (clusterIP: None) that selects its pods, or correct spec.serviceName`],
  });
}

/** Kubernetes passes over pull Secrets that there are not, so that only the registry's refusal would tell. */
export function pullSecretNotice({ key, desired }: ComparedResource, { cache }: NoticeContext): Diagnosis | undefined {
  const named = valueAt(desired, 'spec', 'template', 'spec', 'imagePullSecrets');
  if (!Array.isArray(named) || !cache.watches('', 'Secret')) return undefined;
  const names = named.map((entry) => (isObject(entry) ? textAt(entry, 'name') : ''));
  const at = names.findIndex(
    (name) => name !== '' && !cache.node({ group: '', kind: 'Secret', namespace: key.namespace, name }),
  );
  if (at < 0) return undefined;
  return diagnose(pullSecretMissing, {
    message: `Secret ${names[at]} for the images of ${key.kind} ${key.name} does not exist: they are pulled without it`,
    place: { object: describeKey(key), field: `spec.template.spec.imagePullSecrets[${at}].name` },
    remedies: [
      `Create Secret ${names[at]} in namespace ${key.namespace}, of type kubernetes.io/dockerconfigjson`,
      'Or correct the name, or leave it out',
    ],
  });
}
