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
  /** Servers by the names that logins gave them. */
  names?: Record<string, string>;
  /** Kubeconfigs of the sandboxes of servers that `up` started. */
  kubeconfigs?: Record<string, string>;
  /** `configure --prompts-enabled`; absent where nobody has said. */
  prompts?: boolean;
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

export interface KeptSession {
  readonly token: string;
  /** True if absent. */
  readonly current?: boolean;
  readonly name?: string;
  /** The file for the server's own sandbox. */
  readonly kubeconfig?: string | undefined;
}

/**
 * Keeps the session of a server. It becomes the one that is used when none is named, unless `current` is false and another one is
 * that already: a second server that starts does not take the commands of the first.
 */
export function saveSession(
  file: string,
  server: string,
  { token, current = true, name, kubeconfig }: KeptSession,
): void {
  const sessions = readSessions(file);
  write(file, {
    ...sessions,
    current: current ? server : (sessions.current ?? server),
    tokens: { ...sessions.tokens, [server]: token },
    ...(name ? { names: { ...sessions.names, [name]: server } } : {}),
    ...(kubeconfig ? { kubeconfigs: { ...sessions.kubeconfigs, [server]: kubeconfig } } : {}),
  });
}

/** The server that was logged in to under a name, an address, or a URL. */
export function serverNamed({ tokens, names = {} }: Sessions, name: string): string | undefined {
  const url = Object.hasOwn(names, name) ? names[name] : undefined;
  if (url && Object.hasOwn(tokens, url)) return url;
  const plain = name.replace(/(?<!\/)\/+$/, '');
  return Object.keys(tokens).find((known) => known === plain || new URL(known).host === name);
}

/** Whether commands may ask at a terminal before they delete something. */
export function keepPrompts(file: string, prompts: boolean): void {
  write(file, { ...readSessions(file), prompts });
}

/** The server that is used when none is named. */
export function useServer(file: string, server: string): void {
  write(file, { ...readSessions(file), current: server });
}

/** Forgets a server: another one that is known becomes the one that is used, if it was that. */
export function dropSession(file: string, server: string): void {
  const { current, tokens, names = {}, kubeconfigs = {}, ...others } = readSessions(file);
  const { [server]: _, ...rest } = tokens;
  const { [server]: _file, ...sandboxes } = kubeconfigs;
  const next = current === server ? Object.keys(rest)[0] : current;
  const named = Object.fromEntries(Object.entries(names).filter(([, url]) => url !== server));
  write(file, {
    ...others,
    ...(next === undefined ? {} : { current: next }),
    tokens: rest,
    names: named,
    kubeconfigs: sandboxes,
  });
}

/** Replaced as a whole, readable by its owner alone. */
function write(file: string, sessions: Sessions): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(sessions, undefined, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
