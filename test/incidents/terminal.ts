import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOwnCommands } from '../../packages/serve/cli/own-commands.ts';
import type { World } from '../e2e/support/world.ts';

/** Runs `tiphys …` as a user who is logged in to the world; sessions are kept in a folder of its own. */
export class Terminal {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tiphys-terminal-'));

  static async of(world: World): Promise<Terminal> {
    const terminal = new Terminal();
    await terminal.run('login', world.url, '--password', world.password);
    return terminal;
  }

  /** Exit code, and what was printed to either stream. */
  async run(...argv: string[]): Promise<{ code: number; text: string }> {
    const lines: string[] = [];
    const code = await runOwnCommands(argv, {
      output: { out: (text) => void lines.push(text), error: (text) => void lines.push(text), colours: false },
      env: { XDG_CONFIG_HOME: this.#folder },
      workdir: this.#folder,
      signal: new AbortController().signal,
      askPassword: async () => undefined,
    });
    return { code, text: lines.join('\n') };
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
