import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const root = join(import.meta.dirname, '..', '..', '..');
/** Where the commands run; it goes with the test file. */
export const folder = mkdtempSync(join(tmpdir(), 'tiphys-up-'));
const environment = { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), NO_COLOR: '1' };
const children = new Set<ChildProcess>();
after(() => {
  // one that a failed test has left would keep this process alive
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

/** A `tiphys` command that runs until it is stopped. */
export function start(args: readonly string[]) {
  const child = spawn(process.execPath, [join(root, 'scripts', 'bootstrap.mjs'), ...args], {
    cwd: folder,
    env: { ...environment, INIT_CWD: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let text = '';
  const waiting: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (const look of waiting) look();
    });
  const exit = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  const printed = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = text.match(pattern);
        if (match) resolve(match);
      };
      waiting.push(look);
      look();
      void exit.then((code) => reject(new Error(`It ended with ${code} before it printed ${pattern}:\n${text}`)));
    });
  const stop = async () => {
    child.kill('SIGINT');
    return exit;
  };
  return { printed, stop, exit, text: () => text };
}

/** A `tiphys` command that ends by itself: its exit code and what it printed. */
export function run(...args: string[]): Promise<{ code: number | null; text: string }> {
  const command = start(args);
  return command.exit.then((code) => ({ code, text: command.text() }));
}
