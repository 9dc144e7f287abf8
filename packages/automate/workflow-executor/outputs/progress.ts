import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { say } from '../pod/say.ts';
import { messageOf } from '../pod/termination-log.ts';
import { watchFile } from '../pod/watch-file.ts';
import type { Work } from '../work/work.ts';

/** The last line is short, and it alone counts. */
const tail = 256;

/** Reports the progress that the user's command writes to its file, as `N/M`, at most once each tick. Resolves when the signal aborts. */
export async function followProgress({ context, report, clock }: Work, signal: AbortSignal): Promise<void> {
  if (!context.progress) return;
  const { file, tick } = context.progress;
  let latest: string | undefined;
  const watched = watchFile(
    file,
    () => {
      latest = lastProgress(file) ?? latest;
      return false;
    },
    signal,
  ).catch((error: unknown) => {
    if (!signal.aborted) say(`the progress in ${file} is not followed: ${messageOf(error)}`, 'warning');
  });
  let reported: string | undefined;
  while (!signal.aborted) {
    await clock.sleep(tick, signal).catch(() => undefined);
    if (signal.aborted || !latest || latest === reported) continue;
    const progress = latest;
    try {
      await report.write({ progress });
      reported = progress;
    } catch (error) {
      say(`the progress was not reported: ${messageOf(error)}`, 'warning');
    }
  }
  await watched;
}

function lastProgress(file: string): string | undefined {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    const buffer = Buffer.alloc(Math.min(size, tail));
    readSync(handle, buffer, 0, buffer.length, Math.max(0, size - tail));
    const last = buffer.toString('utf8').trim().split('\n').at(-1)?.trim() ?? '';
    return /^\d{1,9}\/\d{1,9}$/.test(last) ? last : undefined;
  } finally {
    closeSync(handle);
  }
}
