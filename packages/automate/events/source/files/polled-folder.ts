import { pause } from '@tiphys/kubernetes';
import type { Metadata } from '../event-data.ts';
import type { SourceContext } from '../source.ts';
import { type FileState, fileData, folderDiff, isWanted, type WatchPath } from './folder-diff.ts';

/** Looks at a remote folder again and again, and tells of what changed. */
export async function pollFolder(
  context: SourceContext<unknown>,
  options: {
    readonly path: WatchPath;
    readonly type: string;
    readonly metadata: Metadata;
    readonly period: number;
    readonly states: () => Promise<Map<string, FileState>>;
    readonly ready: () => void;
  },
): Promise<void> {
  const { path, type, metadata, period, states, ready } = options;
  const { signal, clock } = context;
  let known = await states();
  ready();
  while (!signal.aborted) {
    await pause(clock, period, signal);
    if (signal.aborted) return;
    const now = await states();
    const changes = folderDiff(known, now);
    known = now;
    for (const change of changes)
      if (isWanted(change, path, type))
        await context
          .dispatch(fileData(change, path.directory ?? '', metadata))
          .catch((error: unknown) => context.failed(error));
  }
}
