import type { Container, Pod, Probe } from '@tiphys/kube-controllers';
import { printed, type Script, shellScript } from './shell-script.ts';

/** On a pod (or a pod template): tells the simulated node how its containers behave. */
export const behaviorAnnotation = 'sandbox.tiphys.dev/behavior';

/** The words of the annotation, for the event that refuses others. */
export const behaviorWords =
  'image-pull-error, invalid-image, config-error, crash-loop, oom, exit:CODE, run:TIME, never-ready, unhealthy, slow:TIME, stop:TIME';

/** How one container behaves. Times in milliseconds. */
export interface ContainerBehavior {
  script: Script;
  /** Why the image can't be had, in the words of the container runtime. */
  pullError?: { reason: 'ErrImagePull' | 'InvalidImageName' | 'ErrImageNeverPull'; message: string };
  configError?: string;
  /** Why its program can't be started, in the words of the container runtime. */
  startError?: string;
  startDelay: number;
  stopDelay: number;
  exitReason?: string;
  readiness?: string;
  liveness?: string;
  startup?: string;
}

export interface BehaviorDefaults {
  startDelay: number;
  stopDelay: number;
}

const absentTag =
  /(does-?not-?exist|no-?such|non-?existent|not-?exist|not-?found|missing|invalid-tag|bad-tag|broken-tag)/i;

/** What a container does, from its image and command, its probes and the pod's annotation. */
export function containerBehavior(pod: Pod, container: Container, defaults: BehaviorDefaults): ContainerBehavior {
  const env = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value ?? '']));
  const sidecar = container.restartPolicy === 'Always';
  const isInit = pod.spec.initContainers?.some(({ name }) => name === container.name) ?? false;
  const ends = !sidecar && (isInit || pod.spec.restartPolicy === 'Never' || pod.spec.restartPolicy === 'OnFailure');
  const pullError = imageError(container.image ?? '', container.imagePullPolicy);
  const behavior: ContainerBehavior = {
    script: shellScript([...(container.command ?? []), ...(container.args ?? [])], env, ends),
    ...(pullError ? { pullError } : {}),
    ...missingProgram(container),
    ...defaults,
    ...probeFailures(container),
  };
  return wordsFor(pod, container.name).reduce((so, word) => withWord(so, word, container), behavior);
}

/** The words of the annotation that are not understood. */
export function unknownBehaviors(pod: Pod): string[] {
  const words = behaviorsOf(pod).map(({ word }) => word);
  return words.filter(
    (word) =>
      !/^(image-pull-error|invalid-image|config-error|crash-loop|oom|never-ready|unhealthy)$/.test(word) &&
      !/^exit:\d+$/.test(word) &&
      !(/^(run|slow|stop):/.test(word) && time(word) !== undefined),
  );
}

function behaviorsOf(pod: Pod): { container?: string; word: string }[] {
  const text = pod.metadata.annotations?.[behaviorAnnotation] ?? '';
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
    .map((item) => {
      const equals = item.indexOf('=');
      return equals < 0 ? { word: item } : { container: item.slice(0, equals), word: item.slice(equals + 1) };
    });
}

function wordsFor(pod: Pod, container: string): string[] {
  const isMain = pod.spec.containers.some(({ name }) => name === container);
  return behaviorsOf(pod)
    .filter((behavior) => (behavior.container === undefined ? isMain : behavior.container === container))
    .map(({ word }) => word);
}

function withWord(behavior: ContainerBehavior, word: string, container: Container): ContainerBehavior {
  const value = word.slice(word.indexOf(':') + 1);
  const ms = time(word) ?? 0;
  const run = (exit: number, wait: number): Script => ({ steps: [...prints(behavior.script), { wait }], exit });
  if (word === 'image-pull-error') return { ...behavior, pullError: notFound(container.image ?? '') };
  if (word === 'invalid-image') return { ...behavior, pullError: invalidName(container.image ?? '') };
  if (word === 'config-error') return { ...behavior, configError: 'configmap "missing" not found' };
  if (word === 'crash-loop') return { ...behavior, script: run(1, 1000) };
  if (word === 'oom') return { ...behavior, script: run(137, 1000), exitReason: 'OOMKilled' };
  if (word === 'never-ready') return { ...behavior, readiness: 'HTTP probe failed with statuscode: 503' };
  if (word === 'unhealthy') return { ...behavior, liveness: 'HTTP probe failed with statuscode: 503' };
  if (word.startsWith('exit:')) return { ...behavior, script: run(Number(value) & 255, 0) };
  if (word.startsWith('run:')) return { ...behavior, script: run(behavior.script.exit ?? 0, ms) };
  if (word.startsWith('slow:')) return { ...behavior, startDelay: ms };
  if (word.startsWith('stop:')) return { ...behavior, stopDelay: ms };
  return behavior;
}

function prints(script: Script) {
  return script.steps.filter((step) => 'print' in step);
}

function time(word: string): number | undefined {
  const match = /^[a-z]+:(\d+)(ms|s|m|h)$/.exec(word);
  return match ? Number(match[1]) * ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] as 's'] ?? 1) : undefined;
}

/** The full name of an image: `nginx` → `docker.io/library/nginx:latest`. */
export function fullImageName(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const name = isHost(first) ? image : slash < 0 ? `docker.io/library/${image}` : `docker.io/${image}`;
  return /[:@][^/]*$/.test(name) ? name : `${name}:latest`;
}

/** A program that is called like none that there is. */
function missingProgram({ command: [program = ''] = [] }: Container): { startError?: string } {
  if (!absentTag.test(program.slice(program.lastIndexOf('/') + 1))) return {};
  const why = program.includes('/')
    ? `stat ${program}: no such file or directory`
    : 'executable file not found in $PATH';
  const failed =
    'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed';
  return {
    startError: `${failed}: unable to start container process: exec: ${JSON.stringify(program)}: ${why}: unknown`,
  };
}

function imageError(image: string, policy: string | undefined): ContainerBehavior['pullError'] {
  const repository = image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  if (/[^-A-Za-z0-9./:_@]/.test(image) || image === '' || /[A-Z]/.test(pathOf(repository))) return invalidName(image);
  const tag = /:([^/:@]+)(@|$)/.exec(image.slice(image.lastIndexOf('/') + 1))?.[1] ?? '';
  const host = fullImageName(image).split('/')[0] ?? '';
  const absent = absentTag.test(tag) || absentTag.test(repository.slice(repository.lastIndexOf('/') + 1));
  if (absent && policy === 'Never')
    return {
      reason: 'ErrImageNeverPull',
      message: `Container image "${image}" is not present with pull policy of Never`,
    };
  if (/\.invalid(:\d+)?$/.test(host)) return noSuchHost(image, host);
  return absent ? notFound(image) : undefined;
}

function invalidName(image: string): NonNullable<ContainerBehavior['pullError']> {
  const why =
    /[A-Z]/.test(image) && !/[^-A-Za-z0-9./:_@]/.test(image)
      ? `invalid reference format: repository name (${pathOf(image.replace(/:[^/]*$/, ''))}) must be lowercase`
      : 'invalid reference format';
  return {
    reason: 'InvalidImageName',
    message: `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${why}`,
  };
}

/** Whether the first part of a name is a host: it has a dot, a colon or capital letters, or is `localhost`. */
function isHost(part: string): boolean {
  return /[.:A-Z]/.test(part) || part === 'localhost';
}

/** A repository without its host. */
function pathOf(repository: string): string {
  const slash = repository.indexOf('/');
  const host = repository.slice(0, Math.max(slash, 0));
  const library = slash < 0 && /[A-Z]/.test(repository) ? 'library/' : '';
  return isHost(host) ? repository.slice(slash + 1) : `${library}${repository}`;
}

function notFound(image: string): NonNullable<ContainerBehavior['pullError']> {
  const name = fullImageName(image);
  return {
    reason: 'ErrImagePull',
    message: `rpc error: code = NotFound desc = failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found`,
  };
}

function noSuchHost(image: string, host: string): NonNullable<ContainerBehavior['pullError']> {
  const name = fullImageName(image);
  const path = name.slice(host.length + 1).replace(/[:@].*$/, '');
  return {
    reason: 'ErrImagePull',
    message: `failed to pull and unpack image "${name}": failed to resolve reference "${name}": failed to do request: Head "https://${host}/v2/${path}/manifests/${name.slice(name.lastIndexOf(':') + 1)}": dial tcp: lookup ${host}: no such host`,
  };
}

function probeFailures(container: Container): Pick<ContainerBehavior, 'readiness' | 'liveness' | 'startup'> {
  const [readiness, liveness, startup] = [
    container.readinessProbe,
    container.livenessProbe,
    container.startupProbe,
  ].map(probeFailure);
  return {
    ...(readiness === undefined ? {} : { readiness }),
    ...(liveness === undefined ? {} : { liveness }),
    ...(startup === undefined ? {} : { startup }),
  };
}

/** Why a probe fails: a path that does not exist, or a command that ends badly. */
function probeFailure(probe: Probe | undefined): string | undefined {
  if (/does-?not-?exist|not-?found|no-?such/.test(probe?.httpGet?.path ?? ''))
    return 'HTTP probe failed with statuscode: 404';
  if (!probe?.exec?.command) return undefined;
  const script = shellScript(probe.exec.command, {}, true);
  return script.exit ? printed(script).join('') : undefined;
}
