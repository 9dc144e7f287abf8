import { watch } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { pause } from '@tiphys/kubernetes';
import { type SpecProblem, within } from '../../spec/spec-problem.ts';
import type { Metadata } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import {
  type FileState,
  fileData,
  folderDiff,
  isWanted,
  operationProblem,
  type WatchPath,
  watchPathProblem,
} from './folder-diff.ts';

export interface FileSpec {
  readonly eventType?: string;
  readonly watchPathConfig?: WatchPath;
  readonly polling?: boolean;
  readonly metadata?: Metadata;
}

const pollPeriod = 100;

const folderUnreadable = defineDiagnosis(
  'WatchedFolderUnreadable',
  'The folder that an EventSource watches is not there, or cannot be read',
);

export function fileProblem({ eventType, watchPathConfig }: FileSpec): SpecProblem | undefined {
  return operationProblem('eventType', eventType) ?? within('watchPathConfig', watchPathProblem(watchPathConfig ?? {}));
}

/** Hears of the files of a folder, by the file system or by polling. */
export const listen: Listen<FileSpec> = async (context, ready) => {
  const { spec, signal, clock } = context;
  const directory = spec.watchPathConfig?.directory ?? '';
  const look = lookAgain(context, directory, await statesOf(directory));
  if (spec.polling) {
    ready();
    while (!signal.aborted) {
      await pause(clock, pollPeriod, signal);
      await look();
    }
    return;
  }
  const watcher = watch(directory, { signal });
  const broken = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => broken.resolve(), { once: true });
  watcher.on('change', () => void look().catch(broken.reject));
  watcher.on('error', (error) => (signal.aborted ? broken.resolve() : broken.reject(error)));
  // what happened while the watcher was made
  await look();
  ready();
  await broken.promise;
};

/** Looks at the folder and tells of what is new since the last look, one look after the other. */
function lookAgain(
  context: SourceContext<FileSpec>,
  directory: string,
  first: Map<string, FileState>,
): () => Promise<void> {
  const { spec } = context;
  let known = first;
  let turn: Promise<void> = Promise.resolve();
  return () => {
    turn = turn.then(async () => {
      const now = await statesOf(directory);
      const changes = folderDiff(known, now);
      known = now;
      for (const change of changes)
        if (isWanted(change, spec.watchPathConfig ?? {}, spec.eventType ?? ''))
          await context
            .dispatch(fileData(change, directory, spec.metadata))
            .catch((error: unknown) => context.failed(error));
    });
    return turn;
  };
}

async function statesOf(directory: string): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>();
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    throw folderFailure(directory, error);
  });
  for (const name of names) {
    const stat = await lstat(join(directory, name)).catch(() => undefined);
    if (stat)
      states.set(name, { id: `${stat.dev}:${stat.ino}`, modified: stat.mtimeMs, size: stat.size, mode: stat.mode });
  }
  return states;
}

function folderFailure(directory: string, error: NodeJS.ErrnoException) {
  const told: Record<string, [string, string]> = {
    ENOENT: [`There is no folder ${directory}`, 'Create the folder where the EventSource runs, or mount it in its pod'],
    ENOTDIR: [`${directory} is not a folder`, 'Name the folder, and the file by path or pathRegexp'],
    EACCES: [
      `The folder ${directory} may not be read`,
      'Let the user of the process read it (spec.template.securityContext)',
    ],
  };
  const [message, remedy] = told[error.code ?? ''] ?? [
    `The folder ${directory} cannot be read: ${error.message}`,
    'Correct what the message names',
  ];
  return failure(
    folderUnreadable,
    { message, place: { field: 'watchPathConfig.directory' }, remedies: [remedy] },
    { cause: error },
  );
}
