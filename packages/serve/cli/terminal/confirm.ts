import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { Exit, type Surroundings } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { readSessions, sessionFile } from './session-file.ts';

/**
 * For `command.hook('preAction', …)`: asks before something is deleted, as `argocd` does. `y` goes on, all else ends the command with exit
 * code 1. Nobody is asked with `--yes`, or where there is no terminal to ask at: a script goes on, as it always did.
 */
export function asking(surroundings: Surroundings): (parent: Command, command: Command) => Promise<void> {
  return async (_parent, command) => {
    const { yes, cascade } = command.opts<{ yes?: boolean; cascade?: boolean }>();
    if (yes || !surroundings.ask || readSessions(sessionFile(surroundings.env)).prompts === false) return;
    const what = command.args.map((name) => `'${name}'`).join(', ');
    const more = cascade ? ' and all its resources' : '';
    const answer = await surroundings.ask(`Are you sure you want to ${command.name()} ${what}${more}? [y/n] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
    surroundings.output.error('Nothing was changed');
    throw new Exit(exitCodes.usage);
  };
}

/** Reads a line at the terminal; undefined where there is none. */
export function terminalQuestions(
  stdin: NodeJS.ReadStream,
  stderr: NodeJS.WriteStream,
): ((question: string) => Promise<string>) | undefined {
  if (!stdin.isTTY) return undefined;
  return async (question) => {
    const reader = createInterface({ input: stdin, output: stderr });
    try {
      return await reader.question(question);
    } finally {
      reader.close();
    }
  };
}
