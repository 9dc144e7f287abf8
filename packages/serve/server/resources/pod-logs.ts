import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { ApiError, type Client, type PodLogOptions, readLines } from '@tiphys/kubernetes';

export interface LogLine {
  readonly pod: string;
  readonly content: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** As the node wrote it, with nanoseconds; Go's zero time for what no node wrote. */
  readonly time: string;
}

/** What clients in Go read as no time. */
const noTime = '0001-01-01T00:00:00Z';

/**
 * The logs of several pods as one: in order of time as far as lines are there already. A pod whose log cannot be
 * opened gives one line that says why.
 */
export async function* mergedLogs(
  client: Client,
  pods: readonly { namespace: string; name: string }[],
  options: PodLogOptions,
): AsyncIterable<LogLine> {
  const sources = pods.map((pod) => linesOf(client, pod, options)[Symbol.asyncIterator]());
  const heads = new Map(sources.map((source, index) => [index, pull(source, index)]));
  const ready = new Map<number, LogLine>();
  try {
    while (heads.size > 0 || ready.size > 0) {
      // without follow every log is finite: wait for all heads, so that the order is exact
      const settled =
        options.follow && ready.size === 0
          ? [await Promise.race(heads.values())]
          : options.follow
            ? []
            : await Promise.all(heads.values());
      for (const { index, line } of settled) {
        heads.delete(index);
        if (line) ready.set(index, line);
      }
      const first = [...ready].sort((a, b) => a[1].at - b[1].at)[0];
      if (!first) continue;
      ready.delete(first[0]);
      heads.set(first[0], pull(sources[first[0]] as AsyncIterator<LogLine>, first[0]));
      yield first[1];
    }
  } finally {
    await Promise.allSettled(sources.map((source) => source.return?.()));
  }
}

async function pull(
  source: AsyncIterator<LogLine>,
  index: number,
): Promise<{ index: number; line: LogLine | undefined }> {
  const next = await source.next();
  return { index, line: next.done ? undefined : next.value };
}

/** What an API server says whose node does not know the path of logs. */
const unserved = 'the server could not find the requested resource';

async function* linesOf(
  client: Client,
  pod: { namespace: string; name: string },
  options: PodLogOptions,
): AsyncIterable<LogLine> {
  try {
    for await (const line of readLines(client.logs(pod, options))) yield parseLine(pod.name, line);
  } catch (error) {
    if (options.signal?.aborted) return;
    const words = error instanceof ApiError ? (error.body as { message?: string } | undefined)?.message : undefined;
    const content = words?.startsWith(unserved)
      ? `${pod.name}: its node keeps no logs. Simulated nodes of the sandbox run nothing that could write one: start it with --runtime process`
      : words || formatDiagnosis(diagnosisOf(error));
    yield { pod: '', content, at: 0, time: noTime };
  }
}

/** `2024-01-02T03:04:05.678901234Z text`; a line without a time is given as it is. */
function parseLine(pod: string, line: string): LogLine {
  const space = line.indexOf(' ');
  const time = space < 0 ? line : line.slice(0, space);
  const at = Date.parse(time);
  if (Number.isNaN(at)) return { pod, content: line, at: 0, time: '' };
  return { pod, content: space < 0 ? '' : line.slice(space + 1), at, time };
}
