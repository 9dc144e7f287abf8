import { ApiError, type Client, isNotFound, readLines } from '@tiphys/kubernetes';

/** With which rights something is read, and until when. */
export interface Reading {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** PodLogOptions of Kubernetes as they come in. */
export interface LogOptions {
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

export interface Line {
  readonly time: string;
  readonly text: string;
}

/** The lines of a container with their times; none for a pod that is gone. */
export async function* podLines(
  { client, signal }: Reading,
  pod: { namespace: string; name: string },
  options: LogOptions,
): AsyncIterable<Line> {
  const { timestamps, ...rest } = options;
  try {
    const asked = { ...rest, container: options.container || 'main', timestamps: true, signal };
    for await (const line of readLines(client.logs(pod, asked))) yield lineOf(line, timestamps === true);
  } catch (error) {
    if (!signal.aborted && !isOfContainer(error)) throw error;
  }
}

/** A container that never began, or a node that does not answer, has no log: the others are told nevertheless. */
function isOfContainer(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ApiError && (error.status === 400 || error.status >= 500));
}

function lineOf(line: string, withTime: boolean): Line {
  const at = line.indexOf(' ');
  const time = at < 0 ? line : line.slice(0, at);
  if (Number.isNaN(Date.parse(time))) return { time: '9', text: line };
  return { time, text: withTime ? line : at < 0 ? '' : line.slice(at + 1) };
}
