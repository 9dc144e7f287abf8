import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { findKubectl, skip as noKubectl } from '../kubectl/kubectl.ts';
import { runProgram } from './program.ts';

const program = '/usr/bin/script';
const skip = noKubectl || (process.platform === 'linux' && existsSync(program) ? false : `there is no ${program}`);

/** A program at a terminal of its own, as a person sees it. */
class Terminal {
  readonly #child: ChildProcess;
  readonly ended: Promise<number>;
  readonly #name: Promise<string>;
  #printed = '';
  #changed: (() => void)[] = [];

  constructor(command: string) {
    this.#child = spawn(program, ['-qefc', `tty >&4; exec 4>&-; stty rows 30 cols 100; exec ${command}`, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit', 'ignore', 'pipe'],
    });
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#printed += chunk;
      this.#wake();
    });
    this.ended = once(this.#child, 'close').then(([code]) => {
      this.#wake();
      return code;
    });
    const names = this.#child.stdio[4] as Readable;
    this.#name = once(names, 'data').then(([chunk]) => String(chunk).trim());
  }

  #wake(): void {
    for (const wake of this.#changed.splice(0)) wake();
  }

  /** What it printed up to a match, which is then behind us; rejects when it ends before. */
  async sees(pattern: RegExp): Promise<string> {
    let late = false;
    const alarm = setTimeout(() => {
      late = true;
      this.#wake();
    }, 120_000);
    try {
      for (;;) {
        const match = pattern.exec(this.#printed);
        if (match) {
          this.#printed = this.#printed.slice(match.index + match[0].length);
          return match[0];
        }
        if (this.#child.exitCode !== null || late)
          throw new Error(`${pattern} was not printed, exit code ${this.#child.exitCode}: ${this.#printed}`);
        await new Promise<void>((resolve) => this.#changed.push(resolve));
      }
    } finally {
      clearTimeout(alarm);
    }
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  async resize(rows: number, columns: number): Promise<void> {
    execFileSync('stty', ['-F', await this.#name, 'rows', String(rows), 'cols', String(columns)]);
  }

  /** Hangs up. */
  close(): void {
    this.#child.kill('SIGKILL');
  }
}

describe('kubectl at a terminal', { skip }, () => {
  let sandbox: Sandbox;
  let kubectl: string;
  const run = (...args: string[]) =>
    runProgram(kubectl.split(' ')[0] as string, [...kubectl.split(' ').slice(1), ...args]);
  before(async () => {
    sandbox = await startSandbox({ runtime: 'process' });
    kubectl = `${findKubectl()} --kubeconfig ${sandbox.writeKubeconfig()}`;
    await run('run', 'web', '--image=busybox', '--command', '--', 'sleep', '1000');
    const { code, stderr } = await run('wait', 'pod/web', '--for=condition=Ready', '--timeout=180s');
    assert.equal(code, 0, stderr);
  });
  after(() => sandbox?.close());

  for (const websockets of ['true', 'false'])
    test(`exec -it knows sizes, Ctrl-C and the exit code, websockets ${websockets}`, async () => {
      const terminal = new Terminal(
        `env KUBECTL_REMOTE_COMMAND_WEBSOCKETS=${websockets} ${kubectl} exec -it web -- env PS1='ready> ' sh`,
      );
      await terminal.sees(/ready> /);
      terminal.type('while test "$(stty size)" != "30 100"; do sleep 0.05; done; echo first-$((4 * 2))\n');
      await terminal.sees(/first-8/);
      await terminal.resize(44, 132);
      terminal.type('while test "$(stty size)" != "44 132"; do sleep 0.05; done; echo second-$((3 * 3))\n');
      await terminal.sees(/second-9/);
      // one process that prints and then waits: a shell that is about to start `sleep` may lose the key
      terminal.type("sh -c 'echo waiting-$((5 * 2)); exec sleep 1000'\n");
      await terminal.sees(/waiting-10/);
      terminal.type('\x03');
      await terminal.sees(/ready> /);
      terminal.type('echo code-$?; test -t 0 && exit 7\n');
      await terminal.sees(/code-130/);
      await terminal.sees(/command terminated with exit code 7/);
      assert.equal(await terminal.ended, 7);
    });

  test('run -it --rm is a shell in a pod that goes with it', async () => {
    const terminal = new Terminal(`${kubectl} run once -it --rm --restart=Never --image=busybox --command -- sh`);
    await terminal.sees(/If you don't see a command prompt/);
    terminal.type('test -t 1 && echo here-$((1 + 1)); exit\n');
    await terminal.sees(/here-2/);
    await terminal.sees(/pod "once" deleted/);
    assert.equal(await terminal.ended, 0);
    assert.match((await run('get', 'pod', 'once')).stderr, /NotFound/);
  });

  test('attach -it takes part in a shell that goes on without it', async () => {
    await run(
      'run',
      'shell',
      '--image=busybox',
      '--stdin',
      '--tty',
      '--attach=false',
      '--leave-stdin-open',
      '--command',
      '--',
      'sh',
    );
    await run('wait', 'pod/shell', '--for=condition=Ready', '--timeout=180s');
    for (const turn of [1, 2]) {
      const terminal = new Terminal(`${kubectl} attach -it shell`);
      await terminal.sees(/command prompt/);
      terminal.type(`test -t 0 && echo turn-$((${turn} + 10)) $VALUE; VALUE=kept\n`);
      await terminal.sees(turn === 1 ? /turn-11/ : /turn-12 kept/);
      terminal.close();
      await terminal.ended;
    }
    const { stdout } = await run('get', 'pod', 'shell', '-o', 'jsonpath={.status.phase}');
    assert.equal(stdout, 'Running');
  });

  test('debug -it is a shell beside the containers of a pod', async () => {
    const terminal = new Terminal(`${kubectl} debug web -it --image=busybox --container=beside -- sh`);
    await terminal.sees(/command prompt/);
    terminal.type('echo beside-$((2 + 3)); exit 0\n');
    await terminal.sees(/beside-5/);
    assert.equal(await terminal.ended, 0);
    const path = 'jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.exitCode}';
    assert.equal((await run('wait', 'pod/web', `--for=${path}=0`, '--timeout=180s')).code, 0);
  });
});
