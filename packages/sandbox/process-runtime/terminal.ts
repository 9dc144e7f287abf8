import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { TerminalSize } from '@tiphys/nodes';

const program = '/usr/bin/script';

/** Whether this machine can give commands a terminal: util-linux' `script` does. */
export function hasTerminals(): boolean {
  return process.platform === 'linux' && existsSync(program);
}

/** The command with a terminal of its own, whose name it writes to its fourth descriptor before it begins. */
export function inTerminal(command: readonly string[]): string[] {
  const line = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return [program, '-qefc', `tty >&4; exec 4>&-; exec ${line}`, '/dev/null'];
}

/** The terminal of a command that runs; it is given a size as soon as its name is known. */
export class Terminal {
  #name: Promise<string>;
  #last: Promise<void> = Promise.resolve();

  constructor(names: Readable) {
    names.on('error', () => undefined);
    this.#name = new Promise((resolve) => {
      let text = '';
      names.on('data', (chunk: Buffer) => {
        text += chunk;
        if (text.includes('\n')) resolve(text.trim());
      });
    });
  }

  /** One size after the other; a command that has ended meanwhile needs none. */
  resize({ columns, rows }: TerminalSize): void {
    this.#last = Promise.all([this.#name, this.#last]).then(([name]) => setSize(name, columns, rows));
  }
}

function setSize(terminal: string, columns: number, rows: number): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn('stty', ['-F', terminal, 'cols', String(columns), 'rows', String(rows)], { stdio: 'ignore' });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}
