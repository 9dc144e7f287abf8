import { Buffer } from 'node:buffer';
import type { KubeObject } from '@tiphys/kubernetes';
import type { EventBus, NativeNats } from '../spec/event-bus.ts';
import { mergeOverride } from '../trigger/merge-override.ts';
import { type BusVersions, versionOf } from './bus-versions.ts';
import { type BusObjects, busLabels, dataVolume, placement, randomText } from './native-bus.ts';

const ports = { client: 4222, cluster: 6222, metrics: 7777, monitor: 8222 };
const defaultVersion = '0.22.1';

/** What a bus of NATS Streaming is made of, by upstream's names; a text tells why it cannot be made. */
export function stanObjects(bus: EventBus, versions: BusVersions): BusObjects | string {
  const spec = bus.spec.nats?.native as NativeNats;
  const version = versionOf(versions.nats?.versions, defaultVersion);
  if (typeof version === 'string') return version;
  const labels = busLabels(bus, false);
  const { name = '', namespace = '' } = bus.metadata;
  const base = `eventbus-${name}-stan`;
  const replicas = Math.max(3, spec.replicas ?? 3);
  const hasToken = spec.auth === 'token';
  const secret = (secretName: string, key: string, text: string): KubeObject =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secretName, labels },
      type: 'Opaque',
      data: { [key]: Buffer.from(text).toString('base64') },
    }) as KubeObject;
  const [server, client] = [`eventbus-${name}-server`, `eventbus-${name}-client`];
  return {
    secretNames: [server, ...(hasToken ? [client] : [])],
    drawSecrets: () => {
      if (!hasToken) return [secret(server, 'auth', '')];
      const token = randomText(64);
      return [
        secret(server, 'auth', `authorization {\n  token: "${token}"\n}\n`),
        secret(client, 'client-auth', `token: "${token}"\n`),
      ];
    },
    objects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${base}-configmap`, labels },
        data: { 'stan-config': configOf(bus, spec, { base, replicas }) },
      } as KubeObject,
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: `${base}-svc`, labels },
        spec: {
          ports: [
            { name: 'tcp-client', port: ports.client },
            { name: 'cluster', port: ports.cluster },
            { name: 'monitor', port: ports.monitor },
            { name: 'metrics', port: ports.metrics },
          ],
          type: 'ClusterIP',
          clusterIP: 'None',
          selector: labels,
        },
      } as KubeObject,
      statefulSet(spec, { base, name, labels, replicas, version }),
    ],
    config: {
      nats: {
        url: `nats://${base}-svc.${namespace}.svc:${ports.client}`,
        clusterID: `eventbus-${name}`,
        auth: spec.auth ?? 'none',
        ...(hasToken ? { accessSecret: { name: client, key: 'client-auth' } } : {}),
      },
    },
  };
}

function configOf(
  { metadata }: EventBus,
  spec: NativeNats,
  { base, replicas }: { base: string; replicas: number },
): string {
  const all = Array.from({ length: replicas }, (_, i) => `${base}-${i}`);
  const routes = all.map((pod) => `nats://${pod}.${base}-svc.${metadata.namespace}.svc:${ports.cluster}`);
  return [
    `http: ${ports.monitor}`,
    `max_payload: ${spec.maxPayload ?? '1MB'}`,
    'include ./auth.conf',
    'cluster {',
    `  port: ${ports.cluster}`,
    `  routes: [${routes.join(',')}]`,
    '  cluster_advertise: $CLUSTER_ADVERTISE',
    '  connect_retries: 10',
    '}',
    'streaming {',
    `  id: eventbus-${metadata.name}`,
    '  store: file',
    '  dir: /data/stan/store',
    '  cluster {',
    '    node_id: $POD_NAME',
    `    peers: [${all.map((pod) => JSON.stringify(pod)).join(',')}]`,
    '    log_path: /data/stan/logs',
    `    raft_heartbeat_timeout: "${spec.raftHeartbeatTimeout ?? '2s'}"`,
    `    raft_election_timeout: "${spec.raftElectionTimeout ?? '2s'}"`,
    `    raft_lease_timeout: "${spec.raftLeaseTimeout ?? '1s'}"`,
    `    raft_commit_timeout: "${spec.raftCommitTimeout ?? '100ms'}"`,
    '  }',
    '  store_limits {',
    `    max_age: ${spec.maxAge ?? '72h'}`,
    `    max_msgs: ${spec.maxMsgs ?? 1_000_000}`,
    `    max_bytes: ${spec.maxBytes ?? '1GB'}`,
    `    max_subs: ${spec.maxSubs ?? 1000}`,
    '  }',
    '}',
    '',
  ].join('\n');
}

interface Pods {
  readonly base: string;
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly replicas: number;
  readonly version: { readonly natsStreamingImage?: string; readonly metricsExporterImage?: string };
}

function statefulSet(spec: NativeNats, { base, name, labels, replicas, version }: Pods): KubeObject {
  const volume = spec.persistence ? `stan-${name}-vol` : 'stan-data';
  const data = dataVolume(spec, volume, labels);
  const stan: Record<string, unknown> = {
    name: 'stan',
    image: version.natsStreamingImage,
    ports: [
      { name: 'client', containerPort: ports.client },
      { name: 'cluster', containerPort: ports.cluster },
      { name: 'monitor', containerPort: ports.monitor },
    ],
    command: ['/nats-streaming-server', '-sc', '/etc/stan-config/stan.conf'],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'CLUSTER_ADVERTISE', value: `$(POD_NAME).${base}-svc.$(POD_NAMESPACE).svc` },
    ],
    volumeMounts: [
      { name: 'config-volume', mountPath: '/etc/stan-config' },
      { name: volume, mountPath: '/data/stan' },
    ],
    livenessProbe: { httpGet: { path: '/', port: ports.monitor }, initialDelaySeconds: 10, timeoutSeconds: 5 },
  };
  const metrics: Record<string, unknown> = {
    name: 'metrics',
    image: version.metricsExporterImage,
    ports: [{ name: 'metrics', containerPort: ports.metrics }],
    args: ['-connz', '-routez', '-subz', '-varz', '-channelz', '-serverz', `http://localhost:${ports.monitor}`],
  };
  mergeOverride(stan, (spec.containerTemplate ?? {}) as Record<string, unknown>);
  mergeOverride(metrics, (spec.metricsContainerTemplate ?? {}) as Record<string, unknown>);
  const sources = [
    { configMap: { name: `${base}-configmap`, items: [{ key: 'stan-config', path: 'stan.conf' }] } },
    { secret: { name: `eventbus-${name}-server`, items: [{ key: 'auth', path: 'auth.conf' }] } },
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: base, labels },
    spec: {
      replicas,
      serviceName: `${base}-svc`,
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels: { ...spec.metadata?.labels, ...labels },
          ...(spec.metadata?.annotations ? { annotations: spec.metadata.annotations } : {}),
        },
        spec: {
          ...placement(spec),
          volumes: [{ name: 'config-volume', projected: { sources } }, ...data.volumes],
          containers: [stan, metrics],
        },
      },
      ...(data.claims.length > 0 ? { volumeClaimTemplates: data.claims } : {}),
    },
  } as KubeObject;
}
