import { randomBytes } from 'node:crypto';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { BusConfig, EventBus, PodSettings } from '../spec/event-bus.ts';
import { specFailure } from '../trouble/spec-invalid.ts';
import { busVersions } from './bus-versions.ts';
import type { Conditions } from './conditions.ts';
import type { BusPass } from './event-bus-steps.ts';
import { jetStreamObjects } from './jetstream-objects.ts';
import { ownedBy } from './source-service.ts';
import { stanObjects } from './stan-objects.ts';
import { tell } from './told.ts';

const digestAnnotation = 'resource-spec-hash';

/** What a native bus is made of. */
export interface BusObjects {
  /** Names of the Secrets, which are made together where one is missing and left as they are: they hold what was drawn at random. */
  readonly secretNames: readonly string[];
  /** Draws them anew. */
  readonly drawSecrets: () => readonly KubeObject[];
  /** Brought up to date. */
  readonly objects: readonly KubeObject[];
  readonly config: BusConfig;
}

/** Labels of all that belongs to a bus. */
export function busLabels({ metadata }: EventBus, isJetStream: boolean): Record<string, string> {
  const name = metadata.name ?? '';
  return {
    controller: 'eventbus-controller',
    'eventbus-name': name,
    'owner-name': name,
    ...(isJetStream ? {} : { stan: 'yes' }),
  };
}

/** A random text of letters and digits. */
export function randomText(length: number): string {
  return randomBytes(length).toString('base64url').replace(/[-_]/g, 'x').slice(0, length);
}

/** The claim of a volume for each pod, or an emptyDir, for the data of a bus. */
export function dataVolume({ persistence }: PodSettings, name: string, labels: Record<string, string>) {
  if (!persistence) return { claims: [], volumes: [{ name, emptyDir: {} }] };
  const { storageClassName, accessMode, volumeSize } = persistence;
  const spec = {
    accessModes: [accessMode ?? 'ReadWriteOnce'],
    volumeMode: 'Filesystem',
    ...(storageClassName === undefined ? {} : { storageClassName }),
    resources: { requests: { storage: volumeSize ?? '20Gi' } },
  };
  return { claims: [{ metadata: { name, labels }, spec }], volumes: [] };
}

/** Makes the servers of a native bus, and tells clients where they are. */
export async function deployNativeBus(pass: BusPass, conditions: Conditions): Promise<void> {
  const { next, context, status } = pass;
  const { client } = context;
  const versions = busVersions(context.settings().controllerConfig);
  const isJetStream = next.spec.jetstream !== undefined;
  const wanted = isJetStream ? jetStreamObjects(next, versions) : stanObjects(next, versions);
  if (typeof wanted === 'string') {
    conditions.isFalse('Deployed', isJetStream ? 'JetStreamStatefulSetFailed' : 'StatefulSetFailed', wanted);
    const field = isJetStream ? 'spec.jetstream.version' : 'spec.nats.native';
    const remedy = 'Add the version to that ConfigMap, or name one that is there';
    tell(status, [specFailure(next, { text: wanted, field, remedy })]);
    return;
  }
  await ensureSecrets(client, wanted, next);
  for (const object of wanted.objects) await bringUpToDate(client, owned(object, next));
  status.config = wanted.config;
  conditions.isTrue('Deployed', 'Succeeded', isJetStream ? 'JetStream is deployed' : 'NATS is deployed');
  conditions.isTrue('Configured');
}

/** One of them without the others is of no use: they name the same password. */
async function ensureSecrets(client: Client, { secretNames, drawSecrets }: BusObjects, bus: EventBus): Promise<void> {
  const namespace = bus.metadata.namespace ?? '';
  const found = await Promise.all(
    secretNames.map((name) => client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name })),
  );
  if (found.every(Boolean)) return;
  for (const [index, secret] of drawSecrets().entries()) {
    const wanted = owned(secret, bus);
    if (found[index]) await client.patch(refOf(wanted), 'merge', { data: wanted.data });
    else await client.create(wanted);
  }
}

function refOf({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

function owned(object: KubeObject, bus: EventBus): KubeObject {
  return {
    ...object,
    metadata: { ...object.metadata, namespace: bus.metadata.namespace ?? '', ownerReferences: [ownedBy(bus)] },
  };
}

async function bringUpToDate(client: Client, object: KubeObject): Promise<void> {
  const { metadata: _metadata, ...rest } = object;
  const digest = JSON.stringify(rest).length.toString(36) + hash(JSON.stringify(rest));
  const annotations = { ...object.metadata.annotations, [digestAnnotation]: digest };
  const wanted = { ...object, metadata: { ...object.metadata, annotations } };
  const live = await client.find(refOf(object));
  if (!live) await client.create(wanted);
  else if (live.metadata.annotations?.[digestAnnotation] !== digest) {
    const changed = 'spec' in rest ? { spec: rest.spec } : { data: rest.data };
    await client.patch(refOf(object), 'merge', { metadata: { annotations }, ...changed });
  }
}

function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value.toString(36);
}

const placements = [
  'nodeSelector',
  'tolerations',
  'securityContext',
  'imagePullSecrets',
  'priorityClassName',
  'priority',
  'serviceAccountName',
  'affinity',
] as const;

/** What a bus says of where its pods run, and as whom: the fields of their spec that it sets. */
export function placement(spec: PodSettings): Partial<Pick<PodSettings, (typeof placements)[number]>> {
  return Object.fromEntries(
    placements.filter((field) => spec[field] !== undefined).map((field) => [field, spec[field]]),
  );
}
