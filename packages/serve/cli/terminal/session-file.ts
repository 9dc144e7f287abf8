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

/**
 * Keeps the session of a server. It becomes the one that is used when none is named, unless `current` is false and another one is
 * that already: a second server that starts does not take the commands of the first.
 */
export function saveSession(
  file: string,
  server: string,
  { token, current = true }: { readonly token: string; readonly current?: boolean },
): void {
  const sessions = readSessions(file);
  write(file, {
    current: current ? server : (sessions.current ?? server),
    tokens: { ...sessions.tokens, [server]: token },
  });
}

/** The server that is used when none is named. */
export function useServer(file: string, server: string): void {
  write(file, { ...readSessions(file), current: server });
}

/** Forgets a server: another one that is known becomes the one that is used, if it was that. */
export function dropSession(file: string, server: string): void {
  const { current, tokens } = readSessions(file);
  const { [server]: _, ...rest } = tokens;
  const next = current === server ? Object.keys(rest)[0] : current;
  write(file, { ...(next === undefined ? {} : { current: next }), tokens: rest });
}

/** Replaced as a whole, readable by its owner alone. */
function write(file: string, sessions: Sessions): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(sessions, undefined, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
