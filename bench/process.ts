import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** A folder that gets a profile of the processor, of each process that is measured and of its threads. */
const profiles = process.env.TIPHYS_BENCH_PROFILE;

/** What Node is given for `tiphys up` on a free port, as scripts/bootstrap.mjs starts it; `young`: MiB of young objects, where the chart gives a role others. */
export function tiphysUp(args: readonly string[], { young = 16 }: { readonly young?: number } = {}): string[] {
  return [
    '--disable-warning=ExperimentalWarning',
    ...[`--max-semi-space-size=${young}`, '--heap-growing-percent=60'],
    ...(profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : []),
    join(root, 'packages', 'serve', 'cli', 'main.ts'),
    ...['up', '--port', '0', ...args],
  ];
}

/** What `tiphys up` prints when it is ready: its URL, and on its own sandbox the password of `admin`. */
export const isUp = /Tiphys is up:\s+(http\S+)\s+\(user admin(?:, password (\w+))?\)/;

/** A `tiphys up` of its own, so that its memory and processor time are its own too. */
export class TiphysProcess {
  readonly #child: ChildProcess;
  readonly started = performance.now();
  #output = '';
  readonly #waiting: { pattern: RegExp; resolve: (match: RegExpMatchArray) => void; reject: (error: Error) => void }[] =
    [];

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, tiphysUp(args), {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1', XDG_CONFIG_HOME: join(root, '.tiphys', 'bench-config') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
        this.#settle();
      });
    }
    this.#child.on('exit', (code) => {
      for (const { pattern, reject } of this.#waiting.splice(0))
        reject(new Error(`tiphys ended with ${code} before it printed ${pattern}:\n${this.#output.slice(-3000)}`));
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** The first match in what it has printed and will print. */
  printed(pattern: RegExp): Promise<RegExpMatchArray> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ pattern, resolve, reject });
      this.#settle();
    });
  }

  #settle(): void {
    for (const waiting of [...this.#waiting]) {
      const match = this.#output.match(waiting.pattern);
      if (!match) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve(match);
    }
  }

  /** Resident memory in bytes; 0 where /proc does not tell. */
  memory(): number {
    return residentMemory(this.pid);
  }

  /** Highest resident memory so far in bytes. */
  peakMemory(): number {
    return peakMemory(this.pid);
  }

  /** Processor time so far in milliseconds. */
  cpu(): number {
    return processorTime(this.pid);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.kill('SIGINT');
    await ended;
  }
}

/** Processor time of any process so far in milliseconds. */
export function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of any process in bytes. */
export function residentMemory(pid: number): number {
  return procField(pid, 'VmRSS');
}

/**
 * Resident memory in bytes of processes of one program: what each has of its own, and the pages of the program's file once, as pods of one
 * image on one node have them.
 */
export function residentTogether(pids: readonly number[]): number {
  const own = pids.reduce((sum, pid) => sum + procField(pid, 'RssAnon'), 0);
  return own + Math.max(...pids.map((pid) => procField(pid, 'RssFile')));
}

/** Highest resident memory of any process so far in bytes; 0 where /proc does not tell. */
export function peakMemory(pid: number): number {
  return procField(pid, 'VmHWM');
}

function procField(pid: number, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) * 1024;
}
