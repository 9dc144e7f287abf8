import { type Diagnosis, defineDiagnosis, diagnose, type Evidence } from '@tiphys/diagnosis';
import {
  describeKey,
  type KubeObject,
  type ObjectKey,
  pullMeaning,
  sandboxMeaning,
  volumeMeaning,
} from '@tiphys/kubernetes';
import { numberAt, textAt } from '../model/fields.ts';
import { imagePull, notReady } from './pod-trouble.ts';

const mountFailed = defineDiagnosis('VolumeMountFailed', 'A volume of a pod cannot be mounted', 'S15');
const sandboxFailed = defineDiagnosis('PodNetworkFailed', 'A node cannot set up the network of a pod', 'S15');

const timeOf = (event: KubeObject): string =>
  textAt(event, 'lastTimestamp') || textAt(event, 'eventTime') || (event.metadata.creationTimestamp ?? '');

export function newestFirst(a: KubeObject, b: KubeObject): number {
  return timeOf(a) < timeOf(b) ? 1 : -1;
}

export function evidenceOf(event: KubeObject): Evidence {
  const at = textAt(event, 'lastTimestamp') || textAt(event, 'eventTime');
  const times = numberAt(event, 'count');
  return {
    name: `event ${textAt(event, 'reason')}${times && times > 1 ? `, ${times} times` : ''}`,
    value: textAt(event, 'message'),
    ...(at ? { at } : {}),
  };
}

/**
 * A crash as what it is where the kubelet itself ended the container because a probe failed: the exit code is then that of the
 * signal and tells nothing. Unchanged where the events name no such end after `endedAt`.
 */
export function endedByProbe(crash: Diagnosis, events: readonly KubeObject[]): Diagnosis {
  const name = /\[name=([^\]]+)\]/.exec(crash.place?.field ?? '')?.[1];
  if (!name) return crash;
  const killing = [...events].sort(newestFirst).find((event) => {
    const text = textAt(event, 'message');
    return textAt(event, 'reason') === 'Killing' && text.startsWith(`Container ${name} failed `);
  });
  const probe = /failed (liveness|startup) probe/.exec(killing ? textAt(killing, 'message') : '')?.[1];
  if (!killing || !probe) return crash;
  const unhealthy = [...events]
    .sort(newestFirst)
    .find((event) => textAt(event, 'reason') === 'Unhealthy' && /^(liveness|startup)/i.test(textAt(event, 'message')));
  return diagnose(notReady, {
    message: `The kubelet ends container ${name} again and again because its ${probe}Probe fails`,
    place: { ...crash.place, field: `spec.containers[name=${name}].${probe}Probe` },
    evidence: [
      ...(unhealthy ? [evidenceOf(unhealthy)] : []),
      evidenceOf(killing),
      ...crash.evidence.filter(({ name: what }) => what === 'restarts' || what === 'last lines of its log'),
    ],
    remedies: [
      `Correct the ${probe}Probe's path, port or timing (failureThreshold, initialDelaySeconds), or the program that answers it`,
    ],
  });
}

/**
 * A pull that is held back between attempts, with what the last attempt met: kubelets before 1.31 say in the status only that they wait, and the rest in
 * an event. Unchanged where the status says it, or no event does.
 */
export function heldBackPull(pull: Diagnosis, events: readonly KubeObject[]): Diagnosis {
  const said = pull.evidence.find(({ name }) => name === 'what the kubelet says')?.value ?? '';
  const image = /^Back-off pulling image "([^"]{1,1000})"$/.exec(said)?.[1];
  if (!image) return pull;
  const failed = [...events]
    .sort(newestFirst)
    .find(
      (event) =>
        textAt(event, 'reason') === 'Failed' &&
        textAt(event, 'message').startsWith(`Failed to pull image "${image}": `),
    );
  if (!failed) return pull;
  const { text, remedies } = pullMeaning(textAt(failed, 'message'), '', image);
  return diagnose(imagePull, {
    message: pull.message.replace(/cannot be pulled: .*/s, `cannot be pulled: ${text}`),
    place: pull.place ?? {},
    evidence: [...pull.evidence, evidenceOf(failed)],
    remedies,
  });
}

/** What keeps a pod from its containers: a volume that cannot be mounted, or a network that cannot be set up. */
export function podSetupTrouble(key: ObjectKey, event: KubeObject): Diagnosis | undefined {
  const reason = textAt(event, 'reason');
  const message = textAt(event, 'message');
  const place = { object: describeKey(key), field: 'spec.volumes' };
  const evidence = [evidenceOf(event)];
  if (reason === 'FailedMount' || reason === 'FailedAttachVolume') {
    const volume = /for volume "([^"]+)"/.exec(message)?.[1];
    const known = volumeMeaning(message);
    return diagnose(mountFailed, {
      message: `Volume ${volume ?? 'of the pod'} cannot be mounted: ${known?.text ?? message}`,
      place,
      evidence,
      remedies: known?.remedies ?? [
        reason === 'FailedAttachVolume'
          ? 'See which node holds the volume (kubectl get volumeattachments), and the log of its storage driver'
          : 'Correct spec.volumes, or see the log of the storage driver on the node',
      ],
    });
  }
  if (reason !== 'FailedCreatePodSandBox') return undefined;
  const known = sandboxMeaning(message);
  return diagnose(sandboxFailed, {
    message: `The node cannot set up the pod: ${known?.text ?? message}`,
    place: { object: describeKey(key) },
    evidence,
    remedies: known?.remedies ?? ['See the log of the network plugin (CNI) and of the container runtime on the node'],
  });
}
