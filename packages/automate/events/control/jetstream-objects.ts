import { Buffer } from 'node:buffer';
import type { KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import type { EventBus, JetStreamSpec } from '../spec/event-bus.ts';
import { mergeOverride } from '../trigger/merge-override.ts';
import { type BusVersions, versionOf } from './bus-versions.ts';
import { certificatesFor } from './certificates.ts';
import { type BusObjects, busLabels, dataVolume, placement, randomText } from './native-bus.ts';

const ports = { client: 4222, cluster: 6222, metrics: 7777, monitor: 8222 };

/** What a JetStream bus is made of, by upstream's names; a text tells why it cannot be made. */
export function jetStreamObjects(bus: EventBus, versions: BusVersions): BusObjects | string {
  const spec = bus.spec.jetstream as JetStreamSpec;
  const version = versionOf(versions.jetstream?.versions, spec.version ?? '');
  if (typeof version === 'string') return version;
  const labels = busLabels(bus, true);
  const base = `eventbus-${bus.metadata.name}-js`;
  const service = `${base}-svc`;
  const { namespace = '' } = bus.metadata;
  const replicas = spec.replicas ?? 3;
  return {
    secretNames: [`${base}-server`, `${base}-client-auth`],
    drawSecrets: () => secretsOf({ base, service, namespace, labels }),
    objects: [
      object('v1', 'ConfigMap', `${base}-config`, labels, {
        data: { 'nats-js': configOf(bus, spec, { base, service, replicas, versions }) },
      }),
      object('v1', 'Service', service, labels, {
        spec: {
          ports: [
            { name: 'tcp-client', port: ports.client },
            { name: 'cluster', port: ports.cluster },
            { name: 'metrics', port: ports.metrics },
            { name: 'monitor', port: ports.monitor },
          ],
          type: 'ClusterIP',
          clusterIP: 'None',
          publishNotReadyAddresses: true,
          selector: labels,
        },
      }),
      statefulSet(spec, { base, service, labels, replicas, version }),
    ],
    config: {
      jetstream: {
        url: `nats://${service}.${namespace}.svc:${ports.client}`,
        accessSecret: { name: `${base}-client-auth`, key: 'client-auth' },
        streamConfig: streamConfig(versions.jetstream?.streamConfig, spec.streamConfig),
      },
    },
  };
}

function object(
  apiVersion: string,
  kind: string,
  name: string,
  labels: Record<string, string>,
  rest: object,
): KubeObject {
  return { apiVersion, kind, metadata: { name, labels }, ...rest } as KubeObject;
}

/** Both texts as one; the names of settings count without their case. */
function streamConfig(general: string | undefined, own: string | undefined): string {
  const settings: Record<string, unknown> = {};
  for (const text of [general, own]) {
    if (!text?.trim()) continue;
    const [document] = parseDocuments(text, { file: 'streamConfig' }).documents;
    for (const [key, value] of Object.entries((document?.value ?? {}) as unknown as Record<string, unknown>))
      settings[key.toLowerCase()] = value;
  }
  return Object.entries(settings)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${String(value)}\n`)
    .join('');
}

function secretsOf({
  base,
  service,
  namespace,
  labels,
}: {
  base: string;
  service: string;
  namespace: string;
  labels: Record<string, string>;
}): KubeObject[] {
  const [user, password, system] = [randomText(8), randomText(16), randomText(24)];
  const host = `${service}.${namespace}.svc`;
  const now = Date.now();
  const server = certificatesFor([host, `${host}.cluster.local`], now);
  const cluster = certificatesFor([`*.${host}`, `*.${host}.cluster.local`], now);
  const auth = [
    'system_account: sys',
    `accounts: { "js": { "jetstream": true, "users": [ {"user": "${user}", "pass": "${password}"} ] },`,
    `  "sys": { "users": [ {"user": "sys", "pass": "${system}"} ] } }`,
    'tls { cert_file: "/etc/nats-config/server-cert.pem"',
    '  key_file: "/etc/nats-config/server-key.pem"',
    '  ca_file: "/etc/nats-config/ca-cert.pem" }',
    '',
  ].join('\n');
  const encoded = (data: Record<string, string>) => ({
    type: 'Opaque',
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  });
  return [
    object(
      'v1',
      'Secret',
      `${base}-server`,
      labels,
      encoded({
        auth,
        encryption: randomText(12),
        'private-key': server.key,
        cert: server.cert,
        'ca-cert': server.ca,
        'cluster-private-key': cluster.key,
        'cluster-cert': cluster.cert,
        'cluster-ca-cert': cluster.ca,
      }),
    ),
    object(
      'v1',
      'Secret',
      `${base}-client-auth`,
      labels,
      encoded({ 'client-auth': `username: ${user}\npassword: ${password}` }),
    ),
  ];
}

function configOf(
  { metadata }: EventBus,
  { maxPayload, settings }: JetStreamSpec,
  { base, service, replicas, versions }: { base: string; service: string; replicas: number; versions: BusVersions },
): string {
  const route = (i: number) => `nats://${base}-${i}.${service}.${metadata.namespace}.svc:${ports.cluster}`;
  const routes = Array.from({ length: replicas }, (_, i) => route(i)).join(',');
  const cluster = [
    'cluster {',
    `  port: ${ports.cluster}`,
    `  name: ${metadata.name}`,
    `  routes: [${routes}]`,
    '  cluster_advertise: $CLUSTER_ADVERTISE',
    '  connect_retries: 120',
    '  tls { cert_file: "/etc/nats-config/cluster-server-cert.pem"',
    '    key_file: "/etc/nats-config/cluster-server-key.pem"',
    '    ca_file: "/etc/nats-config/cluster-ca-cert.pem" }',
    '}',
  ];
  return [
    `max_payload: ${maxPayload ?? '1MB'}`,
    `port: ${ports.client}`,
    'pid_file: "/var/run/nats/nats.pid"',
    `http: ${ports.monitor}`,
    'server_name: $POD_NAME',
    'jetstream {',
    '  key: "$JS_KEY"',
    '  store_dir: "/data/jetstream/store"',
    `  ${settings ?? versions.jetstream?.settings ?? ''}`,
    '}',
    ...(replicas > 2 ? cluster : []),
    'lame_duck_duration: 30s',
    'include ./auth.conf',
    '',
  ].join('\n');
}

interface Pods {
  readonly base: string;
  readonly service: string;
  readonly labels: Record<string, string>;
  readonly replicas: number;
  readonly version: {
    readonly natsImage?: string;
    readonly metricsExporterImage?: string;
    readonly configReloaderImage?: string;
    readonly startCommand?: string;
  };
}

function statefulSet(spec: JetStreamSpec, { base, service, labels, replicas, version }: Pods): KubeObject {
  const data = dataVolume(spec, spec.persistence ? `${base}-vol` : 'js-data', labels);
  const mounts = [
    { name: 'config-volume', mountPath: '/etc/nats-config' },
    { name: 'pid', mountPath: '/var/run/nats' },
  ];
  const start = version.startCommand ?? '/nats-server';
  const probe = (path: string, more: object) => ({
    httpGet: { path, port: ports.monitor },
    initialDelaySeconds: 10,
    timeoutSeconds: 5,
    ...more,
  });
  const main: Record<string, unknown> = {
    name: 'main',
    image: version.natsImage,
    ports: [
      { name: 'client', containerPort: ports.client },
      { name: 'cluster', containerPort: ports.cluster },
      { name: 'monitor', containerPort: ports.monitor },
    ],
    command: [start, '--config', '/etc/nats-config/nats-js.conf'],
    ...(spec.startArgs ? { args: spec.startArgs } : {}),
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'SERVER_NAME', value: '$(POD_NAME)' },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'CLUSTER_ADVERTISE', value: `$(POD_NAME).${service}.$(POD_NAMESPACE).svc` },
      { name: 'JS_KEY', valueFrom: { secretKeyRef: { name: `${base}-server`, key: 'encryption' } } },
    ],
    volumeMounts: [...mounts, { name: spec.persistence ? `${base}-vol` : 'js-data', mountPath: '/data/jetstream' }],
    startupProbe: probe('/healthz', { failureThreshold: 30 }),
    livenessProbe: probe('/', { periodSeconds: 30 }),
    readinessProbe: probe('/healthz', { periodSeconds: 5 }),
    lifecycle: { preStop: { exec: { command: [start, '-sl=ldm=/var/run/nats/nats.pid'] } } },
  };
  const reloader: Record<string, unknown> = {
    name: 'reloader',
    image: version.configReloaderImage,
    args: ['-pid', '/var/run/nats/nats.pid', '-config', '/etc/nats-config/nats-js.conf'],
    volumeMounts: mounts,
  };
  const metrics: Record<string, unknown> = {
    name: 'metrics',
    image: version.metricsExporterImage,
    ports: [{ name: 'metrics', containerPort: ports.metrics }],
    args: [
      '-connz',
      '-routez',
      '-subz',
      '-varz',
      '-prefix=nats',
      '-use_internal_server_id',
      '-jsz=all',
      `http://localhost:${ports.monitor}`,
    ],
  };
  for (const [container, template] of [
    [main, spec.containerTemplate],
    [reloader, spec.reloaderContainerTemplate],
    [metrics, spec.metricsContainerTemplate],
  ] as const)
    mergeOverride(container, (template ?? {}) as Record<string, unknown>);
  const file = (key: string, path: string) => ({ key, path });
  const sources = [
    { configMap: { name: `${base}-config`, items: [file('nats-js', 'nats-js.conf')] } },
    {
      secret: {
        name: `${base}-server`,
        items: [
          file('auth', 'auth.conf'),
          file('private-key', 'server-key.pem'),
          file('cert', 'server-cert.pem'),
          file('ca-cert', 'ca-cert.pem'),
          file('cluster-private-key', 'cluster-server-key.pem'),
          file('cluster-cert', 'cluster-server-cert.pem'),
          file('cluster-ca-cert', 'cluster-ca-cert.pem'),
        ],
      },
    },
  ];
  return object('apps/v1', 'StatefulSet', base, labels, {
    spec: {
      podManagementPolicy: 'Parallel',
      replicas,
      serviceName: service,
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels: { ...spec.metadata?.labels, ...labels },
          ...(spec.metadata?.annotations ? { annotations: spec.metadata.annotations } : {}),
        },
        spec: {
          ...placement(spec),
          shareProcessNamespace: true,
          terminationGracePeriodSeconds: 60,
          volumes: [{ name: 'pid', emptyDir: {} }, { name: 'config-volume', projected: { sources } }, ...data.volumes],
          containers: [main, reloader, metrics],
        },
      },
      ...(data.claims.length > 0 ? { volumeClaimTemplates: data.claims } : {}),
    },
  });
}
