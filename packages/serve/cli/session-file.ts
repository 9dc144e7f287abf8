import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const sessionFileInvalid = defineDiagnosis(
  'SessionFileInvalid',
  'The saved sessions of the command line cannot be read',
);

/** Servers that were logged in to, and the one that is used when none is named. */
export interface Sessions {
  current?: string;
  tokens: Record<string, string>;
}

/** `$XDG_CONFIG_HOME/tiphys/sessions.json`, by default in ~/.config. */
export function sessionFile(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'tiphys', 'sessions.json');
}

export function readSessions(file: string): Sessions {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { tokens: {} };
    throw error;
  }
  try {
    return { tokens: {}, ...(JSON.parse(text) as Partial<Sessions>) };
  } catch {
    throw failure(sessionFileInvalid, {
      message: 'The file of saved sessions is not valid JSON',
      place: { file },
      remedies: [`Delete ${file} and log in again`],
    });
  }
}

/** Replaced as a whole, readable by its owner alone. */
export function saveSession(file: string, server: string, token: string): void {
  const sessions = readSessions(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(
    `${file}.new`,
    JSON.stringify({ current: server, tokens: { ...sessions.tokens, [server]: token } }, undefined, 2),
    { mode: 0o600 },
  );
  renameSync(`${file}.new`, file);
}
