import { readdirSync, readFileSync } from 'node:fs';

export interface FreezerOptions {
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Resolves after the milliseconds, or as soon as the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Processes that may be frozen. */
  readonly processes: () => readonly number[];
  /** Sends SIGSTOP or SIGCONT; false if there is no such process any more. */
  readonly send: (process: number, signal: 'SIGSTOP' | 'SIGCONT') => boolean;
}

/** Longest time between two freezes and longest freeze, in milliseconds. */
const longestPause = 400;
const longestFreeze = 1500;

/** Freezes one process after another, each for a while, until the signal aborts; none is left frozen. Resolves to how often it froze one. */
export async function freeze({ random, wait, processes, send }: FreezerOptions, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    await wait(random() * longestPause, signal);
    const candidates = processes();
    const chosen = candidates[Math.floor(random() * candidates.length)];
    if (signal.aborted || chosen === undefined || !send(chosen, 'SIGSTOP')) continue;
    count += 1;
    try {
      await wait(random() ** 2 * longestFreeze, signal);
    } finally {
      send(chosen, 'SIGCONT');
    }
  }
  return count;
}

/** All processes below one, its children first. Reads /proc, which only Linux has. */
export function descendants(ancestor: number, parents: ReadonlyMap<number, number> = parentsOfProcesses()): number[] {
  const found: number[] = [ancestor];
  for (const parent of found) for (const [child, its] of parents) if (its === parent) found.push(child);
  return found.slice(1);
}

function parentsOfProcesses(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // `pid (name) state ppid …`, where the name may hold anything.
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch (error) {
      // It ended while we read.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return parents;
}
