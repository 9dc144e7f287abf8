import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, endingOf, type KubeObject, keyOf, pullMeaning, startRemedies } from '@tiphys/kubernetes';
import { isObject, type JsonObject, numberAt, objectAt, objectsAt, textAt, valueAt } from '../model/fields.ts';
import { conditionOf } from './conditions.ts';
import { heldByGate, waitingForGate } from './pod-waiting.ts';
import { unschedulablePod } from './scheduling-trouble.ts';

export const imagePull = defineDiagnosis('ImagePullFailed', 'A container image cannot be pulled', 'S10');
export const crashLoop = defineDiagnosis('ContainerCrashing', 'A container exits again and again', 'S11');
const outOfMemory = defineDiagnosis(
  'ContainerOutOfMemory',
  'A container was killed for using more memory than its limit',
  'S12',
);
const configError = defineDiagnosis(
  'ContainerConfigError',
  'A container cannot be created from what its pod refers to',
  'S15',
);
const podFailed = defineDiagnosis('PodFailed', 'A pod that runs to its end has failed', 'S3');
export const notReady = defineDiagnosis('ProbeFailing', 'A container runs but its probe fails', 'S13');

/** Why a pod does not do its work, from what its own status says; undefined while nothing is wrong. */
export function podTrouble(pod: KubeObject): Diagnosis | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return unschedulablePod(pod, scheduled.message);
  // a container that ends because its pod is deleted, as in a scale-down, is no crash
  if (pod.metadata.deletionTimestamp) return undefined;
  const waiting = heldByGate(pod) ?? waitingForGate(pod);
  if (waiting) return waiting;
  for (const list of ['initContainerStatuses', 'containerStatuses']) {
    for (const container of objectsAt(pod, 'status', list)) {
      const found = containerTrouble(pod, container);
      if (found) return found;
    }
  }
  if (textAt(pod, 'status', 'phase') === 'Failed') return failedPod(pod);
  return notReadyPod(pod);
}

/** A container that runs and is not ready: what its readiness or startup probe asks. True of every start, so it only explains waiting. */
function notReadyPod(pod: KubeObject): Diagnosis | undefined {
  for (const container of objectsAt(pod, 'status', 'containerStatuses')) {
    if (container['ready'] === true || !isObject(valueAt(container, 'state', 'running'))) continue;
    const spec = specOf(pod, container);
    const kind = container['started'] === false && isObject(spec['startupProbe']) ? 'startupProbe' : 'readinessProbe';
    const probe = spec[kind];
    if (!isObject(probe)) continue;
    const since = textAt(container, 'state', 'running', 'startedAt');
    return diagnose(notReady, {
      message: `Container ${textAt(container, 'name')} runs but is not ready: its ${kind} (${describeProbe(probe)}) has not succeeded`,
      place: { object: describeKey(keyOf(pod)), field: `spec.containers[name=${textAt(container, 'name')}].${kind}` },
      evidence: { 'running since': since || undefined, restarts: numberAt(container, 'restartCount') },
      remedies: ["Correct the probe's path, port or timing, or the program that answers it"],
    });
  }
  return undefined;
}

function describeProbe(probe: JsonObject): string {
  const http = probe['httpGet'];
  if (isObject(http)) return `GET ${textAt(http, 'path') || '/'} on port ${String(http['port'])}`;
  const tcp = probe['tcpSocket'];
  if (isObject(tcp)) return `TCP port ${String(tcp['port'])}`;
  const grpc = probe['grpc'];
  if (isObject(grpc)) return `gRPC port ${String(grpc['port'])}`;
  const command = valueAt(probe, 'exec', 'command');
  return Array.isArray(command) ? command.join(' ') : 'no handler';
}

function containerTrouble(pod: KubeObject, container: JsonObject): Diagnosis | undefined {
  const reason = textAt(container, 'state', 'waiting', 'reason');
  const message = textAt(container, 'state', 'waiting', 'message');
  if (/ImagePull|ErrImage|InvalidImageName|RegistryUnavailable/.test(reason))
    return imageTrouble(pod, container, reason, message);
  if (/ConfigError|CreateContainerError|RunContainerError|PreStartHookError/.test(reason))
    return configTrouble(pod, container, reason, message);
  const last = [valueAt(container, 'state', 'terminated'), valueAt(container, 'lastState', 'terminated')].find(
    isObject,
  );
  const ready = container['ready'] === true;
  if (last && !ready && textAt(last, 'reason') === 'OOMKilled') return memoryTrouble(pod, container, last);
  // what is not restarted does not crash again and again: it has failed once
  if (textAt(pod, 'spec', 'restartPolicy') === 'Never') return undefined;
  if (reason === 'CrashLoopBackOff' || (last && !ready && (numberAt(last, 'exitCode') ?? 0) !== 0))
    return crashTrouble(pod, container, last);
  return undefined;
}

const placeOf = (pod: KubeObject, container?: JsonObject) => ({
  object: describeKey(keyOf(pod)),
  ...(container ? { field: `spec.containers[name=${textAt(container, 'name')}]` } : {}),
});

function specOf(pod: KubeObject, container: JsonObject): JsonObject {
  const name = textAt(container, 'name');
  return (
    [...objectsAt(pod, 'spec', 'containers'), ...objectsAt(pod, 'spec', 'initContainers')].find(
      (entry) => entry['name'] === name,
    ) ?? {}
  );
}

function imageTrouble(pod: KubeObject, container: JsonObject, reason: string, message: string): Diagnosis {
  const image = textAt(container, 'image') || textAt(specOf(pod, container), 'image');
  const cause = pullMeaning(message, reason, image);
  const secrets = objectsAt(pod, 'spec', 'imagePullSecrets').map((secret) => textAt(secret, 'name'));
  return diagnose(imagePull, {
    message: `Image ${image} of container ${textAt(container, 'name')} cannot be pulled: ${cause.text}`,
    place: placeOf(pod, container),
    evidence: { reason, 'what the kubelet says': message || undefined, 'pull secrets': secrets.join(', ') || 'none' },
    remedies: cause.remedies,
  });
}

function configTrouble(pod: KubeObject, container: JsonObject, reason: string, message: string): Diagnosis {
  return diagnose(configError, {
    message: `Container ${textAt(container, 'name')} cannot be started: ${message || reason}`,
    place: placeOf(pod, container),
    evidence: { reason },
    remedies: startRemedies(message),
  });
}

function memoryTrouble(pod: KubeObject, container: JsonObject, last: JsonObject): Diagnosis {
  const limit = objectAt(specOf(pod, container), 'resources', 'limits')['memory'];
  return diagnose(outOfMemory, {
    message: `Container ${textAt(container, 'name')} was killed for using more memory than ${limit === undefined ? 'the node had' : `its limit of ${String(limit)}`}`,
    place: placeOf(pod, container),
    evidence: {
      'exit code': numberAt(last, 'exitCode'),
      restarts: numberAt(container, 'restartCount'),
      'killed at': textAt(last, 'finishedAt') || undefined,
    },
    remedies: ['Raise resources.limits.memory of the container, or lower what it uses'],
  });
}

function crashTrouble(pod: KubeObject, container: JsonObject, last: JsonObject | undefined): Diagnosis {
  const code = last ? numberAt(last, 'exitCode') : undefined;
  const name = textAt(container, 'name');
  const { how, meaning, remedy, signal } = endingOf(code, last ? textAt(last, 'message') : '');
  const probes = ['livenessProbe', 'startupProbe'].filter((probe) => isObject(specOf(pod, container)[probe]));
  return diagnose(crashLoop, {
    message: `Container ${name} ${how} and is restarted again and again`,
    place: placeOf(pod, container),
    evidence: {
      'exit code': code,
      [signal ? 'signal' : 'meaning']: meaning,
      reason: last ? textAt(last, 'reason') || undefined : undefined,
      restarts: numberAt(container, 'restartCount'),
      'last words': last ? textAt(last, 'message') || undefined : undefined,
      'ended at': last ? textAt(last, 'finishedAt') || undefined : undefined,
    },
    remedies: [
      {
        text: "Read the last container's log",
        paste: `kubectl logs -n ${pod.metadata.namespace ?? ''} ${pod.metadata.name ?? ''} -c ${name} --previous`,
      },
      ...(signal && probes.length > 0
        ? [`See whether the kubelet ends it because its ${probes.join(' or ')} fails: kubectl describe pod`]
        : []),
      remedy,
    ],
  });
}

function failedPod(pod: KubeObject): Diagnosis {
  const failed = [
    ...objectsAt(pod, 'status', 'initContainerStatuses'),
    ...objectsAt(pod, 'status', 'containerStatuses'),
  ].find((container) => (numberAt(container, 'state', 'terminated', 'exitCode') ?? 0) !== 0);
  const code = failed ? numberAt(failed, 'state', 'terminated', 'exitCode') : undefined;
  const reason = textAt(pod, 'status', 'reason');
  return diagnose(podFailed, {
    message: failed
      ? `Container ${textAt(failed, 'name')} failed with exit code ${code}`
      : `The pod failed${reason ? `: ${reason}` : ''}`,
    place: placeOf(pod, failed),
    evidence: { reason: reason || undefined, message: textAt(pod, 'status', 'message') || undefined },
    remedies: [
      { text: 'Read its log', paste: `kubectl logs -n ${pod.metadata.namespace ?? ''} ${pod.metadata.name ?? ''}` },
    ],
  });
}
