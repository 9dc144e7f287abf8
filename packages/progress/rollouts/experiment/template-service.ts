import { type ExperimentTemplate, rolloutNames, type TemplateStatus } from '@tiphys/api';
import { DiagnosisError, defineDiagnosis, diagnosisOf, failure } from '@tiphys/diagnosis';
import { isAlreadyExists } from '@tiphys/kubernetes';
import { create, refOf, remove } from '../cluster/cluster.ts';
import { isControlledBy, ownedBy, type Service } from '../objects/kinds.ts';
import { annotationOf, available, hashOf, type ReplicaSet } from '../objects/replica-set.ts';
import type { ExperimentPass } from './context.ts';

const { annotations } = rolloutNames;

const serviceTaken = defineDiagnosis(
  'ExperimentServiceTaken',
  'The Service that an Experiment is to make exists and is not its own',
);

/** The Services of an Experiment by the names of their templates. */
export function templateServices(pass: ExperimentPass): Map<string, Service> {
  const { metadata } = pass.before;
  const services = pass.context.cluster.services
    .inNamespace(metadata.namespace ?? '')
    .filter((service) => isControlledBy(service, pass.before));
  return new Map(services.map((service) => [annotationOf(service, annotations.experimentTemplateName) ?? '', service]));
}

export interface ServiceOfTemplate {
  readonly template: ExperimentTemplate;
  readonly set: ReplicaSet;
  readonly service: Service | undefined;
  readonly count: number;
}

/** Makes the Service of a template that asks for one, and deletes it after the last pod; notes it in the template's status. */
export async function syncTemplateService(
  pass: ExperimentPass,
  status: TemplateStatus,
  { template, set, service, count }: ServiceOfTemplate,
): Promise<void> {
  const { client, services } = pass.context.cluster;
  if (template.service && count > 0) {
    const ports = portsOf(set);
    if (ports.length === 0) return;
    if (service) {
      // a pass that made it may have died before it wrote so
      noteService(status, service, set);
      return;
    }
    const name = template.service.name || (set.metadata.name ?? '');
    try {
      noteService(status, await makeService(pass, { name, template, set, ports }), set);
    } catch (error) {
      status.status = 'Error';
      status.message = `Failed to create Service ${name} for template '${template.name}': ${sentenceOf(error)}`;
    }
    return;
  }
  if (!service || (template.service && available(set) > 0)) return;
  await remove(client, services, service);
  delete status.serviceName;
  delete status.podTemplateHash;
}

function noteService(status: TemplateStatus, { metadata }: Service, set: ReplicaSet): void {
  status.serviceName = metadata.name ?? '';
  status.podTemplateHash = hashOf(set);
}

interface Port {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
  readonly targetPort: number;
}

function portsOf({ spec: { template } }: ReplicaSet): Port[] {
  const containers = (template?.spec?.containers ?? []) as {
    ports?: { name?: string; containerPort: number; protocol?: string }[];
  }[];
  return containers
    .flatMap(({ ports = [] }) => ports)
    .map(({ name, containerPort, protocol }) => ({
      ...(name ? { name } : {}),
      ...(protocol ? { protocol } : {}),
      port: containerPort,
      targetPort: containerPort,
    }));
}

async function makeService(
  pass: ExperimentPass,
  wanted: { name: string; template: ExperimentTemplate; set: ReplicaSet; ports: readonly Port[] },
): Promise<Service> {
  const { client, services } = pass.context.cluster;
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: wanted.name,
      namespace: pass.before.metadata.namespace ?? '',
      ownerReferences: ownedBy(pass.before),
      annotations: {
        [annotations.experimentName]: pass.before.metadata.name ?? '',
        [annotations.experimentTemplateName]: wanted.template.name,
      },
    },
    spec: { selector: { ...wanted.set.metadata.labels }, ports: wanted.ports },
  };
  try {
    return await create(client, services, service);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const existing = await client.find<Service>(refOf(service));
  const isOurs =
    existing &&
    isControlledBy(existing, pass.before) &&
    annotationOf(existing, annotations.experimentTemplateName) === wanted.template.name;
  if (isOurs) return services.keep(existing);
  throw failure(serviceTaken, {
    message: `service ${wanted.name} already exists and is not owned by experiment template ${wanted.template.name}`,
    place: { object: `Service ${service.metadata.namespace}/${wanted.name}` },
    remedies: ['Give the template another name for its Service, or delete the one that is there'],
  });
}

export function sentenceOf(error: unknown): string {
  return error instanceof DiagnosisError ? error.diagnosis.message : diagnosisOf(error).message;
}
