import type { Command } from 'commander';
import { ApiSession } from '../client/api-session.ts';
import type { Output } from './output.ts';
import { readSessions, sessionFile } from './session-file.ts';

/** What commands get from the process; nothing reads globals. */
export interface Surroundings {
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Directory in which the user called. */
  readonly workdir: string;
  readonly signal: AbortSignal;
  /** Reads a line without echo; undefined if there is no terminal. */
  readonly askPassword: (prompt: string) => Promise<string | undefined>;
  /** Reads a line; absent where there is no terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/** Ends the process with this code after the command has said why. */
export class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const defaultServer = 'http://localhost:8080';

/** The session that a command's global options ask for: flag, then environment, then the saved one. */
export function sessionOf(command: Command, { env }: Surroundings): ApiSession {
  const options = command.optsWithGlobals<{ server?: string; authToken?: string }>();
  const saved = readSessions(sessionFile(env));
  const server = serverUrl(options.server ?? env.TIPHYS_SERVER ?? saved.current ?? defaultServer);
  return new ApiSession(server, options.authToken ?? env.TIPHYS_AUTH_TOKEN ?? saved.tokens[server]);
}

/** `host:port` becomes an http URL; a URL stays. */
export function serverUrl(server: string): string {
  return (/^https?:\/\//.test(server) ? server : `http://${server}`).replace(/(?<!\/)\/+$/, '');
}
