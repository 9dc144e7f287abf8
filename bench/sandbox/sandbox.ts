import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startControlPlane } from '../../scripts/cluster/control-plane.ts';
import { residentMemory } from '../process.ts';
import { markdownTable, median } from '../table.ts';
import { load, type Measured } from './sandbox-load.ts';

/** `start` until the process serves, `ready` once its program is loaded; the same where that cannot be told apart. In milliseconds. */
type Started = Measured & { readonly start: number; readonly ready: number };

interface Row {
  name: string;
  of: (measured: Started) => number;
  text: (value: number) => string;
  /** More is better, as of a rate. */
  more: boolean;
}

const perSecond = (value: number) => `${Math.round(value)}/s`;
const milliseconds = (value: number) => `${Math.round(value)} ms`;
const rates: [name: string, key: keyof Measured][] = [
  ['create a ConfigMap', 'createRate'],
  ['create a Deployment', 'deploymentRate'],
  ['get', 'getRate'],
  ['update', 'updateRate'],
  ['merge patch', 'patchRate'],
  ['server-side apply', 'applyRate'],
  ['delete', 'deleteRate'],
  ['events to 100 watchers', 'fanOutRate'],
];
const rows = (objects: number): Row[] => [
  { name: 'start: process to ready', of: ({ start }) => start, text: milliseconds, more: false },
  { name: 'start: loaded program to ready', of: ({ ready }) => ready, text: milliseconds, more: false },
  ...rates.map(([name, key]): Row => ({ name, of: (measured) => measured[key], text: perSecond, more: true })),
  { name: `list ${objects}`, of: ({ list }) => list, text: milliseconds, more: false },
  { name: `list ${objects} in pages of 500`, of: ({ listPaged }) => listPaged, text: milliseconds, more: false },
  { name: `list ${objects} as a table`, of: ({ listTable }) => listTable, text: milliseconds, more: false },
  {
    name: 'memory, loaded',
    of: ({ memory }) => memory,
    text: (value) => `${Math.round(value / 2 ** 20)} MiB`,
    more: false,
  },
  {
    name: 'memory per object',
    of: ({ memoryPerObject }) => memoryPerObject,
    text: (value) => `${(value / 1024).toFixed(1)} KiB`,
    more: false,
  },
];

/**
 * The sandbox against kube-apiserver with etcd, in turns on the same machine, over TLS with the same client: each in
 * processes of its own, without controllers and nodes. A ratio above 1 means that the sandbox does better.
 */
export async function benchSandbox({ runs = 3, objects = 10_000 } = {}): Promise<string> {
  const [ours, theirs]: Started[][] = [[], []];
  for (let run = 0; run < runs; run++) {
    ours?.push(await measureSandbox(objects, {}));
    theirs?.push(await measureKube(objects));
  }
  const table = rows(objects).map(({ name, of, text, more }) => {
    const [mine, other] = [ours, theirs].map((all) => median((all ?? []).map(of))) as [number, number];
    return [name, text(mine), text(other), `${(more ? mine / other : other / mine).toFixed(2)} ×`];
  });
  return `## Sandbox (median of ${runs} runs)\n\n${markdownTable(['what', 'sandbox', 'kube-apiserver and etcd', 'ratio'], table)}`;
}

async function measureSandbox(objects: number, options: object): Promise<Started> {
  const begin = performance.now();
  const program = join(import.meta.dirname, 'sandbox-process.ts');
  const child = spawn(
    process.execPath,
    // as the command line is started
    [
      '--disable-warning=ExperimentalWarning',
      '--max-semi-space-size=16',
      '--heap-growing-percent=60',
      program,
      JSON.stringify({ controllers: false, nodes: 0, ...options }),
    ],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const start = performance.now() - begin;
    const { kubeconfig, started } = JSON.parse(value as string) as { kubeconfig: string; started: number };
    return { start, ready: started, ...(await load(kubeconfig, () => residentMemory(child.pid as number), objects)) };
  } finally {
    child.stdin.end();
    await ended;
  }
}

async function measureKube(objects: number): Promise<Started> {
  const plane = await startControlPlane({ controllers: false });
  try {
    const ready = uptime();
    const processes = processesOf(plane.folder);
    const start = (ready - Math.min(...processes.map(startOf))) * 1000;
    const memory = () => processes.reduce((sum, pid) => sum + residentMemory(pid), 0);
    return { start, ready: start, ...(await load(plane.kubeconfig, memory, objects)) };
  } finally {
    await plane.stop();
  }
}

/** The processes of the control plane, without the shells that hold them. */
function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return !command[0]?.endsWith('/sh') && command.some((word) => word.includes(folder));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ESRCH')
          return false;
        throw error;
      }
    })
    .map(Number);
}

/** When a process began, in seconds since the machine did. */
function startOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]) / 100;
}
