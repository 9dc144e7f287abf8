import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatKubeconfig } from '@tiphys/kubernetes';
import { runOwnCommands } from '../../packages/serve/cli/own-commands.ts';
import type { World } from '../e2e/support/world.ts';

const terminals = new WeakMap<World, Promise<Terminal>>();

/** The command line in this process, with a session of its own. */
export class Terminal {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tiphys-terminal-'));
  readonly kubeconfig: string;

  private constructor(world: World) {
    this.kubeconfig = join(this.#folder, 'kubeconfig');
    writeFileSync(this.kubeconfig, formatKubeconfig({ ...world.cluster.config, name: 'surfaces' }));
    process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** That of a world, logged in as admin; its folder is removed with the process. */
  static of(world: World): Promise<Terminal> {
    const known = terminals.get(world);
    if (known) return known;
    const terminal = new Terminal(world);
    const opened = terminal.run('login', world.url, '--password', world.password).then(() => terminal);
    terminals.set(world, opened);
    return opened;
  }

  /** What a command prints; fails unless it succeeds. */
  async run(...argv: string[]): Promise<string> {
    const lines: string[] = [];
    const code = await runOwnCommands(argv, {
      output: { out: (line) => void lines.push(line), error: (line) => void lines.push(line), colours: false },
      env: { XDG_CONFIG_HOME: this.#folder },
      workdir: this.#folder,
      signal: new AbortController().signal,
      askPassword: async () => undefined,
    });
    assert.equal(code, 0, `${argv.join(' ')}: ${lines.join('\n')}`);
    return lines.join('\n');
  }
}
