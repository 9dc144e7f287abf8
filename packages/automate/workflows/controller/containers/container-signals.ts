import { type Client, isNotFound } from '@tiphys/kubernetes';
import type { PodObject } from './pod-object.ts';

/** Sends signals to the containers of a pod, by the emissary that runs in each. */
export class ContainerSignals {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The seconds that the pod has to end; undefined if its containers cannot be reached: then it has to be deleted to end it. */
  async send(
    namespace: string,
    name: string,
    { signal, abort }: { signal: 'TERM' | 'KILL'; abort: AbortSignal },
  ): Promise<number | undefined> {
    const pod = await this.#find(namespace, name);
    if (!pod) return 0;
    const grace = pod.spec.terminationGracePeriodSeconds ?? 30;
    if (pod.status?.phase !== 'Running') return pod.status?.phase === 'Pending' ? undefined : grace;
    const running = (pod.status.containerStatuses ?? []).filter(({ state }) => state?.running);
    const sent = await Promise.all(
      running.map(async ({ name: container }) => {
        const isSent = await this.#kill(pod, { container, signal, abort });
        // it ends by itself once the others have, but for those that could not even write how they ended
        return isSent || container === 'wait';
      }),
    );
    return sent.every(Boolean) ? grace : undefined;
  }

  async #find(namespace: string, name: string): Promise<PodObject | undefined> {
    try {
      return await this.#client.find<PodObject>({ apiVersion: 'v1', kind: 'Pod', namespace, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #kill(
    pod: PodObject,
    { container, signal, abort }: { container: string; signal: 'TERM' | 'KILL'; abort: AbortSignal },
  ): Promise<boolean> {
    const { namespace = '', name = '', annotations } = pod.metadata;
    const own = annotations?.[`workflows.argoproj.io/kill-cmd-${container}`];
    const number = signal === 'TERM' ? '15' : '9';
    const command = own ? killCommand(own, number) : emissaryKill(pod, container, number);
    if (!command) return false;
    try {
      const terminal = await this.#client.terminal({ namespace, name }, { container, command, signal: abort });
      for await (const chunk of terminal.output) void chunk;
      await terminal.ended;
      return true;
    } catch {
      // no shell, no executor, no exec at all: the caller deletes the pod instead
      return false;
    }
  }
}

function killCommand(text: string, signal: string): string[] | undefined {
  try {
    const command = JSON.parse(text.replaceAll('%d', signal)) as unknown;
    return Array.isArray(command) ? command.map(String) : undefined;
  } catch {
    return undefined;
  }
}

/** The executor that the container began with can signal its child; a container without one may have a shell. */
function emissaryKill(pod: PodObject, container: string, signal: string): string[] {
  const command = pod.spec.containers.find(({ name }) => name === container)?.command ?? [];
  const at = command.indexOf(container === 'wait' ? 'wait' : 'emissary');
  return at < 0 ? ['/bin/sh', '-c', `kill -${signal} 1`] : [...command.slice(0, at), 'kill', signal, '1'];
}
