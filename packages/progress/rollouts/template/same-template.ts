import { type PodTemplate, rolloutNames } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';
import { readablePodTemplate } from './hashes.ts';

type Fields = Record<string, unknown>;

const containerDefaults: Fields = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
};

const podDefaults: Fields = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
  securityContext: {},
  schedulerName: 'default-scheduler',
};

const probeDefaults: Fields = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

/** Whether a stored template is the wanted one but for the hash label and for what the API server fills in. */
export function isSameTemplate(stored: PodTemplate, wanted: PodTemplate): boolean {
  return deepEqual(bare(stored), bare(wanted));
}

function bare(template: PodTemplate): unknown {
  const { metadata = {}, spec = {} } = readablePodTemplate(template);
  const { [rolloutNames.labels.podTemplateHash]: _, ...labels } = metadata.labels ?? {};
  const { serviceAccount: _deprecated, ...pod } = spec as Fields;
  const lists = ['containers', 'initContainers', 'ephemeralContainers'].map(
    (list) => [list, ((pod[list] ?? []) as Fields[]).map(bareContainer)] as const,
  );
  return {
    metadata: { ...metadata, labels, creationTimestamp: undefined },
    spec: without({ ...pod, ...Object.fromEntries(lists) }, podDefaults),
  };
}

function bareContainer(container: Fields): Fields {
  const { imagePullPolicy, ...rest } = without(container, containerDefaults);
  const image = String(rest.image ?? '');
  const isLatest = !/:[^/]+$/.test(image) || image.endsWith(':latest');
  const policy = imagePullPolicy === (isLatest ? 'Always' : 'IfNotPresent') ? undefined : imagePullPolicy;
  const probes = ['livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((name) => rest[name] !== undefined)
    .map((name) => [name, bareProbe(rest[name] as Fields)] as const);
  const ports = (rest.ports as Fields[] | undefined)?.map((port) => without(port, { protocol: 'TCP' }));
  return { ...rest, ...Object.fromEntries(probes), ports, imagePullPolicy: policy };
}

function bareProbe(probe: Fields): Fields {
  const { httpGet, ...rest } = without(probe, probeDefaults);
  return httpGet ? { ...rest, httpGet: without(httpGet as Fields, { scheme: 'HTTP', path: '/' }) } : rest;
}

function without(fields: Fields, defaults: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => !(Object.hasOwn(defaults, name) && deepEqual(value, defaults[name])),
    ),
  );
}
