import { createHash } from 'node:crypto';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { PodTemplate } from '../spec/common.ts';
import type { EventSource } from '../spec/event-source.ts';
import type { Sensor } from '../spec/sensor.ts';
import { mergeOverride } from '../trigger/merge-override.ts';
import type { EventsContext } from './context.ts';
import { harmlessContainer } from './harmless-container.ts';
import { namedKeys } from './named-keys.ts';
import type { EventsSettings } from './settings.ts';
import { ownedBy, sourceLabels } from './source-service.ts';
import type { ConnectedBus } from './workers.ts';

const digestAnnotation = 'resource-spec-hash';
const leaderElectionAnnotation = 'events.argoproj.io/leader-election';
const metricsPort = 7777;

/** Makes or updates the Deployment of an EventSource or a Sensor, as upstream's: its labels, one container, metrics on 7777. */
export async function deployPods(
  context: EventsContext,
  object: EventSource | Sensor,
  bus: ConnectedBus,
): Promise<void> {
  const wanted = deploymentOf(object, bus, context.settings());
  const live = await liveDeployment(context.client, object, wanted.metadata.labels ?? {});
  if (!live) {
    await context.client.create(wanted);
    return;
  }
  if (live.metadata.annotations?.[digestAnnotation] === wanted.metadata.annotations?.[digestAnnotation]) return;
  const { metadata } = live;
  await context.client.update({
    ...live,
    metadata: {
      ...metadata,
      labels: wanted.metadata.labels ?? {},
      annotations: { ...metadata.annotations, ...wanted.metadata.annotations },
    },
    spec: wanted.spec,
  });
}

async function liveDeployment(
  client: Client,
  object: KubeObject,
  labels: Readonly<Record<string, string>>,
): Promise<KubeObject | undefined> {
  const own = ['controller', 'eventsource-name', 'sensor-name'].flatMap((key) =>
    labels[key] ? [`${key}=${labels[key]}`] : [],
  );
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: object.metadata.namespace ?? '' };
  const { items } = await client.list(ref, { labelSelector: own.join(',') });
  const found = items.find(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid));
  return found && { ...found, apiVersion: ref.apiVersion, kind: ref.kind };
}

function deploymentOf(object: EventSource | Sensor, bus: ConnectedBus, settings: EventsSettings): KubeObject {
  const isSensor = object.kind === 'Sensor';
  const { name = '', namespace = '' } = object.metadata;
  const labels = isSensor ? sensorLabels(object as Sensor) : sourceLabels(object as EventSource);
  const replicas = Math.max(1, object.spec.replicas ?? 1);
  const template = object.spec.template;
  const limit = (object as Sensor).spec.revisionHistoryLimit;
  const spec = {
    replicas,
    selector: { matchLabels: labels },
    ...(isSensor && limit !== undefined ? { revisionHistoryLimit: limit } : {}),
    template: {
      metadata: {
        labels: { ...template?.metadata?.labels, ...labels },
        ...(template?.metadata?.annotations ? { annotations: template.metadata.annotations } : {}),
      },
      spec: podSpec(object, bus, settings),
    },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace,
      generateName: `${name}-${isSensor ? 'sensor' : 'eventsource'}-`,
      labels: { ...object.metadata.labels, ...labels },
      annotations: { [digestAnnotation]: createHash('sha256').update(JSON.stringify(spec)).digest('hex') },
      ownerReferences: [ownedBy(object)],
    },
    spec,
  };
}

function sensorLabels({ metadata }: Sensor): Record<string, string> {
  return { controller: 'sensor-controller', 'sensor-name': metadata.name ?? '', 'owner-name': metadata.name ?? '' };
}

function podSpec(object: EventSource | Sensor, bus: ConnectedBus, settings: EventsSettings): Record<string, unknown> {
  const { container, metadata: _metadata, volumes = [], ...pod } = (object.spec.template ?? {}) as PodTemplate;
  const keys = namedKeys(object.spec, bus.config);
  const mounts = [
    ...keys.secrets.map((name) => ({ name, kind: 'secret' as const, path: `/argo-events/secrets/${name}` })),
    ...keys.configMaps.map((name) => ({ name, kind: 'configMap' as const, path: `/argo-events/config/${name}` })),
  ].map((mount) => ({ ...mount, volume: volumeName(mount.kind, mount.name) }));
  const main: Record<string, unknown> = {
    name: 'main',
    image: settings.image,
    ...(settings.imagePullPolicy ? { imagePullPolicy: settings.imagePullPolicy } : {}),
    args: ['events', object.kind === 'Sensor' ? 'run-sensor' : 'run-source'],
    ports: [{ name: 'metrics', containerPort: metricsPort }],
  };
  const { env = [], volumeMounts = [], ...own } = (container ?? {}) as { env?: unknown[]; volumeMounts?: unknown[] };
  mergeOverride(main, harmlessContainer(own));
  main.name = 'main';
  main.env = [...environmentOf(object, bus), ...env];
  main.volumeMounts = [
    { name: 'tmp', mountPath: '/tmp' },
    ...mounts.map(({ volume, path }) => ({ name: volume, mountPath: path })),
    ...volumeMounts,
  ];
  return {
    ...pod,
    containers: [main],
    volumes: [
      ...volumes,
      { name: 'tmp', emptyDir: {} },
      ...mounts.map(({ volume, kind, name }) => ({
        name: volume,
        [kind]: kind === 'secret' ? { secretName: name } : { name },
      })),
    ],
  };
}

function environmentOf(object: EventSource | Sensor, bus: ConnectedBus): unknown[] {
  const { apiVersion, kind, metadata, spec } = object;
  const { namespace, name, uid } = metadata;
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
  return [
    {
      name: kind === 'Sensor' ? 'SENSOR_OBJECT' : 'EVENTSOURCE_OBJECT',
      value: encoded({ apiVersion, kind, metadata: { namespace, name, uid }, spec }),
    },
    { name: 'EVENTBUS_SUBJECT', value: `eventbus-${namespace}` },
    { name: 'EVENTBUS_NAME', value: bus.name },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'LEADER_ELECTION', value: metadata.annotations?.[leaderElectionAnnotation] ?? '' },
    { name: 'EVENTBUS_CONFIG', value: encoded(bus.config) },
  ];
}

function volumeName(kind: string, name: string): string {
  const hash = createHash('sha256').update(`${kind} ${name}`).digest('hex').slice(0, 8);
  return `${kind === 'secret' ? 'secret' : 'config'}-${name.replace(/[^a-z0-9-]/g, '-').slice(0, 40)}-${hash}`;
}
