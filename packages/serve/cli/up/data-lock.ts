import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { processFacts } from '@tiphys/inbound';

const dataFolderInUse = defineDiagnosis('DataFolderInUse', 'Another process keeps its state in the data folder');

/** Who holds a data folder. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, in the kernel's count: a number that is used again stands for another process. */
  readonly began: string;
  readonly since: string;
}

const attempts = 3;

/**
 * Takes a data folder for this process alone, and returns how to give it back. Throws with who holds it if somebody does; what
 * a process left that is no more is taken over.
 */
export function lockDataFolder(folder: string, now: Date = new Date()): () => void {
  const file = join(folder, 'lock.json');
  const own: Holder = { pid: process.pid, host: hostname(), began: beganOf(process.pid), since: now.toISOString() };
  const text = JSON.stringify(own);
  for (let attempt = 1; ; attempt++) {
    try {
      writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
      return () => {
        if (textOf(file) === text) rmSync(file, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = holderOf(textOf(file));
      if (attempt >= attempts || (holder && isAlive(holder))) throw inUse(folder, file, holder);
      rmSync(file, { force: true });
    }
  }
}

function isAlive({ pid, host, began }: Holder): boolean {
  // of another machine on a shared disk nothing can be known from here
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return began === '' || began === beganOf(pid);
}

/** Field 22 of /proc/PID/stat; empty where there is none. */
function beganOf(pid: number): string {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function holderOf(text: string): Holder | undefined {
  try {
    const found = JSON.parse(text) as Partial<Holder>;
    return typeof found.pid === 'number' && typeof found.host === 'string'
      ? { pid: found.pid, host: found.host, began: found.began ?? '', since: found.since ?? '' }
      : undefined;
  } catch {
    return undefined;
  }
}

function inUse(folder: string, file: string, holder: Holder | undefined) {
  const facts = holder && holder.host === hostname() ? processFacts(holder.pid) : undefined;
  const who = holder
    ? `process ${holder.pid}${facts ? ` (${facts.name})` : ''} of ${holder.host} since ${holder.since}`
    : 'another process';
  return failure(dataFolderInUse, {
    message: `The data folder ${folder} is used by ${who}; stop it, or start with another --data`,
    place: { field: '--data' },
    evidence: { lock: file, command: facts?.command },
    remedies: ['Stop that process, or start with another --data'],
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
