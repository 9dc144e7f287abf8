import { ApiError, type Client, isNotFound } from '@tiphys/kubernetes';

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

/** A line without an end is given out in parts of this many characters. */
const longest = 1024 * 1024;

/** The lines of a container with their times; none for a pod that is gone. */
export async function* podLines(
  { client, signal }: Reading,
  pod: { namespace: string; name: string },
  options: LogOptions,
): AsyncIterable<Line> {
  const decoder = new TextDecoder();
  const { timestamps, ...rest } = options;
  let pending = '';
  try {
    for await (const chunk of client.logs(pod, {
      ...rest,
      container: options.container || 'main',
      timestamps: true,
      signal,
    })) {
      pending += decoder.decode(chunk, { stream: true });
      const lines = pending.split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) yield lineOf(line, timestamps === true);
      if (pending.length > longest) {
        yield lineOf(pending, timestamps === true);
        pending = '';
      }
    }
  } catch (error) {
    if (!signal.aborted && !isOfContainer(error)) throw error;
    return;
  }
  if (pending) yield lineOf(pending, timestamps === true);
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
